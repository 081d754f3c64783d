// Test support: small tokenizer.json texts, and the errors that reading them gives.
#pragma once

#include <string>
#include <string_view>

#include "formats/expect_error.h"
#include "text/tokenizer.h"

namespace invar::test {

// The members of tokenizer.json as JSON texts; null stands for a missing one.
struct SmallTokenizer {
  std::string_view normalizer = "null";
  std::string_view pre_tokenizer = "null";
  std::string_view post_processor = "null";
  std::string_view decoder = "null";
  std::string_view added_tokens = "[]";
  std::string_view model =
      R"({"type": "WordLevel", "vocab": {"<unk>": 0, "a": 1, "b": 2}, "unk_token": "<unk>"})";
};

inline std::string json_of(const SmallTokenizer& small) {
  return fmt::format(
      R"({{"normalizer": {}, "pre_tokenizer": {}, "post_processor": {}, "decoder": {},)"
      R"( "added_tokens": {}, "model": {}}})",
      small.normalizer, small.pre_tokenizer, small.post_processor, small.decoder,
      small.added_tokens, small.model);
}

inline Tokenizer tokenizer_of(const SmallTokenizer& small) {
  const std::string json = json_of(small);
  return tokenizer_from_json_text({.label = "t.json", .tokenizer = json});
}

// Reading must fail with this code and message (which begins with "t.json: ").
inline void expect_refused(const SmallTokenizer& small, Code code, const std::string& message) {
  expect_error([&] { tokenizer_of(small); }, code, "t.json: " + message);
}

}  // namespace invar::test
