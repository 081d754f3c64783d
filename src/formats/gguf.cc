// Lookups in a parsed GGUF file (gguf.h). Parsing is in gguf_parser.cc.
#include "formats/gguf.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.h"
#include "formats/printable.h"

namespace invar {
namespace {

template <class T>
std::vector<int64_t> widen(const GgufValue& value) {
  const std::vector<T> numbers = value.numbers<T>();
  return {numbers.begin(), numbers.end()};
}

}  // namespace

const GgufTensor* GgufFile::find_tensor(std::string_view name) const {
  const auto found = std::lower_bound(
      tensors_by_name_.begin(), tensors_by_name_.end(), name,
      [this](size_t index, std::string_view wanted) { return tensors_[index].name < wanted; });
  if (found == tensors_by_name_.end() || tensors_[*found].name != name) {
    return nullptr;
  }
  return &tensors_[*found];
}

const GgufValue* GgufFile::find_value(std::string_view key) const {
  const auto found = std::lower_bound(
      entries_by_key_.begin(), entries_by_key_.end(), key,
      [this](size_t index, std::string_view wanted) { return entries_[index].key < wanted; });
  if (found == entries_by_key_.end() || entries_[*found].key != key) {
    return nullptr;
  }
  return &entries_[*found].value;
}

std::string GgufFile::type_text(GgufType type) {
  return std::string(gguf_type_name(type));
}

std::string GgufFile::array_text(GgufType element_type) {
  return fmt::format("array of {}", gguf_type_name(element_type));
}

void GgufFile::wrong_type(const Mismatch& mismatch) const {
  fail(Code::kBadFile, "{}: key '{}': expected {}, found {}", label_, printable(mismatch.key),
       mismatch.expected, mismatch.found);
}

const GgufValue* GgufFile::find_typed(std::string_view key, GgufType type) const {
  const GgufValue* value = find_value(key);
  if (value != nullptr && value->type != type) {
    wrong_type({.key = key, .expected = type_text(type), .found = value->type_text()});
  }
  return value;
}

const GgufValue* GgufFile::find_array_typed(std::string_view key, GgufType element_type) const {
  const GgufValue* value = find_value(key);
  if (value != nullptr && !value->is_array_of(element_type)) {
    wrong_type({.key = key, .expected = array_text(element_type), .found = value->type_text()});
  }
  return value;
}

std::optional<std::string_view> GgufFile::find_string(std::string_view key) const {
  const GgufValue* value = find_typed(key, GgufType::kString);
  return value == nullptr ? std::nullopt : std::optional(value->string());
}

std::string_view GgufFile::get_string(std::string_view key) const {
  return required(find_string(key), {.key = key, .expected = "string"});
}

int64_t GgufFile::integer_of(std::string_view key, const GgufValue& value) const {
  switch (value.type) {
    case GgufType::kU8:
      return value.scalar<uint8_t>();
    case GgufType::kI8:
      return value.scalar<int8_t>();
    case GgufType::kU16:
      return value.scalar<uint16_t>();
    case GgufType::kI16:
      return value.scalar<int16_t>();
    case GgufType::kU32:
      return value.scalar<uint32_t>();
    case GgufType::kI32:
      return value.scalar<int32_t>();
    case GgufType::kI64:
      return value.scalar<int64_t>();
    case GgufType::kU64: {
      const auto number = value.scalar<uint64_t>();
      if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        wrong_type(
            {.key = key, .expected = "an integer below 2^63", .found = fmt::format("{}", number)});
      }
      return static_cast<int64_t>(number);
    }
    default:
      wrong_type({.key = key, .expected = "an integer", .found = value.type_text()});
  }
}

std::optional<int64_t> GgufFile::find_integer(std::string_view key) const {
  const GgufValue* value = find_value(key);
  return value == nullptr ? std::nullopt : std::optional(integer_of(key, *value));
}

int64_t GgufFile::get_integer(std::string_view key) const {
  return required(find_integer(key), {.key = key, .expected = "an integer"});
}

std::optional<std::vector<std::string_view>> GgufFile::find_strings(std::string_view key) const {
  const GgufValue* value = find_array_typed(key, GgufType::kString);
  return value == nullptr ? std::nullopt : std::optional(value->strings());
}

std::vector<std::string_view> GgufFile::get_strings(std::string_view key) const {
  return required(find_strings(key), {.key = key, .expected = "array of string"});
}

std::optional<std::vector<int64_t>> GgufFile::find_integers(std::string_view key) const {
  const GgufValue* value = find_value(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  const GgufType type = value->type == GgufType::kArray ? value->element_type : GgufType::kArray;
  switch (type) {
    case GgufType::kU8:
      return widen<uint8_t>(*value);
    case GgufType::kI8:
      return widen<int8_t>(*value);
    case GgufType::kU16:
      return widen<uint16_t>(*value);
    case GgufType::kI16:
      return widen<int16_t>(*value);
    case GgufType::kU32:
      return widen<uint32_t>(*value);
    case GgufType::kI32:
      return widen<int32_t>(*value);
    case GgufType::kI64:
      return widen<int64_t>(*value);
    default:
      // u64 too: no writer uses it for arrays, and its values might not fit.
      wrong_type({.key = key, .expected = "array of integers", .found = value->type_text()});
  }
}

std::vector<int64_t> GgufFile::get_integers(std::string_view key) const {
  return required(find_integers(key), {.key = key, .expected = "array of integers"});
}

void GgufFile::drop_pages(const GgufTensor& tensor) const {
  if (mapping_) {
    mapping_->drop_pages(tensor.data);
  }
}

}  // namespace invar
