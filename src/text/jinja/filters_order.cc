// Filters that put items in order (filters.h): dictsort, groupby, max, min, sort, unique.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "text/jinja/attribute_path.h"
#include "text/jinja/compare.h"
#include "text/jinja/filters.h"
#include "text/jinja/letter_case.h"
#include "text/jinja/parameters.h"
#include "text/jinja/runtime.h"
#include "text/jinja/sequence.h"
#include "text/jinja/unicode.h"

namespace invar::jinja {
namespace {

// Texts compare without their case unless the caller wants it.
Value case_key(Runtime& runtime, const Value& value, bool case_sensitive) {
  if (case_sensitive || !value.is_text()) {
    return value;
  }
  return runtime.text(to_lower(value.text()));
}

// The places of `keys` in ascending order; equal keys keep theirs, reversed or not.
std::vector<size_t> sorted_places(Runtime& runtime, const std::vector<Value>& keys, bool reverse) {
  std::vector<size_t> places(keys.size());
  for (size_t i = 0; i < places.size(); ++i) {
    places[i] = i;
  }
  std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) {
    return reverse ? less(runtime, keys[b], keys[a]) : less(runtime, keys[a], keys[b]);
  });
  return places;
}

Value pick(Runtime& runtime, const std::vector<Value>& items, const std::vector<size_t>& places) {
  std::vector<Value> result;
  result.reserve(places.size());
  for (const size_t place : places) {
    result.push_back(items[place]);
  }
  return runtime.list(std::move(result));
}

// "a,b" sorts by a, then by b.
std::vector<AttributePath> sort_paths(Runtime& runtime, const Value& attribute) {
  std::vector<AttributePath> paths;
  if (!attribute.is_text()) {
    paths.emplace_back(runtime, attribute);
    return paths;
  }
  std::string_view rest = attribute.text();
  while (true) {
    const size_t comma = rest.find(',');
    paths.emplace_back(runtime, runtime.text(std::string(rest.substr(0, comma))));
    if (comma == std::string_view::npos) {
      return paths;
    }
    rest.remove_prefix(comma + 1);
  }
}

Value sort_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "sort", arguments,
                              {"reverse", "case_sensitive", "attribute"});
  const std::vector<AttributePath> paths = sort_paths(runtime, parameters.get(2, Value::none()));
  const Items items = items_of(runtime, value);
  std::vector<Value> keys;
  for (const Value& item : *items) {
    std::vector<Value> parts;
    for (const AttributePath& path : paths) {
      parts.push_back(case_key(runtime, path.of(item), parameters.truth(1, false)));
    }
    keys.push_back(runtime.list(std::move(parts)));
  }
  return pick(runtime, *items, sorted_places(runtime, keys, parameters.truth(0, false)));
}

Value dictsort_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "dictsort", arguments, {"case_sensitive", "by", "reverse"});
  const std::string by = parameters.text(1, "key");
  if (by != "key" && by != "value") {
    runtime.fail("dictsort sorts by 'key' or 'value', not by '{}'", by);
  }
  if (!value.is(Kind::kDict)) {
    runtime.require_defined(value);
    runtime.fail("'{}' object has no attribute 'items'", type_name(value));
  }
  std::vector<Value> pairs;
  std::vector<Value> keys;
  for (const auto& [key, item] : value.dict().entries) {
    pairs.push_back(runtime.tuple({key, item}));
    keys.push_back(case_key(runtime, by == "key" ? key : item, parameters.truth(0, false)));
  }
  return pick(runtime, pairs, sorted_places(runtime, keys, parameters.truth(2, false)));
}

Value groupby_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "groupby", arguments,
                              {"attribute", "default", "case_sensitive"});
  const AttributePath path(runtime, parameters.at(0));
  const Value if_undefined = parameters.get(1, Value::none());
  const Items items = items_of(runtime, value);
  std::vector<Value> keys;
  for (const Value& item : *items) {
    keys.push_back(case_key(runtime, path.of(item, if_undefined), parameters.truth(2, false)));
  }
  const std::vector<size_t> places = sorted_places(runtime, keys, false);
  std::vector<Value> groups;
  for (size_t begin = 0; begin < places.size();) {
    // A key that is unequal to itself (nan) makes a group of its own.
    size_t end = begin + 1;
    std::vector<Value> members = {(*items)[places[begin]]};
    while (end < places.size() && equal(runtime, keys[places[begin]], keys[places[end]])) {
      members.push_back((*items)[places[end++]]);
    }
    Value grouper = path.of(members.front(), if_undefined);
    groups.push_back(runtime.group(std::move(grouper), runtime.list(std::move(members))));
    begin = end;
  }
  return runtime.list(std::move(groups));
}

Value extreme(Runtime& runtime, const Value& value, const Parameters& parameters, bool largest) {
  const AttributePath path(runtime, parameters.get(1, Value::none()));
  const Items items = items_of(runtime, value);
  if (items->empty()) {
    return undefined_because("No aggregated item, sequence was empty.");
  }
  const bool case_sensitive = parameters.truth(0, false);
  size_t best = 0;
  Value best_key = case_key(runtime, path.of(items->front()), case_sensitive);
  for (size_t i = 1; i < items->size(); ++i) {
    Value key = case_key(runtime, path.of((*items)[i]), case_sensitive);
    if (largest ? less(runtime, best_key, key, ">") : less(runtime, key, best_key)) {
      best = i;
      best_key = std::move(key);
    }
  }
  return (*items)[best];
}

Value max_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "max", arguments, {"case_sensitive", "attribute"});
  return extreme(runtime, value, parameters, true);
}

Value min_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "min", arguments, {"case_sensitive", "attribute"});
  return extreme(runtime, value, parameters, false);
}

Value unique_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "unique", arguments, {"case_sensitive", "attribute"});
  const AttributePath path(runtime, parameters.get(1, Value::none()));
  const Items items = items_of(runtime, value);
  std::unordered_multimap<size_t, Value> seen;
  std::vector<Value> result;
  for (const Value& item : *items) {
    runtime.step();
    Value key = case_key(runtime, path.of(item), parameters.truth(0, false));
    runtime.require_hashable(key);
    const size_t hash = hash_value(key);
    const auto [begin, end] = seen.equal_range(hash);
    const bool known =
        std::any_of(begin, end, [&](const auto& entry) { return keys_equal(entry.second, key); });
    if (!known) {
      seen.emplace(hash, std::move(key));
      result.push_back(item);
    }
  }
  return runtime.iterator(std::move(result));
}

constexpr std::array kFilters = {
    Filter{"dictsort", dictsort_filter}, Filter{"groupby", groupby_filter},
    Filter{"max", max_filter},           Filter{"min", min_filter},
    Filter{"sort", sort_filter},         Filter{"unique", unique_filter},
};

}  // namespace

std::span<const Filter> order_filters() {
  return kFilters;
}

}  // namespace invar::jinja
