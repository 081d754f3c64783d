// Server-sent events: the framing of a streamed answer.
#pragma once

#include <string>
#include <string_view>

namespace invar {

inline constexpr std::string_view kEventStreamType = "text/event-stream; charset=utf-8";
inline constexpr std::string_view kDoneEvent = "data: [DONE]\n\n";
inline constexpr std::string_view kEmptyEvent = ":\n\n";  // a comment, which clients pass over

// One event; each line of `data` gets its own "data: ".
std::string sse_event(std::string_view data);

}  // namespace invar
