// The bound and its message.
#include "text/growth_limit.h"

#include <algorithm>

#include "core/error.h"

namespace invar {
namespace {

// Published rules make at most 22 bytes of one: a ligature's compatibility form has 11 times its
// bytes, and spelling these in the byte alphabet doubles them.
constexpr size_t kMostPerByte = 64;
constexpr size_t kMostMore = size_t{64} << 10;  // for what is put in front of a text
constexpr size_t kMost = size_t{1} << 30;

}  // namespace

GrowthLimit::GrowthLimit(std::string_view file, std::string_view field, size_t text_bytes)
    : file_(file),
      field_(field),
      text_bytes_(text_bytes),
      most_(std::min(text_bytes * kMostPerByte + kMostMore, kMost)) {}

void GrowthLimit::refuse_growth(size_t bytes) const {
  fail(Code::kExhausted, "{}{}{}: expected at most {} bytes from a text of {} bytes, found {}",
       file_, field_.empty() ? "" : ": ", field_, most_, text_bytes_, bytes);
}

}  // namespace invar
