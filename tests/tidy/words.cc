// The tables of banned words and names, and the checks that read them (words.h).
#include "tidy/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <span>

#include "tidy/sizes.h"

namespace invar::tidy {
namespace {

using Words = std::span<const std::string_view>;

bool contains(Words words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// How a word has to stand to break its rule.
enum class Use {
  kAnywhere,  // as a token
  kCall,      // called, as a plain function or one of std::
  kStd,       // after std::
};

struct Rule {
  std::string_view name;  // as in allowed.txt
  Use use;
  std::string_view instead;
  std::array<std::string_view, 18> words;
  std::array<std::string_view, 4> folders = {};  // none: everywhere
};

constexpr std::array kRules = {
    Rule{"print",
         Use::kCall,
         "use fmt::format; only cli/ prints, by fmt::print",
         {"printf", "fprintf", "sprintf", "snprintf", "vprintf", "vfprintf", "vsnprintf", "puts",
          "fputs", "putchar", "perror"},
         {"src/", "bench/"}},
    Rule{"stream",
         Use::kAnywhere,
         "use log_warn (core/log.h); only cli/ prints, by fmt::print",
         {"cout", "cerr", "clog"},
         {"src/", "bench/"}},
    Rule{"allocate", Use::kAnywhere, "use a container or std::make_unique", {"new", "delete"}},
    Rule{"allocate",
         Use::kCall,
         "use a container or std::make_unique",
         {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "mmap"}},
    Rule{"environment",
         Use::kCall,
         "take it as an option; only cli/ reads the environment",
         {"getenv", "secure_getenv", "setenv", "unsetenv", "putenv"},
         {"src/", "bench/"}},
    Rule{"exit",
         Use::kCall,
         "fail(Code, ...) for bad input, INVAR_CHECK for a bug",
         {"exit", "_exit", "_Exit", "quick_exit", "abort", "terminate", "assert"},
         {"src/", "bench/"}},
    Rule{"catch",
         Use::kAnywhere,
         "let errors pass to one of the listed sites",
         {"catch"},
         {"src/", "bench/"}},
    Rule{"throw", Use::kAnywhere, "use fail(Code, ...) of core/error.h", {"throw"}, {"src/"}},
    Rule{"random",
         Use::kAnywhere,
         "use core/philox.h with a seed that the caller gives",
         {"random_device", "mt19937", "mt19937_64", "default_random_engine", "minstd_rand", "srand",
          "uniform_real_distribution", "normal_distribution"},
         {"src/"}},
    Rule{"parse",
         Use::kCall,
         "use std::from_chars: it is exact, checked and knows no locale",
         {"atoi", "atol", "atoll", "atof", "strtol", "strtoll", "strtoul", "strtoull", "strtof",
          "strtod", "stoi", "stol", "stoll", "stoul", "stoull", "stof", "stod"},
         {"src/"}},
    Rule{"regex",
         Use::kStd,
         "use PCRE2, in tests gmock: std::regex recurses as deep as its input is long",
         {"regex", "regex_match", "regex_search", "regex_replace"},
         {"src/", "tests/"}},
    Rule{"global",
         Use::kAnywhere,
         "pass the state as an argument",
         {"thread_local", "__thread"},
         {"src/"}},
    Rule{"lock",
         Use::kAnywhere,
         "these modules belong to one thread; share through bounded queues",
         {"mutex", "shared_mutex", "recursive_mutex", "lock_guard", "unique_lock", "scoped_lock",
          "condition_variable"},
         {"src/cache/", "src/program/", "src/layers/", "src/models/"}},
};

bool is_code_folder(const Source& source) {
  return source.is_below("src/") || source.is_below("tests/") || source.is_below("bench/");
}

// One token with its neighbours; "" beyond the ends.
struct Place {
  std::string_view before2;
  std::string_view before;
  const Token& token;
  std::string_view after;
};

template <class Visit>
void for_each_place(const Source& source, Visit visit) {
  const std::vector<Token>& tokens = source.tokens;
  const auto text = [&](size_t at) {
    return at < tokens.size() ? std::string_view(tokens[at].text) : std::string_view();
  };
  for (size_t at = 0; at < tokens.size(); ++at) {
    visit(Place{at >= 2 ? text(at - 2) : std::string_view(),
                at >= 1 ? text(at - 1) : std::string_view(), tokens[at], text(at + 1)});
  }
}

bool breaks(const Rule& rule, const Place& place) {
  if (!contains(rule.words, place.token.text) || place.token.text.empty()) {
    return false;
  }
  if (rule.use == Use::kCall) {
    const bool member = place.before == "." || place.before == "->";
    const bool qualified = place.before == "::" && place.before2 != "std" && !place.before2.empty();
    return place.after == "(" && !member && !qualified;
  }
  if (rule.use == Use::kStd) {
    return place.before == "::" && place.before2 == "std";
  }
  const bool deleted_function = place.token.text == "delete" && place.before == "=";
  const bool include_name = place.before == "<" && place.before2 == "include";
  return !deleted_function && !include_name;
}

bool applies(const Rule& rule, const Source& source) {
  if (rule.folders.front().empty()) {
    return true;
  }
  return std::any_of(rule.folders.begin(), rule.folders.end(), [&](std::string_view folder) {
    return !folder.empty() && source.is_below(folder);
  });
}

// Collects findings of one file, leaving out what allowed.txt allows.
class Report {
 public:
  Report(const Source& source, AllowList& allowed) : source_(source), allowed_(allowed) {}

  void add(std::string_view rule, int line, std::string_view what, std::string_view instead) {
    if (!allowed_.allows(rule, source_.path)) {
      findings_.push_back({source_.path, line, fmt::format("[{}] {}: {}", rule, what, instead)});
    }
  }
  Findings take() { return std::move(findings_); }

 private:
  const Source& source_;
  AllowList& allowed_;
  Findings findings_;
};

constexpr std::array<std::string_view, 6> kConditions = {"if",   "ifdef", "ifndef",
                                                         "elif", "else",  "elifdef"};
constexpr std::array<std::string_view, 20> kScalars = {
    "bool",     "char",     "short",     "int",       "long",    "float",   "double",
    "size_t",   "int8_t",   "int16_t",   "int32_t",   "int64_t", "uint8_t", "uint16_t",
    "uint32_t", "uint64_t", "ptrdiff_t", "uintptr_t", "byte",    "unsigned"};

// Words that do not say which block or slot is meant.
constexpr std::array<std::string_view, 22> kUntelling = {
    "k",     "n",   "num", "index", "size", "count", "id",  "ids", "bytes", "first", "last",
    "begin", "end", "max", "min",   "next", "this",  "per", "the", "of",    "total", "i"};
constexpr std::array<std::string_view, 4> kHomonyms = {"block", "blocks", "slot", "slots"};
constexpr std::array<std::string_view, 13> kTellingNothing = {
    "fast",   "v2",      "v3",       "util",      "utils", "helper", "helpers",
    "common", "manager", "managers", "optimized", "misc",  "stuff"};

bool stands_alone(std::string_view name) {
  bool homonym = false;
  for (const std::string& word : name_words(name)) {
    if (contains(kHomonyms, word)) {
      homonym = true;
    } else if (!contains(kUntelling, word)) {
      return false;
    }
  }
  return homonym;
}

// "common" may tell something before a noun in a function's name ("common_prefix"), not at its end.
std::string telling_nothing(std::string_view name, bool is_file) {
  const std::vector<std::string> words = name_words(name);
  for (size_t i = 0; i < words.size(); ++i) {
    const bool adjective = words[i] == "common" && !is_file && i + 1 < words.size();
    if (contains(kTellingNothing, words[i]) && !adjective) {
      return words[i];
    }
  }
  return {};
}

// Written in two halves, so that these lines do not break the rule themselves.
constexpr std::array<std::string_view, 4> kOpenWork = {
    "TO"
    "DO",
    "FIX"
    "ME",
    "X"
    "XX",
    "HA"
    "CK"};
constexpr std::array<std::string_view, 10> kMentions = {
    "llama"
    ".cpp",
    "ll"
    "ama-cpp",
    "v"
    "LLM",
    "sg"
    "lang",
    "SG"
    "Lang",
    "Tensor"
    "RT",
    "CTrans"
    "late",
    "ex"
    "llama",
    "/work"
    "/",
    "mini-sg"
    "lang"};

bool has_issue(std::string_view after) {
  return after.size() >= 3 && after.starts_with("(#") &&
         std::isdigit(static_cast<unsigned char>(after[2])) != 0;
}

}  // namespace

Findings check_words(const Source& source, AllowList& allowed) {
  Report report(source, allowed);
  if (!source.is_cpp() || !is_code_folder(source)) {
    return {};
  }
  for_each_place(source, [&](const Place& place) {
    const Token& token = place.token;
    for (const Rule& rule : kRules) {
      if (applies(rule, source) && breaks(rule, place)) {
        report.add(rule.name, token.line, token.text, rule.instead);
      }
    }
    const bool prints = token.text == "print" || token.text == "println";
    if (prints && place.before == "::" && place.before2 == "fmt" && source.is_below("src/")) {
      report.add("print", token.line, "fmt::print", "only cli/ prints; return the text or log it");
    }
    if (token.in_directive && place.before == "#" && contains(kConditions, token.text)) {
      report.add("condition", token.line, "#" + token.text,
                 "a variant is another file, chosen by CMake");
    }
  });
  return report.take();
}

Findings check_forms(const Source& source, AllowList& allowed) {
  Report report(source, allowed);
  if (!source.is_cpp()) {
    return {};
  }
  for_each_place(source, [&](const Place& place) {
    const std::string& word = place.token.text;
    const bool after_const = place.before == "const" || place.before == "::";
    const bool type_alias = place.before2 == "=";  // an iterator's `reference`
    if (contains(kScalars, word) && after_const && place.after == "&" && !type_alias) {
      report.add("const_scalar", place.token.line, "const " + word + "&", "pass it by value");
    }
    if (word == "namespace" && place.before == "using") {
      report.add("using_namespace", place.token.line, "using namespace",
                 "name what is used, or qualify it");
    }
  });
  return report.take();
}

Findings check_names(const Source& source, AllowList& allowed) {
  Report report(source, allowed);
  const size_t slash = source.path.rfind('/');
  const std::string_view file = std::string_view(source.path).substr(slash + 1);
  const std::string word_in_file = telling_nothing(file, true);
  if (!word_in_file.empty()) {
    report.add("telling", 0, word_in_file, "name the file for its one subject");
  }
  if (!source.is_cpp()) {
    return report.take();
  }
  std::set<std::string> seen;
  const auto check_telling = [&](const std::string& name, int line) {
    const std::string word = telling_nothing(name, false);
    if (!word.empty() && seen.insert(name).second) {
      report.add("telling", line, name, fmt::format("'{}' says nothing about what it does", word));
    }
  };
  for (const Function& function : find_functions(source)) {
    check_telling(function.name, function.first_line);
  }
  for_each_place(source, [&](const Place& place) {
    const Token& token = place.token;
    if (place.before == "class" || place.before == "struct") {
      check_telling(token.text, token.line);
    }
    if (token.kind == Token::Kind::kWord && stands_alone(token.text) &&
        seen.insert(token.text).second) {
      report.add("alone", token.line, token.text,
                 "say which one: kv_block, quant_group, state_page, layer ...");
    }
  });
  return report.take();
}

Findings check_text(const Source& source, AllowList& allowed) {
  Report report(source, allowed);
  int number = 0;
  for (const std::string_view line : split_lines(source.text)) {
    ++number;
    for (const std::string_view word : kOpenWork) {
      const size_t at = line.find(word);
      const bool inside_word =
          at != std::string_view::npos &&
          ((at > 0 && std::isalnum(static_cast<unsigned char>(line[at - 1])) != 0) ||
           (at + word.size() < line.size() &&
            std::isalnum(static_cast<unsigned char>(line[at + word.size()])) != 0));
      if (at != std::string_view::npos && !inside_word &&
          !has_issue(line.substr(at + word.size()))) {
        report.add("open_work", number, word,
                   fmt::format("write {}(#12): what, as an issue", word));
      }
    }
    for (const std::string_view name : kMentions) {
      if (line.find(name) != std::string_view::npos) {
        report.add("mention", number, name, "the project speaks of itself alone");
      }
    }
  }
  return report.take();
}

}  // namespace invar::tidy
