// Python's `text % values` (printf_format.h).
#include "text/jinja/printf_format.h"

#include "text/jinja/runtime.h"

namespace invar::jinja {

Value printf_format(Runtime& runtime, std::string_view, const Value&) {
  runtime.fail_unsupported("formatting with % is not supported");
}

}  // namespace invar::jinja
