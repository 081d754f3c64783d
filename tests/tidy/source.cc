// Lexing and tree reading for the tidy checks (source.h).
#include "tidy/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

namespace invar::tidy {
namespace {

bool is_word_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Splits one C++ text. Fills `code`, `comments`, `tokens` and `includes` of the source it is given.
class Lexer {
 public:
  explicit Lexer(Source& source) : source_(source), text_(source.text) {
    source_.code = text_;
    source_.comments = text_;
    for (size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] != '\n') {
        source_.comments[i] = ' ';
      }
    }
  }

  void run() {
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (c == '\n') {
        end_line();
      } else if (starts("//")) {
        take_comment(find_end("\n", 0));
      } else if (starts("/*")) {
        take_comment(find_end("*/", 2));
      } else if (c == '#' && only_blanks_before()) {
        start_directive();
      } else if (c == '"' || c == '\'') {
        take_literal(c);
      } else if (is_word_start(c)) {
        take_word();
      } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
        take_number();
      } else {
        take_symbol();
      }
    }
  }

 private:
  bool starts(std::string_view prefix) const {
    return text_.substr(position_, prefix.size()) == prefix;
  }

  // Position just after `end`, searched from here; the end of the text if it is missing.
  size_t find_end(std::string_view end, size_t skipped) const {
    const size_t at = text_.find(end, position_ + skipped);
    return at == std::string_view::npos ? text_.size() : at + (end == "\n" ? 0 : end.size());
  }

  bool only_blanks_before() const {
    size_t at = position_;
    while (at > 0 && (text_[at - 1] == ' ' || text_[at - 1] == '\t')) {
      --at;
    }
    return at == 0 || text_[at - 1] == '\n';
  }

  void end_line() {
    if (in_directive_ && (position_ == 0 || text_[position_ - 1] != '\\')) {
      in_directive_ = false;
    }
    ++line_;
    ++position_;
  }

  void take_comment(size_t end) {
    for (size_t i = position_; i < end; ++i) {
      if (text_[i] == '\n') {
        ++line_;
        continue;
      }
      source_.comments[i] = text_[i];
      source_.code[i] = ' ';
    }
    position_ = end;
  }

  void start_directive() {
    in_directive_ = true;
    add(Token::Kind::kSymbol, "#");
    const size_t line_end = std::min(text_.find('\n', position_), text_.size());
    std::string_view line = text_.substr(position_, line_end - position_);
    ++position_;
    const size_t name = line.find("include");
    const size_t open = line.find_first_of("\"<");
    if (name == std::string_view::npos || open == std::string_view::npos || name > open ||
        line.find_first_not_of("# \t") != name) {
      return;
    }
    const bool quoted = line[open] == '"';
    const size_t close = line.find(quoted ? '"' : '>', open + 1);
    if (close != std::string_view::npos) {
      source_.includes.push_back(
          {std::string(line.substr(open + 1, close - open - 1)), line_, quoted});
    }
  }

  void blank(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (text_[i] != '\n') {
        source_.code[i] = ' ';
      }
    }
  }

  void take_literal(char quote) {
    add(Token::Kind::kLiteral, "");
    const size_t begin = position_ + 1;
    size_t at = begin;
    while (at < text_.size() && text_[at] != quote && text_[at] != '\n') {
      at += text_[at] == '\\' ? 2 : 1;
    }
    at = std::min(at, text_.size());
    blank(begin, at);
    position_ = at < text_.size() && text_[at] == quote ? at + 1 : at;
  }

  void take_raw_literal(size_t quote_position) {
    add(Token::Kind::kLiteral, "");
    const size_t open = std::min(text_.find('(', quote_position), text_.size() - 1);
    const std::string end =
        fmt::format("){}\"", text_.substr(quote_position + 1, open - quote_position - 1));
    const size_t at = text_.find(end, open);
    const size_t after = at == std::string_view::npos ? text_.size() : at + end.size();
    blank(position_, after);
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(position_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(after), '\n'));
    position_ = after;
  }

  void take_word() {
    size_t end = position_;
    while (end < text_.size() && is_word_char(text_[end])) {
      ++end;
    }
    const std::string_view word = text_.substr(position_, end - position_);
    const bool before_quote = end < text_.size() && text_[end] == '"';
    if (before_quote && (word == "R" || word == "u8R" || word == "LR" || word == "uR")) {
      take_raw_literal(end);
      return;
    }
    add(Token::Kind::kWord, word);
    position_ = end;
  }

  void take_number() {
    size_t end = position_;
    while (end < text_.size()) {
      const char c = text_[end];
      const char before = end > position_ ? text_[end - 1] : ' ';
      const bool exponent_sign =
          (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p');
      if (!is_word_char(c) && c != '.' && c != '\'' && !exponent_sign) {
        break;
      }
      ++end;
    }
    add(Token::Kind::kNumber, text_.substr(position_, end - position_));
    position_ = end;
  }

  void take_symbol() {
    const char c = text_[position_];
    const size_t length = starts("::") || starts("->") ? 2 : 1;
    if (std::isspace(static_cast<unsigned char>(c)) == 0 && c != '\\') {
      add(Token::Kind::kSymbol, text_.substr(position_, length));
    }
    position_ += length;
  }

  void add(Token::Kind kind, std::string_view text) {
    source_.tokens.push_back({kind, std::string(text), line_, in_directive_});
  }

  Source& source_;
  std::string_view text_;
  size_t position_ = 0;
  int line_ = 1;
  bool in_directive_ = false;
};

