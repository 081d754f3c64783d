// Walking, counting, indexing and slicing (sequence.h).
#include "text/jinja/sequence.h"

#include <algorithm>
#include <cstring>

#include "text/jinja/runtime.h"
#include "text/jinja/unicode.h"

namespace invar::jinja {
namespace {

// Shares the vector of a list that the value keeps alive.
Items shared_items(const Value& value) {
  return Items(std::make_shared<Value>(value), &value.items());
}

std::vector<Value> characters(Runtime& runtime, const std::string& text) {
  runtime.charge_text(text.size());
  runtime.check_item_count(static_cast<int64_t>(code_point_count(text)));
  std::vector<Value> result;
  for (size_t position = 0; position < text.size();) {
    const size_t begin = position;
    next_code_point(text, position);
    result.push_back(runtime.text(text.substr(begin, position - begin)));
    runtime.step();
  }
  return result;
}

Items part_items(Runtime& runtime, const DictObject& dict, DictPart part) {
  std::vector<Value> result;
  for (const auto& [key, value] : dict.entries) {
    runtime.step();
    result.push_back(part == DictPart::kKeys     ? key
                     : part == DictPart::kValues ? value
                                                 : runtime.tuple({key, value}));
  }
  return owned_items(runtime, std::move(result));
}

// The part of an iterator that has not been visited.
std::vector<Value> use_up(IteratorObject& iterator) {
  std::vector<Value> rest(iterator.items.begin() + static_cast<std::ptrdiff_t>(iterator.next),
                          iterator.items.end());
  iterator.next = iterator.items.size();
  return rest;
}

struct Positions {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};

int64_t clamped(Runtime& runtime, const Value& bound, int64_t if_none, int64_t low, int64_t high,
                int64_t length) {
  if (bound.is_none()) {
    return if_none;
  }
  if (!bound.is_integral()) {
    runtime.require_defined(bound);
    runtime.fail("slice indices must be integers or None, not {}", type_name(bound));
  }
  Integer index = bound.integer();
  if (index < 0) {
    index += length;
  }
  return static_cast<int64_t>(std::clamp<Integer>(index, low, high));
}

// Python's slice.indices().
Positions slice_positions(Runtime& runtime, const SliceBounds& bounds, int64_t length) {
  Positions positions;
  if (!bounds.step.is_none()) {
    if (!bounds.step.is_integral()) {
      runtime.require_defined(bounds.step);
      runtime.fail("slice indices must be integers or None, not {}", type_name(bounds.step));
    }
    const Integer step = bounds.step.integer();
    if (step == 0) {
      runtime.fail("slice step cannot be zero");
    }
    // A step past the length visits one item either way.
    positions.step = static_cast<int64_t>(std::clamp<Integer>(step, -length - 1, length + 1));
  }
  const bool forward = positions.step > 0;
  const int64_t low = forward ? 0 : -1;
  const int64_t high = forward ? length : length - 1;
  positions.start = clamped(runtime, bounds.start, forward ? low : high, low, high, length);
  const int64_t stop = clamped(runtime, bounds.stop, forward ? high : low, low, high, length);
  const int64_t distance = forward ? stop - positions.start : positions.start - stop;
  const int64_t stride = forward ? positions.step : -positions.step;
  positions.count = distance > 0 ? (distance - 1) / stride + 1 : 0;
  return positions;
}

Value slice_text(Runtime& runtime, const Value& value, const SliceBounds& bounds) {
  const std::string& text = value.text();
  runtime.charge_text(text.size());
  const int64_t length = static_cast<int64_t>(code_point_count(text));
  const Positions positions = slice_positions(runtime, bounds, length);
  if (positions.count == 0) {
    return runtime.text("", value.is_markup());
  }
  if (positions.step == 1) {
    const size_t begin = code_point_offset(text, positions.start);
    const auto rest = std::string_view(text).substr(begin);
    return runtime.text(std::string(rest.substr(0, code_point_offset(rest, positions.count))),
                        value.is_markup());
  }
  std::vector<uint32_t> offsets;  // of each code point and of the end
  offsets.reserve(static_cast<size_t>(length) + 1);
  for (size_t position = 0; position < text.size();) {
    offsets.push_back(static_cast<uint32_t>(position));
    next_code_point(text, position);
  }
  offsets.push_back(static_cast<uint32_t>(text.size()));
  TextBuilder result(runtime);
  for (int64_t i = 0; i < positions.count; ++i) {
    const auto index = static_cast<size_t>(positions.start + i * positions.step);
    result.append(
        std::string_view(text).substr(offsets[index], offsets[index + 1] - offsets[index]));
  }
  return result.take_value(value.is_markup());
}

}  // namespace

Items owned_items(Runtime& runtime, std::vector<Value> items) {
  return shared_items(runtime.tuple(std::move(items)));
}

bool is_iterable(const Value& value) {
  switch (value.kind()) {
    case Kind::kNone:
    case Kind::kBool:
    case Kind::kInteger:
    case Kind::kFloat:
    case Kind::kNamespace:
    case Kind::kLoop:
    case Kind::kCallable:
      return false;
    default:
      return true;
  }
}

Items items_of(Runtime& runtime, const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return std::make_shared<std::vector<Value>>();
    case Kind::kText:
      return owned_items(runtime, characters(runtime, value.text()));
    case Kind::kList:
    case Kind::kTuple:
      return shared_items(value);
    case Kind::kDict:
      return part_items(runtime, value.dict(), DictPart::kKeys);
    case Kind::kDictView:
      return part_items(runtime, value.dict_view().dict.dict(), value.dict_view().part);
    case Kind::kRange: {
      const RangeObject& range = value.range();
      std::vector<Value> items;
      items.reserve(static_cast<size_t>(range.length));
      for (int64_t i = 0; i < range.length; ++i) {
        items.push_back(Value::of(range.at(i)));
      }
      return owned_items(runtime, std::move(items));
    }
    case Kind::kIterator:
      return owned_items(runtime, use_up(value.iterator()));
    default:
      runtime.fail("'{}' object is not iterable", type_name(value));
  }
}

