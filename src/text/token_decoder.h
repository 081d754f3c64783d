// Turns token texts back into text, one token at a time. Whole decoding and streaming are the same
// code, so they cannot disagree: a state takes tokens and hands out text as soon as it is final.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "text/regex.h"

namespace invar {

// The stages take a sequence of elements (first the tokens' texts) and pass elements on.
struct ByteLevelDecode {};     // bytes spelled in the byte alphabet; all elements become one
struct ByteFallbackDecode {};  // a run of <0xNN> is text if it is UTF-8, else U+FFFD a byte
struct FuseDecode {};          // all elements become one
struct StripDecode {           // up to so many `content` characters at each element's ends
  char32_t content = U' ';
  size_t start = 0;
  size_t stop = 0;
};
struct ReplaceDecode {
  Regex regex;
  std::string content;
};
struct MetaspaceDecode {  // marks become spaces; those of the first element vanish if drop_first
  std::string replacement;
  bool drop_first = true;
};
struct WordPieceDecode {  // a space before each element that does not continue a word
  std::string prefix;
  bool cleanup = true;
};
struct SuffixDecode {  // `suffix` becomes a space, in the last element nothing
  std::string suffix;
};
struct JoinDecode {};  // a space between elements: what is done where a file names no decoder

using DecodeStage =
    std::variant<ByteLevelDecode, ByteFallbackDecode, FuseDecode, StripDecode, ReplaceDecode,
                 MetaspaceDecode, WordPieceDecode, SuffixDecode, JoinDecode>;

// What one decoding remembers between tokens. One thread.
class DecodeState {
 private:
  friend class TokenDecoder;
  struct Stage {
    std::string element;       // the element at hand, where a stage needs the whole of it
    std::string pending;       // earlier elements' text that may still change
    bool has_pending = false;  // `pending` counts, even if empty
    size_t elements = 0;       // ended so far
    size_t cut = 0;            // StripDecode: characters cut from this element's start
    bool started = false;      // StripDecode: the element's start is done
  };
  std::vector<Stage> stages_;
  size_t bytes_ = 0;  // of all tokens so far
};

class TokenDecoder {
 public:
  explicit TokenDecoder(std::vector<DecodeStage> stages = {JoinDecode{}});

  // What becomes of bytes that are not UTF-8.
  enum class Broken { kReplaced, kKept };

  // Appends to `out` what becomes final by this token. `broken` stays the same for a whole text.
  // Error kExhausted, as from finish(), if a ReplaceDecode makes the text too long.
  void push(DecodeState& state, std::string_view token, Broken broken, std::string& out) const;

  // Ends the text: appends what was held back, and resets the state.
  void finish(DecodeState& state, Broken broken, std::string& out) const;

  // The bytes that this token alone adds in the middle of a text.
  std::string middle_bytes(std::string_view token) const;

  const std::vector<DecodeStage>& stages() const { return stages_; }

 private:
  class Runner;
  std::vector<DecodeStage> stages_;
};

}  // namespace invar
