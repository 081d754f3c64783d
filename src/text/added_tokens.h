// Tokens that are found in the text itself before any model sees it: special tokens and others that
// a file adds to its model's vocabulary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/byte_trie.h"
#include "text/normalizer.h"

namespace invar {

struct AddedToken {
  std::string content;
  int32_t id = -1;
  bool single_word = false;  // only where no word character touches it
  bool lstrip = false;       // takes the white space before it
  bool rstrip = false;       // takes the white space after it
  bool normalized = false;   // is searched for, in normalized form, in normalized text
  bool special = false;      // can be left out when decoding
  std::string decoded;       // what the decoder sees in place of the content; empty: the content
};

// A part of a text: a token, or text between tokens.
struct TextSection {
  std::string_view text;
  std::optional<int32_t> token;
};

// Const use is safe from many threads.
class AddedTokens {
 public:
  AddedTokens() = default;
  AddedTokens(AddedTokens&&) = default;
  AddedTokens& operator=(AddedTokens&&) = default;

  // `normalizer` is applied to the tokens that say so; the decoder then sees the normalized form.
  // `file` is for messages.
  AddedTokens(std::vector<AddedToken> tokens, const std::vector<NormalizerStep>& normalizer,
              std::string_view file);

  // Appends the sections of `text`, in order and without empty ones between tokens. `normalized`:
  // which of the two kinds of tokens to look for. Special tokens are text unless parse_special.
  struct SplitOptions {
    bool normalized = false;
    bool parse_special = true;
  };
  void split(std::string_view text, SplitOptions options, std::vector<TextSection>& sections,
             StopCheck& stop) const;

  const std::vector<AddedToken>& tokens() const { return tokens_; }

  // The token of this id or of this content, or null.
  const AddedToken* find(int32_t id) const;
  const AddedToken* find(std::string_view content) const;

 private:
  std::vector<AddedToken> tokens_;
  std::unordered_map<int32_t, size_t> by_id_;
  std::unordered_map<std::string_view, size_t> by_content_;  // views of tokens_
  ByteTrie plain_;                                           // values are indices of tokens_
  ByteTrie normalized_;
};

}  // namespace invar
