// The decoder's state machine with a vocabulary in front.
#include "text/detokenizer.h"

#include "text/tokenizer_parts.h"

namespace invar {

Detokenizer::Detokenizer(const Tokenizer& tokenizer, bool skip_special)
    : tokenizer_(&tokenizer), skip_special_(skip_special) {}

std::string Detokenizer::push(int32_t id) {
  std::string out;
  const TokenizerParts& parts = tokenizer_->parts();
  const std::optional<std::string_view> token = decoder_text(parts, id);
  if (token.has_value() && !(skip_special_ && tokenizer_->is_special(id))) {
    parts.decoder.push(state_, *token, TokenDecoder::Broken::kReplaced, out);
  }
  return out;
}

std::string Detokenizer::flush() {
  std::string out;
  tokenizer_->parts().decoder.finish(state_, TokenDecoder::Broken::kReplaced, out);
  return out;
}

}  // namespace invar
