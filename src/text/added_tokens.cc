// The order of the tests (special, single word, then the strips) follows the format's reference.
#include "text/added_tokens.h"

#include <algorithm>

#include "text/char_class.h"
#include "text/utf8.h"

namespace invar {
namespace {

// The character that ends right before `end`.
char32_t code_before(std::string_view text, size_t end) {
  size_t at = end - 1;
  while (at > 0 && (static_cast<uint8_t>(text[at]) & 0xC0) == 0x80) {
    --at;
  }
  return next_code(text, at);
}

char32_t code_at(std::string_view text, size_t at) {
  return next_code(text, at);
}

bool touches_word(std::string_view text, const ByteTrie::Match& match) {
  return (match.begin > 0 && is_word(code_before(text, match.begin))) ||
         (match.end < text.size() && is_word(code_at(text, match.end)));
}

size_t skip_space_back(std::string_view text, size_t from, size_t stop) {
  while (from > stop && is_whitespace(code_before(text, from))) {
    do {
      --from;
    } while (from > stop && (static_cast<uint8_t>(text[from]) & 0xC0) == 0x80);
  }
  return from;
}

size_t skip_space(std::string_view text, size_t at) {
  while (at < text.size()) {
    size_t next = at;
    if (!is_whitespace(next_code(text, next))) {
      break;
    }
    at = next;
  }
  return at;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens,
                         const std::vector<NormalizerStep>& normalizer, std::string_view file)
    : tokens_(std::move(tokens)) {
  StopCheck never;
  std::vector<ByteTrie::Entry> plain;
  std::vector<ByteTrie::Entry> normalized;
  for (size_t i = 0; i < tokens_.size(); ++i) {
    AddedToken& token = tokens_[i];
    by_id_.insert_or_assign(token.id, i);
    by_content_.insert_or_assign(token.content, i);
    const int32_t index = static_cast<int32_t>(i);
    if (!token.normalized) {
      plain.push_back({token.content, index});
      continue;
    }
    std::string content = token.content;
    normalize_text(normalizer, file, content, never);
    if (content.empty()) {
      continue;  // cannot be found in any text
    }
    if (content != token.content) {
      token.decoded = std::move(content);
    }
    normalized.push_back({token.decoded.empty() ? token.content : token.decoded, index});
  }
  plain_ = ByteTrie(std::move(plain));
  normalized_ = ByteTrie(std::move(normalized));
}

void AddedTokens::split(std::string_view text, SplitOptions options,
                        std::vector<TextSection>& sections, StopCheck& stop) const {
  const ByteTrie& matcher = options.normalized ? normalized_ : plain_;
  size_t done = 0;
  size_t at = 0;
  while (!matcher.empty()) {
    stop.step();
    const std::optional<ByteTrie::Match> match = matcher.find(text, at);
    if (!match.has_value()) {
      break;
    }
    at = match->end;
    const AddedToken& token = tokens_[static_cast<size_t>(match->value)];
    if ((token.special && !options.parse_special) ||
        (token.single_word && touches_word(text, *match))) {
      continue;
    }
    // White space that an earlier token has taken stays with it.
    const size_t begin =
        token.lstrip ? std::max(skip_space_back(text, match->begin, done), done) : match->begin;
    const size_t end = token.rstrip ? skip_space(text, match->end) : match->end;
    if (done < begin) {
      sections.push_back({text.substr(done, begin - done), std::nullopt});
    }
    if (begin < end) {  // else the token before has swallowed it as white space
      sections.push_back({text.substr(begin, end - begin), token.id});
    }
    done = end;
  }
  if (done < text.size()) {
    sections.push_back({text.substr(done), std::nullopt});
  }
}

const AddedToken* AddedTokens::find(int32_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &tokens_[found->second];
}

const AddedToken* AddedTokens::find(std::string_view content) const {
  const auto found = by_content_.find(content);
  return found == by_content_.end() ? nullptr : &tokens_[found->second];
}

}  // namespace invar
