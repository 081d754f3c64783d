// Filters on sequences and on any value (filters.h): attr, batch, count, default, first, items,
// join, last, length, list, reverse, slice.
#include <algorithm>
#include <array>

#include "text/jinja/access.h"
#include "text/jinja/attribute_path.h"
#include "text/jinja/compare.h"
#include "text/jinja/filters.h"
#include "text/jinja/parameters.h"
#include "text/jinja/runtime.h"
#include "text/jinja/sequence.h"
#include "text/jinja/to_text.h"
#include "text/jinja/unicode.h"

namespace invar::jinja {
namespace {

Value attr_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "attr", arguments, {"name"});
  if (value.is(Kind::kDict) && value.dict().find(parameters.text(0)) != nullptr) {
    return undefined_because(
        fmt::format("'dict object' has no attribute '{}'", parameters.text(0)));
  }
  return attribute_of(runtime, value, parameters.text(0));
}

Value batch_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "batch", arguments, {"linecount", "fill_with"});
  parameters.at(0);
  const auto width = static_cast<size_t>(std::max<int64_t>(parameters.count(0, 1), 1));
  const Value filler = parameters.get(1, Value::none());
  const Items items = items_of(runtime, value);
  std::vector<Value> rows;
  rows.reserve(items->size() / width + 1);
  for (size_t begin = 0; begin < items->size(); begin += width) {
    const size_t end = std::min(begin + width, items->size());
    std::vector<Value> row(items->begin() + static_cast<std::ptrdiff_t>(begin),
                           items->begin() + static_cast<std::ptrdiff_t>(end));
    if (!filler.is_none()) {
      runtime.check_item_count(static_cast<int64_t>(width));
      row.resize(width, filler);
    }
    rows.push_back(runtime.list(std::move(row)));
  }
  return runtime.iterator(std::move(rows));
}

Value slice_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "slice", arguments, {"slices", "fill_with"});
  parameters.at(0);
  const int64_t slices = parameters.count(0, 1);
  if (slices < 1 || slices > runtime.limits().range_length) {
    runtime.fail("slice takes 1 to {} slices, not {}", runtime.limits().range_length, slices);
  }
  const Value filler = parameters.get(1, Value::none());
  const Items items = items_of(runtime, value);
  const auto length = static_cast<int64_t>(items->size());
  std::vector<Value> columns;
  auto next = items->begin();
  for (int64_t i = 0; i < slices; ++i) {
    runtime.step();
    const bool has_extra = i < length % slices;
    std::vector<Value> column(next, next + length / slices + has_extra);
    next += length / slices + has_extra;
    if (!filler.is_none() && !has_extra) {
      column.push_back(filler);
    }
    columns.push_back(runtime.list(std::move(column)));
  }
  return runtime.iterator(std::move(columns));
}

Value default_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "default", arguments, {"default_value", "boolean"});
  const bool absent = value.is_undefined() || (parameters.truth(1, false) && !is_true(value));
  return absent ? parameters.get(0, runtime.text("")) : value;
}

Value first_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "first", arguments, {});
  if (value.is(Kind::kIterator)) {  // takes one item only
    IteratorObject& iterator = value.iterator();
    return iterator.next < iterator.items.size()
               ? iterator.items[iterator.next++]
               : undefined_because("No first item, sequence was empty.");
  }
  if (value.is_text()) {
    return item_at(runtime, value, 0)
        .value_or(undefined_because("No first item, sequence was empty."));
  }
  const Items items = items_of(runtime, value);
  return items->empty() ? undefined_because("No first item, sequence was empty.") : items->front();
}

Value last_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "last", arguments, {});
  if (value.is(Kind::kIterator)) {
    runtime.fail("'generator' object is not reversible");
  }
  if (value.is_text()) {
    return item_at(runtime, value, -1)
        .value_or(undefined_because("No last item, sequence was empty."));
  }
  const Items items = items_of(runtime, value);
  return items->empty() ? undefined_because("No last item, sequence was empty.") : items->back();
}

Value items_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "items", arguments, {});
  if (value.is_undefined()) {
    return runtime.iterator({});
  }
  if (!value.is(Kind::kDict)) {
    runtime.fail("Can only get item pairs from a mapping, not from {}", type_name(value));
  }
  return runtime.iterator(*items_of(runtime, runtime.dict_view(value, DictPart::kItems)));
}

Value join_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "join", arguments, {"d", "attribute"});
  const Value separator = to_str(runtime, parameters.get(0, runtime.text("")));
  const AttributePath path(runtime, parameters.get(1, Value::none()));
  const Items items = items_of(runtime, value);
  TextBuilder text(runtime);
  bool first = true;
  for (const Value& item : *items) {
    runtime.step();
    if (!first) {
      text.append(separator.text());
    }
    first = false;
    append_str(text, runtime, path.of(item));
  }
  return text.take_value();
}

Value length_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "length", arguments, {});
  const std::optional<int64_t> length = length_of(value);
  if (!length.has_value()) {
    runtime.fail("object of type '{}' has no len()", type_name(value));
  }
  return Value::of(*length);
}

Value list_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "list", arguments, {});
  return runtime.list(*items_of(runtime, value));
}

Value reverse_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "reverse", arguments, {});
  if (value.is_text()) {
    SliceBounds backwards;
    backwards.start = Value::none();
    backwards.stop = Value::none();
    backwards.step = Value::of(Integer{-1});
    return *slice_of(runtime, value, backwards);
  }
  std::vector<Value> items = *items_of(runtime, value);
  std::reverse(items.begin(), items.end());
  // What cannot be walked backwards is reversed as a list.
  return value.is(Kind::kIterator) ? runtime.list(std::move(items))
                                   : runtime.iterator(std::move(items));
}

constexpr std::array kFilters = {
    Filter{"attr", attr_filter},       Filter{"batch", batch_filter},
    Filter{"count", length_filter},    Filter{"d", default_filter},
    Filter{"default", default_filter}, Filter{"first", first_filter},
    Filter{"items", items_filter},     Filter{"join", join_filter},
    Filter{"last", last_filter},       Filter{"length", length_filter},
    Filter{"list", list_filter},       Filter{"reverse", reverse_filter},
    Filter{"slice", slice_filter},
};

}  // namespace

std::span<const Filter> sequence_filters() {
  return kFilters;
}

}  // namespace invar::jinja
