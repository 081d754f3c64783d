// Filters on numbers (filters.h): abs, float, int, round, sum.
#include <array>
#include <cmath>

#include "text/jinja/attribute_path.h"
#include "text/jinja/filters.h"
#include "text/jinja/number_parsing.h"
#include "text/jinja/operators.h"
#include "text/jinja/parameters.h"
#include "text/jinja/runtime.h"
#include "text/jinja/sequence.h"

namespace invar::jinja {
namespace {

// No float has more digits than this on either side of its point.
constexpr int64_t kMostDigits = 400;

Value abs_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "abs", arguments, {});
  if (value.is(Kind::kFloat)) {
    return Value::of(std::fabs(value.number()));
  }
  if (value.is_integral() && value.integer() >= 0) {
    return Value::of(value.integer());
  }
  return apply_unary(runtime, UnaryOperator::kNegate, value);
}

std::optional<double> float_of(const Value& value) {
  if (value.is_number()) {
    return value.number();
  }
  return value.is_text() ? parse_float(value.text()) : std::nullopt;
}

Value float_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "float", arguments, {"default"});
  runtime.require_defined(value);
  const std::optional<double> number = float_of(value);
  return number.has_value() ? Value::of(*number) : parameters.get(0, Value::of(0.0));
}

Value int_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "int", arguments, {"default", "base"});
  runtime.require_defined(value);
  std::optional<Integer> number;
  if (value.is_integral()) {
    number = value.integer();
  } else if (value.is_text()) {
    const int64_t base = parameters.count(1, 10);
    if (base == 0 || (base >= 2 && base <= 36)) {
      number = parse_integer(value.text(), static_cast<int>(base));
    }
  }
  if (!number.has_value()) {
    const std::optional<double> as_float = float_of(value);
    number = as_float.has_value() ? truncated(*as_float) : std::nullopt;
    if (!number.has_value() && as_float.has_value() && std::isfinite(*as_float)) {
      runtime.fail("an integer is too large");
    }
  }
  return number.has_value() ? Value::of(*number) : parameters.get(0, Value::of(Integer{0}));
}

// To the nearest even digit where two are equally near, judged on the exact value.
double round_float(double value, int64_t precision) {
  if (!std::isfinite(value) || precision > kMostDigits) {
    return value;
  }
  if (precision >= 0) {
    return *parse_float(fmt::format("{:.{}f}", value, precision));
  }
  if (precision < -kMostDigits) {
    return 0.0;
  }
  const double scale = std::pow(10.0, static_cast<double>(-precision));
  return std::nearbyint(value / scale) * scale;
}

Value round_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "round", arguments, {"precision", "method"});
  const int64_t precision = parameters.count(0, 0);
  const std::string method = parameters.text(1, "common");
  if (method != "common" && method != "ceil" && method != "floor") {
    runtime.fail("method must be common, ceil or floor");
  }
  if (!value.is_number()) {
    runtime.require_defined(value);
    runtime.fail("type {} doesn't define __round__ method", type_name(value));
  }
  if (method == "common") {
    if (value.is_integral() && precision >= 0) {
      return Value::of(value.integer());
    }
    const double rounded = round_float(value.number(), precision);
    return value.is_integral() ? Value::of(*truncated(rounded)) : Value::of(rounded);
  }
  const double scale = std::pow(10.0, static_cast<double>(precision));
  const double scaled = value.number() * scale;
  return Value::of((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale);
}

Value sum_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "sum", arguments, {"attribute", "start"});
  const AttributePath path(runtime, parameters.get(0, Value::none()));
  Value total = parameters.get(1, Value::of(Integer{0}));
  if (total.is_text()) {
    runtime.fail("sum() can't sum strings");
  }
  const Items items = items_of(runtime, value);
  for (const Value& item : *items) {
    runtime.step();
    total = apply_binary(runtime, BinaryOperator::kAdd, total, path.of(item));
  }
  return total;
}

constexpr std::array kFilters = {
    Filter{"abs", abs_filter},     Filter{"float", float_filter}, Filter{"int", int_filter},
    Filter{"round", round_filter}, Filter{"sum", sum_filter},
};

}  // namespace

std::span<const Filter> number_filters() {
  return kFilters;
}

}  // namespace invar::jinja
