// See limits.h.
#include "server/http/limits.h"

#include <sys/resource.h>

#include <algorithm>

namespace invar {
namespace {

// Standard streams, the model's files, the listening socket, the event loop's own, and some for
// what libraries open.
constexpr uint64_t kOtherFiles = 48;

}  // namespace

int64_t connections_within(uint64_t open_files_max, int64_t wanted) {
  const uint64_t room = open_files_max > kOtherFiles ? open_files_max - kOtherFiles : 1;
  return room < static_cast<uint64_t>(std::max<int64_t>(wanted, 1)) ? static_cast<int64_t>(room)
                                                                    : std::max<int64_t>(wanted, 1);
}

uint64_t open_files_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return 1024;  // the usual default; the call does not fail for this resource
  }
  return limit.rlim_cur;
}

}  // namespace invar
