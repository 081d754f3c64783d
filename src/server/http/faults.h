// What is wrong with a request on the level of HTTP: the status, and the text that says it.
#pragma once

#include <boost/system/error_code.hpp>
#include <string>

#include "server/http/http_message.h"
#include "server/http/limits.h"

namespace invar {

// The status that answers a failed read, 0 if nobody is there to be answered. `expired`: it took
// too long.
int status_of(boost::system::error_code error, bool expired);

// For the client; `in_head`: what was read when it failed, the head or the body.
std::string fault_text(int status, boost::system::error_code error, const HttpLimits& limits,
                       bool in_head);

// What is wrong with a head that could be read; empty if nothing is.
std::string head_fault(const HttpRequest& request, bool is_http_1_0);

}  // namespace invar
