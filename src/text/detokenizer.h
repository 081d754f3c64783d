// Text from tokens as they arrive. Never hands out half a character: bytes wait until the character
// is whole. All pieces together equal Tokenizer::decode() of the same ids.
#pragma once

#include <cstdint>
#include <string>

#include "text/token_decoder.h"
#include "text/tokenizer.h"

namespace invar {

// One sequence, one thread. Copies are cheap snapshots.
class Detokenizer {
 public:
  // `tokenizer` must outlive this.
  Detokenizer(const Tokenizer& tokenizer, bool skip_special);

  // The text that becomes final by this token; may be empty.
  std::string push(int32_t id);

  // What is still held back, U+FFFD for bytes that stayed broken; then ready for a new sequence.
  std::string flush();

 private:
  const Tokenizer* tokenizer_;
  bool skip_special_;
  DecodeState state_;
};

}  // namespace invar
