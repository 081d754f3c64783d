// Methods of texts that ask about all their characters (methods.h): isdigit and the like.
#include <array>

#include "text/jinja/letter_case.h"
#include "text/jinja/methods.h"
#include "text/jinja/parameters.h"
#include "text/jinja/runtime.h"
#include "text/jinja/unicode.h"

namespace invar::jinja {
namespace {

bool is_alphanumeric(char32_t c) {
  return is_alphabetic(c) || is_numeric(c);
}
bool is_ascii(char32_t c) {
  return c < 0x80;
}

// Whether all code points have the property. `kIfEmpty` is the answer for "".
template <bool (*kHas)(char32_t), bool kIfEmpty = false>
Value all_are(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "str method", arguments, {});
  const std::string& text = receiver.text();
  for (size_t position = 0; position < text.size();) {
    if (!kHas(next_code_point(text, position))) {
      return Value::of(false);
    }
  }
  return Value::of(kIfEmpty || !text.empty());
}

// At least one cased letter, and none of the other case.
template <bool (*kIsOther)(char32_t)>
Value is_in_case(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "str method", arguments, {});
  bool found = false;
  for (size_t position = 0; position < receiver.text().size();) {
    const char32_t c = next_code_point(receiver.text(), position);
    if (kIsOther(c) || is_titlecase(c)) {
      return Value::of(false);
    }
    found = found || is_cased(c);
  }
  return Value::of(found);
}

Value is_title(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "istitle", arguments, {});
  bool found = false;
  bool after_cased = false;
  for (size_t position = 0; position < receiver.text().size();) {
    const char32_t c = next_code_point(receiver.text(), position);
    const bool starts = is_upper(c) || is_titlecase(c);
    if ((starts && after_cased) || (is_lower(c) && !after_cased)) {
      return Value::of(false);
    }
    after_cased = is_cased(c);
    found = found || after_cased;
  }
  return Value::of(found);
}

Value is_identifier(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "isidentifier", arguments, {});
  const std::string& text = receiver.text();
  for (size_t position = 0; position < text.size();) {
    const bool first = position == 0;
    const char32_t c = next_code_point(text, position);
    if (first ? !is_identifier_start(c) : !is_identifier_part(c)) {
      return Value::of(false);
    }
  }
  return Value::of(!text.empty());
}

constexpr std::array kMethods = {
    Method{"isalnum", all_are<is_alphanumeric>},
    Method{"isalpha", all_are<is_alphabetic>},
    Method{"isascii", all_are<is_ascii, true>},
    Method{"isdecimal", all_are<is_decimal>},
    Method{"isdigit", all_are<is_digit>},
    Method{"isidentifier", is_identifier},
    Method{"islower", is_in_case<is_upper>},
    Method{"isnumeric", all_are<is_numeric>},
    Method{"isprintable", all_are<is_printable, true>},
    Method{"isspace", all_are<is_space>},
    Method{"istitle", is_title},
    Method{"isupper", is_in_case<is_lower>},
};

}  // namespace

std::span<const Method> text_check_methods() {
  return kMethods;
}

}  // namespace invar::jinja
