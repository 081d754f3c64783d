// Finds function definitions by their braces (find_functions of sizes.h).
#include <algorithm>
#include <array>

#include "tidy/sizes.h"

namespace invar::tidy {
namespace {

template <size_t kCount>
bool is_one_of(std::string_view text, const std::array<std::string_view, kCount>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 4> kTypeWords = {"class", "struct", "union", "enum"};
constexpr std::array<std::string_view, 3> kAccessWords = {"public", "private", "protected"};
// A word followed by parentheses that is not a function's name.
constexpr std::array<std::string_view, 8> kNotNames = {
    "alignas",  "explicit",      "decltype",          "noexcept",
    "requires", "__attribute__", "__launch_bounds__", "sizeof"};
constexpr std::array<std::string_view, 6> kTestMacros = {
    "TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P", "BENCHMARK_F"};
// A word that may stand between a function's parentheses and its body.
constexpr std::array<std::string_view, 6> kBeforeBody = {"const", "noexcept", "override",
                                                         "final", "mutable",  "try"};

using Head = std::vector<const Token*>;  // the tokens since the last ';', '{' or '}'

// Walks the tokens of one file at file, namespace and class level; skips over bodies.
class FunctionFinder {
 public:
  explicit FunctionFinder(const Source& source) {
    for (const Token& token : source.tokens) {
      if (!token.in_directive) {
        tokens_.push_back(&token);
      }
    }
  }

  std::vector<Function> run() {
    for (size_t at = 0; at < tokens_.size(); ++at) {
      const std::string& text = tokens_[at]->text;
      if (text == "{") {
        at = open_brace(at);
      } else if (text == ";" && depth_ == 0) {
        head_.clear();
      } else if (text == "}") {
        head_.clear();
      } else if (text == ":" && head_.size() == 1 && is_one_of(head_[0]->text, kAccessWords)) {
        head_.clear();
      } else {
        depth_ += text == "(" ? 1 : (text == ")" ? -1 : 0);
        head_.push_back(tokens_[at]);
      }
    }
    return std::move(functions_);
  }

 private:
  enum class BraceKind { kScope, kFunction, kValue, kMemberInit };

  // Handles the '{' at `at`; returns the index of the last token that it consumed.
  size_t open_brace(size_t at) {
    const BraceKind kind = classify();
    if (kind == BraceKind::kScope) {
      head_.clear();
      return at;
    }
    const size_t close = matching_brace(at);
    if (kind == BraceKind::kFunction) {
      functions_.push_back({function_name(), head_.front()->line, tokens_[close]->line});
      head_.clear();
    } else {
      head_.push_back(tokens_[close]);  // the value is one token of the head, which goes on
    }
    return close;
  }

  size_t matching_brace(size_t at) const {
    int depth = 0;
    for (; at < tokens_.size(); ++at) {
      depth += tokens_[at]->text == "{" ? 1 : (tokens_[at]->text == "}" ? -1 : 0);
      if (depth == 0) {
        return at;
      }
    }
    return tokens_.size() - 1;
  }

  // Index in the head after `template <...>` and `[[...]]`.
  size_t head_begin() const {
    size_t at = 0;
    while (at < head_.size()) {
      if (head_[at]->text == "template") {
        int depth = 0;
        do {
          ++at;
          const std::string_view text = at < head_.size() ? head_[at]->text : ">";
          depth += text == "<" ? 1 : (text == ">" ? -1 : 0);
        } while (depth > 0);
        ++at;
      } else if (head_[at]->text == "[") {
        while (at < head_.size() && head_[at]->text != "]") {
          ++at;
        }
        at += 2;
      } else {
        break;
      }
    }
    return at;
  }

  BraceKind classify() const {
    if (depth_ > 0) {
      return BraceKind::kValue;  // a default argument
    }
    const size_t begin = head_begin();
    if (begin >= head_.size() || head_[begin]->text == "namespace" ||
        (head_[begin]->text == "extern" && head_.back()->kind == Token::Kind::kLiteral) ||
        (head_.size() > begin + 1 && head_[begin]->text == "inline" &&
         head_[begin + 1]->text == "namespace")) {
      return BraceKind::kScope;
    }
    if (is_one_of(head_[begin]->text, kTypeWords)) {
      return BraceKind::kScope;
    }
    return classify_declaration(begin);
  }

  BraceKind classify_declaration(size_t begin) const {
    int depth = 0;
    bool has_parentheses = false;
    for (size_t at = begin; at < head_.size(); ++at) {
      const std::string& text = head_[at]->text;
      if (text == "operator") {
        while (at + 1 < head_.size() && head_[at + 1]->text != "(") {
          ++at;
        }
      } else if (text == "(" || text == ")") {
        depth += text == "(" ? 1 : -1;
        has_parentheses = true;
      } else if (depth == 0 && text == "=") {
        const bool lambda = at + 1 < head_.size() && head_[at + 1]->text == "[";
        return lambda ? BraceKind::kFunction : BraceKind::kValue;
      } else if (depth == 0 && text == ":" && has_parentheses) {
        const Token& last = *head_.back();
        const bool initialises =
            (last.kind == Token::Kind::kWord && !is_one_of(last.text, kBeforeBody)) ||
            last.text == ">";
        return initialises ? BraceKind::kMemberInit : BraceKind::kFunction;
      }
    }
    return has_parentheses ? BraceKind::kFunction : BraceKind::kValue;
  }

  std::string function_name() const {
    int skipped_depth = 0;
    for (size_t at = head_begin() + 1; at < head_.size(); ++at) {
      if (head_[at]->text == ")" && skipped_depth > 0) {
        --skipped_depth;
      }
      if (head_[at]->text == "=" && at + 1 < head_.size() && head_[at + 1]->text == "[") {
        return head_[at - 1]->text;  // a lambda's variable
      }
      if (head_[at]->text != "(") {
        continue;
      }
      if (skipped_depth > 0 || is_one_of(head_[at - 1]->text, kNotNames)) {
        ++skipped_depth;
        continue;
      }
      return name_before(at);
    }
    return head_.back()->text;
  }

  std::string name_before(size_t parenthesis) const {
    const std::string& name = head_[parenthesis - 1]->text;
    if (is_one_of(name, kTestMacros) && parenthesis + 3 < head_.size()) {
      return head_[parenthesis + 1]->text + "." + head_[parenthesis + 3]->text;
    }
    for (size_t back = 1; back <= 3 && back <= parenthesis; ++back) {
      if (head_[parenthesis - back]->text == "operator") {
        std::string symbol = "operator";
        for (size_t at = parenthesis - back + 1; at < parenthesis; ++at) {
          symbol += head_[at]->text;
        }
        return symbol;
      }
    }
    return name;
  }

  std::vector<const Token*> tokens_;
  Head head_;
  int depth_ = 0;  // of parentheses in the head
  std::vector<Function> functions_;
};

}  // namespace

std::vector<Function> find_functions(const Source& source) {
  return FunctionFinder(source).run();
}

}  // namespace invar::tidy