std::optional<int64_t> length_of(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return 0;
    case Kind::kText:
      return static_cast<int64_t>(code_point_count(value.text()));
    case Kind::kList:
    case Kind::kTuple:
      return static_cast<int64_t>(value.items().size());
    case Kind::kDict:
      return static_cast<int64_t>(value.dict().entries.size());
    case Kind::kDictView:
      return length_of(value.dict_view().dict);
    case Kind::kRange:
      return value.range().length;
    case Kind::kLoop:
      return static_cast<int64_t>(value.loop().items->size());
    default:
      return std::nullopt;
  }
}

std::optional<Value> item_at(Runtime& runtime, const Value& value, Integer index) {
  const bool indexable = value.is_sequence() || value.is_text() || value.is(Kind::kRange);
  if (!indexable) {
    return std::nullopt;
  }
  const int64_t length = *length_of(value);
  if (index < 0) {
    index += length;
  }
  if (index < 0 || index >= length) {
    return std::nullopt;
  }
  const auto position = static_cast<int64_t>(index);
  if (value.is_sequence()) {
    return value.items()[static_cast<size_t>(position)];
  }
  if (value.is(Kind::kRange)) {
    return Value::of(value.range().at(position));
  }
  runtime.charge_text(value.text().size());
  const size_t begin = code_point_offset(value.text(), position);
  size_t end = begin;
  next_code_point(value.text(), end);
  return runtime.text(value.text().substr(begin, end - begin), value.is_markup());
}

std::optional<Value> slice_of(Runtime& runtime, const Value& value, const SliceBounds& bounds) {
  if (value.is_text()) {
    return slice_text(runtime, value, bounds);
  }
  if (value.is_sequence()) {
    const auto& items = value.items();
    const Positions positions =
        slice_positions(runtime, bounds, static_cast<int64_t>(items.size()));
    runtime.check_item_count(positions.count);
    std::vector<Value> result;
    result.reserve(static_cast<size_t>(positions.count));
    for (int64_t i = 0; i < positions.count; ++i) {
      result.push_back(items[static_cast<size_t>(positions.start + i * positions.step)]);
    }
    return runtime.sequence(value.kind(), std::move(result));
  }
  if (value.is(Kind::kRange)) {
    const RangeObject& range = value.range();
    const Positions positions = slice_positions(runtime, bounds, range.length);
    const Integer start = range.at(positions.start);
    const Integer step = range.step * positions.step;
    return runtime.range(start, start + step * positions.count, step);
  }
  return std::nullopt;
}

size_t find_text(Runtime& runtime, std::string_view text, std::string_view needle, size_t from) {
  if (from > text.size()) {
    return std::string_view::npos;
  }
  const void* found = memmem(text.data() + from, text.size() - from, needle.data(), needle.size());
  const size_t place = found == nullptr
                           ? std::string_view::npos
                           : static_cast<size_t>(static_cast<const char*>(found) - text.data());
  runtime.charge_text(std::min(place, text.size()) - from + needle.size());
  return place;
}

size_t rfind_text(Runtime& runtime, std::string_view text, std::string_view needle) {
  // A forward search through the mirrored texts: it is linear, which a backward search is not.
  const std::string mirrored_text(text.rbegin(), text.rend());
  const std::string mirrored_needle(needle.rbegin(), needle.rend());
  const size_t found = find_text(runtime, mirrored_text, mirrored_needle);
  return found == std::string_view::npos ? found : text.size() - found - needle.size();
}

}  // namespace invar::jinja