// Output of a command, or nothing if it fails.
std::string command_output(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string output;
  std::array<char, 4096> buffer{};
  while (pipe != nullptr) {
    const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe.get());
    if (count == 0) {
      break;
    }
    output.append(buffer.data(), count);
  }
  return output;
}

bool is_text_path(std::string_view path) {
  const std::filesystem::path p(path);
  static constexpr std::array<std::string_view, 16> kExtensions = {
      ".h",    ".cc", ".cu",  ".cuh",  ".cmake", ".sh", ".py",   ".md",
      ".json", ".js", ".css", ".html", ".txt",   "",    ".toml", ".jinja"};
  return std::find(kExtensions.begin(), kExtensions.end(), p.extension().string()) !=
         kExtensions.end();
}

}  // namespace

std::string render(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{}:{}: {}\n", finding.path, finding.line, finding.message);
  }
  return text;
}

bool Source::is_cpp() const {
  return is_header() || path.ends_with(".cc") || path.ends_with(".cu");
}

bool Source::is_header() const {
  return path.ends_with(".h") || path.ends_with(".cuh");
}

bool Source::is_below(std::string_view folder) const {
  return path.starts_with(folder);
}

const Source* Tree::find(std::string_view path) const {
  const auto at = std::find_if(sources.begin(), sources.end(),
                               [&](const Source& source) { return source.path == path; });
  return at == sources.end() ? nullptr : &*at;
}

Source parse_source(std::string path, std::string text) {
  Source source;
  source.path = std::move(path);
  source.text = std::move(text);
  if (source.is_cpp()) {
    Lexer(source).run();
  }
  return source;
}

Tree read_tree(const std::string& root) {
  Tree tree;
  tree.root = root;
  const std::string list =
      command_output(fmt::format("git -c safe.directory='*' -C '{}' ls-files --cached --others "
                                 "--exclude-standard 2>/dev/null",
                                 root));
  if (list.empty()) {
    throw std::runtime_error(root + ": 'git ls-files' lists no file");
  }
  for (const std::string_view line : split_lines(list)) {
    const std::string path(line);
    const std::filesystem::path file = std::filesystem::path(root) / path;
    if (!std::filesystem::is_regular_file(file)) {
      continue;  // deleted, but still in the index
    }
    const auto size = static_cast<int64_t>(std::filesystem::file_size(file));
    tree.blobs.push_back({path, size});
    const bool data = (path.starts_with("tests/golden/") && !path.ends_with(".cc")) ||
                      path.starts_with("tests/fuzz/corpus/");
    if (is_text_path(path) && !data) {
      std::ifstream stream(file, std::ios::binary);
      tree.sources.push_back(parse_source(
          path, {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()}));
    }
  }
  return tree;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : line) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) {
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<std::string> name_words(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
  };
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (std::isalnum(c) == 0) {
      finish();
      continue;
    }
    const bool hump =
        std::isupper(c) != 0 && i > 0 && std::isupper(static_cast<unsigned char>(name[i - 1])) == 0;
    if (hump) {
      finish();
    }
    word += static_cast<char>(std::tolower(c));
  }
  finish();
  return words;
}

std::vector<ListLine> parse_list(std::string_view text) {
  std::vector<ListLine> list;
  int number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    std::vector<std::string> words = split_words(line);
    if (!words.empty() && !words.front().starts_with('#')) {
      list.push_back({std::move(words), number});
    }
  }
  return list;
}

}  // namespace invar::tidy
