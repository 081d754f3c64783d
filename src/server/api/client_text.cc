// See client_text.h.
#include "server/api/client_text.h"

#include <algorithm>

#include "core/error.h"

namespace invar {

int64_t client_text_bytes_max(int64_t context_positions) {
  constexpr int64_t kBytesAPosition = 64;
  return std::max(int64_t{1} << 20, kBytesAPosition * context_positions);
}

std::vector<int32_t> encode_client_text(const ApiContext& context, std::string_view field,
                                        std::string_view text, EncodeOptions options) {
  const int64_t bytes_max = client_text_bytes_max(context.model.context_positions);
  if (static_cast<int64_t>(text.size()) > bytes_max) {
    fail(Code::kBadArgument,
         "{}: expected at most {} bytes of text (the context has {} tokens), found {}", field,
         bytes_max, context.model.context_positions, text.size());
  }
  return context.model.text->tokenizer.encode(text, options);
}

}  // namespace invar
