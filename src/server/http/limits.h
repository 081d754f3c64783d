// What a client may take of the server: bytes, time and connections.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace invar {

struct HttpLimits {
  size_t header_bytes_max = size_t{16} << 10;     // request line and headers; more: 431
  size_t body_bytes_max = size_t{8} << 20;        // more: 413
  size_t bodies_bytes_max = size_t{256} << 20;    // of all requests together; more: 503
  size_t send_buffer_bytes = size_t{128} << 10;   // what the system keeps for a slow reader
  std::chrono::milliseconds header_time{10'000};  // from a request's first byte; longer: 408
  std::chrono::milliseconds body_time{60'000};    // longer: 408
  std::chrono::milliseconds idle_time{75'000};    // between requests; then closed without a word
  std::chrono::milliseconds write_time{60'000};   // for a client to take 64 KiB; then closed
  std::chrono::milliseconds linger_time{1'000};   // to read what a refused client still sends
  int64_t connections_max = 1024;                 // more: 503; clipped to what the open files allow
};

// Connections that a process with this limit of open files can hold besides its other files; at
// least 1 and at most `wanted`.
int64_t connections_within(uint64_t open_files_max, int64_t wanted);

// The soft limit of this process, RLIMIT_NOFILE.
uint64_t open_files_limit();

}  // namespace invar
