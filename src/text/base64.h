// Base64 (RFC 4648, with padding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace invar {

// The bytes, or nothing if `text` is not base64.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

}  // namespace invar
