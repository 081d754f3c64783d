// Log lines for operators, on standard error, through spdlog. Nothing in a kernel or a step logs.
// INVAR's modules call these and never spdlog itself, so the sink is set in one place.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace invar {

enum class LogLevel { kDebug, kInfo, kWarn, kError, kOff };

// Messages below `level` are dropped. The default is kWarn, so that answers on a terminal stay
// clean.
void set_log_level(LogLevel level);
void log_message(LogLevel level, std::string_view message);

template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_warn(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::kWarn, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace invar
