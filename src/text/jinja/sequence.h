// Walking, counting, indexing and slicing of values, and search in texts.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

using Items = std::shared_ptr<const std::vector<Value>>;

bool is_iterable(const Value& value);
// What a `for` over the value visits. Nothing for undefined; fails if the value is not iterable.
// An iterator is used up.
Items items_of(Runtime& runtime, const Value& value);
// Items that were made for one walk; they count as living values until it ends.
Items owned_items(Runtime& runtime, std::vector<Value> items);

// len(). Empty if the value has no length.
std::optional<int64_t> length_of(const Value& value);

// value[index], for sequences, texts and ranges; a negative index counts from the end. Empty if out
// of range, or if the value has no positions.
std::optional<Value> item_at(Runtime& runtime, const Value& value, Integer index);

struct SliceBounds {
  Value start;  // kNone if absent; so are the others
  Value stop;
  Value step;
};
// value[start:stop:step]. Empty if the value cannot be sliced.
std::optional<Value> slice_of(Runtime& runtime, const Value& value, const SliceBounds& bounds);

// The first place of `needle` in `text` at or after byte `from`, or npos. Takes (and is charged)
// linear time whatever the texts are.
size_t find_text(Runtime& runtime, std::string_view text, std::string_view needle, size_t from = 0);
// The last place, or npos.
size_t rfind_text(Runtime& runtime, std::string_view text, std::string_view needle);

}  // namespace invar::jinja
