// Equality, order, membership and truth (compare.h).
#include "text/jinja/compare.h"

#include <algorithm>
#include <cmath>

#include "text/jinja/runtime.h"
#include "text/jinja/sequence.h"

namespace invar::jinja {
namespace {

// -1, 0, 1, or 2 if one is not a number. Exact for integers against floats.
int compare_numbers(const Value& left, const Value& right) {
  if (left.is_integral() && right.is_integral()) {
    return left.integer() < right.integer() ? -1 : left.integer() > right.integer() ? 1 : 0;
  }
  const double a = left.number();
  const double b = right.number();
  if (std::isnan(a) || std::isnan(b)) {
    return 2;
  }
  if (a != b || std::isinf(a) || (left.is(Kind::kFloat) && right.is(Kind::kFloat))) {
    return a < b ? -1 : a > b ? 1 : 0;
  }
  // An integer beyond 2^53 may have been rounded onto the float. Floats of 2^127 and more are
  // larger than any integer here can be.
  const double value = left.is(Kind::kFloat) ? a : b;
  if (value >= 0x1p127 || value < -0x1p127) {
    return left.is(Kind::kFloat) == (value > 0) ? 1 : -1;
  }
  const Integer exact = static_cast<Integer>(value);
  const Integer x = left.is(Kind::kFloat) ? exact : left.integer();
  const Integer y = right.is(Kind::kFloat) ? exact : right.integer();
  return x < y ? -1 : x > y ? 1 : 0;
}

bool equal_sequences(Runtime& runtime, const Value& left, const Value& right) {
  const auto& a = left.items();
  const auto& b = right.items();
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(),
                    [&](const Value& x, const Value& y) { return equal(runtime, x, y); });
}

bool equal_dicts(Runtime& runtime, const Value& left, const Value& right) {
  const DictObject& a = left.dict();
  const DictObject& b = right.dict();
  if (a.entries.size() != b.entries.size()) {
    return false;
  }
  return std::all_of(a.entries.begin(), a.entries.end(), [&](const auto& entry) {
    runtime.charge_key(entry.first);
    const Value* other = b.find(entry.first);
    return other != nullptr && equal(runtime, entry.second, *other);
  });
}

}  // namespace

bool is_true(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
    case Kind::kNone:
      return false;
    case Kind::kBool:
      return value.boolean();
    case Kind::kInteger:
      return value.integer() != 0;
    case Kind::kFloat:
      return value.number() != 0.0;
    case Kind::kText:
      return !value.text().empty();
    case Kind::kList:
    case Kind::kTuple:
      return !value.items().empty();
    case Kind::kDict:
      return !value.dict().entries.empty();
    case Kind::kDictView:
      return is_true(value.dict_view().dict);
    case Kind::kRange:
      return value.range().length != 0;
    default:
      return true;
  }
}

bool equal(Runtime& runtime, const Value& left, const Value& right) {
  runtime.step();
  if (left.is_number() && right.is_number()) {
    return compare_numbers(left, right) == 0;
  }
  if (left.kind() != right.kind()) {
    return false;
  }
  switch (left.kind()) {
    case Kind::kUndefined:
    case Kind::kNone:
      return true;
    case Kind::kText:
      runtime.charge_text(std::min(left.text().size(), right.text().size()));
      return left.text() == right.text();
    case Kind::kList:
    case Kind::kTuple:
      return equal_sequences(runtime, left, right);
    case Kind::kDict:
      return equal_dicts(runtime, left, right);
    case Kind::kRange: {
      const RangeObject& a = left.range();
      const RangeObject& b = right.range();
      return a.length == b.length &&
             (a.length == 0 || (a.start == b.start && (a.length == 1 || a.step == b.step)));
    }
    default:
      return left.object() == right.object();
  }
}

bool keys_equal(const Value& left, const Value& right) {
  if (left.is_number() && right.is_number()) {
    return compare_numbers(left, right) == 0;
  }
  if (left.kind() != right.kind()) {
    return false;
  }
  switch (left.kind()) {
    case Kind::kNone:
      return true;
    case Kind::kText:
      return left.text() == right.text();
    case Kind::kTuple:
      return std::equal(left.items().begin(), left.items().end(), right.items().begin(),
                        right.items().end(), keys_equal);
    default:
      return false;
  }
}

bool less(Runtime& runtime, const Value& left, const Value& right, std::string_view operation) {
  runtime.step();
  if (left.is_number() && right.is_number()) {
    return compare_numbers(left, right) == -1;
  }
  if (left.is_text() && right.is_text()) {
    runtime.charge_text(std::min(left.text().size(), right.text().size()));
    return left.text() < right.text();  // the order of UTF-8 is that of code points
  }
  if (left.is_sequence() && left.kind() == right.kind()) {
    const auto& a = left.items();
    const auto& b = right.items();
    for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
      if (!equal(runtime, a[i], b[i])) {
        return less(runtime, a[i], b[i], operation);
      }
    }
    return a.size() < b.size();
  }
  runtime.require_defined(left);
  runtime.require_defined(right);
  runtime.fail("'{}' not supported between instances of '{}' and '{}'", operation, type_name(left),
               type_name(right));
}

bool contains(Runtime& runtime, const Value& container, const Value& item) {
  if (container.is(Kind::kList) && item.is_text() && container.list().joined_text.is_text()) {
    return contains(runtime, container.list().joined_text, item);
  }
  switch (container.kind()) {
    case Kind::kText:
      if (!item.is_text()) {
        runtime.require_defined(item);
        runtime.fail("'in <string>' requires string as left operand, not {}", type_name(item));
      }
      return find_text(runtime, container.text(), item.text()) != std::string::npos;
    case Kind::kDict:
      runtime.require_hashable(item);
      return container.dict().find(item) != nullptr;
    case Kind::kDictView:
      if (container.dict_view().part == DictPart::kKeys) {
        return contains(runtime, container.dict_view().dict, item);
      }
      break;
    default:
      break;
  }
  const auto items = items_of(runtime, container);
  return std::any_of(items->begin(), items->end(),
                     [&](const Value& value) { return equal(runtime, value, item); });
}

}  // namespace invar::jinja
