// See standard_error.h.
#include "cli/standard_error.h"

#include <fmt/format.h>

#include <cstdio>
#include <iterator>
#include <new>
#include <string>

#include "core/error.h"

namespace invar {

void print_standard_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void print_error_line(std::string_view message) {
  std::string line = "invar: ";
  for (size_t i = 0; i < message.size(); ++i) {
    const auto byte = static_cast<unsigned char>(message[i]);
    const auto next = static_cast<unsigned char>(i + 1 < message.size() ? message[i + 1] : 0);
    if (byte == '\n') {
      line += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(line), "\\x{:02x}", byte);
    } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {  // U+0080 to U+009F
      fmt::format_to(std::back_inserter(line), "\\x{:02x}\\x{:02x}", byte, next);
      i += 1;
    } else {
      line += message[i];
    }
  }
  print_standard_error(line + "\n");
}

void print_exception(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    print_standard_error("invar: out of memory\n");  // without asking for any
  } else if (dynamic_cast<const Error*>(&error) != nullptr) {
    print_error_line(error.what());
  } else {
    print_error_line(fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace invar
