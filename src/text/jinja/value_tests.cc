// The tests of the template language (value_tests.h).
#include "text/jinja/value_tests.h"
#include "text/jinja/letter_case.h"

#include <algorithm>
#include <array>

#include "text/jinja/compare.h"
#include "text/jinja/filters.h"
#include "text/jinja/operators.h"
#include "text/jinja/parameters.h"
#include "text/jinja/runtime.h"
#include "text/jinja/sequence.h"
#include "text/jinja/to_text.h"
#include "text/jinja/unicode.h"

namespace invar::jinja {
namespace {

void expect_none(Runtime& runtime, const Arguments& arguments) {
  Parameters(runtime, "test", arguments, {});
}

template <Kind kKind>
bool is_kind(Runtime& runtime, const Value& value, Arguments& arguments) {
  expect_none(runtime, arguments);
  return value.is(kKind);
}

bool is_defined(Runtime& runtime, const Value& value, Arguments& arguments) {
  expect_none(runtime, arguments);
  return !value.is_undefined();
}

template <bool kWanted>
bool is_boolean_value(Runtime& runtime, const Value& value, Arguments& arguments) {
  expect_none(runtime, arguments);
  return value.is(Kind::kBool) && value.boolean() == kWanted;
}

bool is_number(Runtime& runtime, const Value& value, Arguments& arguments) {
  expect_none(runtime, arguments);
  return value.is_number();
}

// Undefined has a length and can be walked: Python's duck typing says yes.
bool is_sequence(Runtime& runtime, const Value& value, Arguments& arguments) {
  expect_none(runtime, arguments);
  return value.is_sequence() || value.is_text() || value.is(Kind::kDict) ||
         value.is(Kind::kRange) || value.is_undefined();
}

bool is_iterable_value(Runtime& runtime, const Value& value, Arguments& arguments) {
  expect_none(runtime, arguments);
  return is_iterable(value);
}

bool is_callable(Runtime& runtime, const Value& value, Arguments& arguments) {
  expect_none(runtime, arguments);
  return value.is(Kind::kCallable) || value.is_undefined();
}

bool remainder_is(Runtime& runtime, const Value& value, const Value& divisor, Integer wanted) {
  const Value rest = apply_binary(runtime, BinaryOperator::kModulo, value, divisor);
  return equal(runtime, rest, Value::of(wanted));
}

bool is_odd(Runtime& runtime, const Value& value, Arguments& arguments) {
  expect_none(runtime, arguments);
  return remainder_is(runtime, value, Value::of(Integer{2}), 1);
}

bool is_even(Runtime& runtime, const Value& value, Arguments& arguments) {
  expect_none(runtime, arguments);
  return remainder_is(runtime, value, Value::of(Integer{2}), 0);
}

bool is_divisible_by(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "divisibleby", arguments, {"num"});
  return remainder_is(runtime, value, parameters.at(0), 0);
}

// At least one cased letter, and none of the other case.
template <bool kUpper>
bool has_case(Runtime& runtime, const Value& value, Arguments& arguments) {
  expect_none(runtime, arguments);
  const Value text = to_str(runtime, value);
  bool found = false;
  for (size_t position = 0; position < text.text().size();) {
    const char32_t code_point = next_code_point(text.text(), position);
    if (is_titlecase(code_point) || (kUpper ? is_lower(code_point) : is_upper(code_point))) {
      return false;
    }
    found = found || is_cased(code_point);
  }
  return found;
}

bool is_same_as(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "sameas", arguments, {"other"});
  const Value& other = parameters.at(0);
  if (value.kind() != other.kind()) {
    return false;
  }
  const bool is_plain = value.is_none() || value.is_number() || value.is_text();
  return is_plain ? equal(runtime, value, other) : value.object() == other.object();
}

template <ComparisonOperator kOperator>
bool compares(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "comparison", arguments, {"other"});
  return apply_comparison(runtime, kOperator, value, parameters.at(0));
}

bool is_filter_name(Runtime& runtime, const Value& value, Arguments& arguments) {
  expect_none(runtime, arguments);
  return value.is_text() && find_filter(value.text()) != nullptr;
}

bool is_test_name(Runtime& runtime, const Value& value, Arguments& arguments) {
  expect_none(runtime, arguments);
  return value.is_text() && find_value_test(value.text()) != nullptr;
}

bool is_escaped(Runtime& runtime, const Value& value, Arguments& arguments) {
  expect_none(runtime, arguments);
  return value.is_markup();
}

constexpr std::array kTests = {
    ValueTest{"boolean", is_kind<Kind::kBool>},
    ValueTest{"callable", is_callable},
    ValueTest{"defined", is_defined},
    ValueTest{"divisibleby", is_divisible_by},
    ValueTest{"escaped", is_escaped},
    ValueTest{"even", is_even},
    ValueTest{"false", is_boolean_value<false>},
    ValueTest{"filter", is_filter_name},
    ValueTest{"float", is_kind<Kind::kFloat>},
    ValueTest{"integer", is_kind<Kind::kInteger>},
    ValueTest{"iterable", is_iterable_value},
    ValueTest{"lower", has_case<false>},
    ValueTest{"mapping", is_kind<Kind::kDict>},
    ValueTest{"none", is_kind<Kind::kNone>},
    ValueTest{"number", is_number},
    ValueTest{"odd", is_odd},
    ValueTest{"sameas", is_same_as},
    ValueTest{"sequence", is_sequence},
    ValueTest{"string", is_kind<Kind::kText>},
    ValueTest{"test", is_test_name},
    ValueTest{"true", is_boolean_value<true>},
    ValueTest{"undefined", is_kind<Kind::kUndefined>},
    ValueTest{"upper", has_case<true>},
    ValueTest{"in", compares<ComparisonOperator::kIn>},
    ValueTest{"==", compares<ComparisonOperator::kEqual>},
    ValueTest{"eq", compares<ComparisonOperator::kEqual>},
    ValueTest{"equalto", compares<ComparisonOperator::kEqual>},
    ValueTest{"!=", compares<ComparisonOperator::kNotEqual>},
    ValueTest{"ne", compares<ComparisonOperator::kNotEqual>},
    ValueTest{"<", compares<ComparisonOperator::kLess>},
    ValueTest{"lt", compares<ComparisonOperator::kLess>},
    ValueTest{"lessthan", compares<ComparisonOperator::kLess>},
    ValueTest{"<=", compares<ComparisonOperator::kLessOrEqual>},
    ValueTest{"le", compares<ComparisonOperator::kLessOrEqual>},
    ValueTest{">", compares<ComparisonOperator::kGreater>},
    ValueTest{"gt", compares<ComparisonOperator::kGreater>},
    ValueTest{"greaterthan", compares<ComparisonOperator::kGreater>},
    ValueTest{">=", compares<ComparisonOperator::kGreaterOrEqual>},
    ValueTest{"ge", compares<ComparisonOperator::kGreaterOrEqual>},
};

}  // namespace

const ValueTest* find_value_test(std::string_view name) {
  const auto* found = std::find_if(kTests.begin(), kTests.end(),
                                   [&](const ValueTest& test) { return test.name == name; });
  return found == kTests.end() ? nullptr : found;
}

}  // namespace invar::jinja
