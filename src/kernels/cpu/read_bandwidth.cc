// See read_bandwidth.h. The loads are written in assembly: a compiler that drops loads whose values
// nobody uses would show twice the true bandwidth.
#include "kernels/cpu/read_bandwidth.h"

#include <chrono>
#include <cstring>

#include "core/anonymous_memory.h"

namespace invar::cpu {
namespace {

constexpr int kSweeps = 4;
constexpr size_t kLineBytes = 64;

// Loads every byte of [data, data + bytes), a multiple of a cache line.
void read_all(const std::byte* data, size_t bytes) {
  for (size_t offset = 0; offset < bytes; offset += kLineBytes) {
    asm volatile(
        "movdqa (%0), %%xmm0\n\t"
        "movdqa 16(%0), %%xmm1\n\t"
        "movdqa 32(%0), %%xmm2\n\t"
        "movdqa 48(%0), %%xmm3\n\t"
        :
        : "r"(data + offset)
        : "xmm0", "xmm1", "xmm2", "xmm3", "memory");
  }
}

}  // namespace

double measure_read_bandwidth(ThreadTeam& team) {
  const AnonymousMemory memory(kReadBandwidthBytes, "measuring read bandwidth");
  const size_t lines = kReadBandwidthBytes / kLineBytes;
  auto part = [&](int lane) { return lines * lane / team.lanes() * kLineBytes; };
  // Each lane touches the pages that it will read.
  team.run(
      [&](int lane) { std::memset(memory.data() + part(lane), 1, part(lane + 1) - part(lane)); });
  double best_seconds = 1e9;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const auto begin = std::chrono::steady_clock::now();
    team.run([&](int lane) { read_all(memory.data() + part(lane), part(lane + 1) - part(lane)); });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    best_seconds = std::min(best_seconds, seconds.count());
  }
  return static_cast<double>(kReadBandwidthBytes) / best_seconds;
}

}  // namespace invar::cpu
