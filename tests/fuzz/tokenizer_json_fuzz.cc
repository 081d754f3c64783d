// Fuzz target: tokenizer.json. What is accepted must encode and decode any text without a crash,
// streaming must equal whole decoding, and decoded text must be UTF-8.
#include <array>
#include <cstdint>
#include <string_view>

#include "core/error.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace {

constexpr auto kTexts = std::to_array<std::string_view>({
    "",
    "Hello,  world's <s> 123",
    "na\xC3\xAFve \xE4\xB8\xAD\xE6\x96\x87 e\xCC\x81 \xF0\x9F\x98\x80\r\n\t ",
    "\xE2\x96\x81 a\xFF\xE2\x82 b<0x41>##",
});

void check(const invar::Tokenizer& tokenizer, std::string_view text) {
  const std::vector<int32_t> ids = tokenizer.encode(text, {.add_special_tokens = true});
  for (const bool skip_special : {false, true}) {
    const std::string whole = tokenizer.decode(ids, skip_special);
    INVAR_CHECK(invar::utf8_is_valid(whole), "decoded text is not UTF-8");
    invar::Detokenizer stream(tokenizer, skip_special);
    std::string pieces;
    for (const int32_t id : ids) {
      const std::string piece = stream.push(id);
      INVAR_CHECK(invar::utf8_is_valid(piece), "a streamed piece is not UTF-8");
      pieces += piece;
    }
    INVAR_CHECK(pieces + stream.flush() == whole, "streaming differs");
  }
  for (const int32_t id : ids) {
    tokenizer.token_bytes(id);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  try {
    const invar::Tokenizer tokenizer =
        invar::tokenizer_from_json_text({.label = "fuzz.json", .tokenizer = json});
    for (const std::string_view text : kTexts) {
      check(tokenizer, text);
    }
  } catch (const invar::Error&) {
    // The expected end of a malformed input, or of a pattern that needs too many steps.
  }
  return 0;
}
