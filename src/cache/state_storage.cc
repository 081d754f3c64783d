// One anonymous mapping, cut into buffers (state_storage.h).
#include "cache/state_storage.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/error.h"

namespace invar {
namespace {

// Buffers start at pages, so that no page is shared by two of them.
constexpr int64_t kPageBytes = 4096;

// NaN as f32, f16 and bf16.
constexpr int kPoisonByte = 0xff;

[[noreturn]] void fail_exhausted(int64_t kv_blocks, int64_t bytes_per_kv_block, const char* why) {
  fail(Code::kExhausted, "state memory: {} kv_blocks of {} bytes could not be reserved: {}",
       kv_blocks, bytes_per_kv_block, why);
}

}  // namespace

void StateStorage::Unmapper::operator()(std::byte* pointer) const {
  ::munmap(pointer, bytes);
}

StateStorage::StateStorage(std::span<const StateBufferSpec> buffers, int64_t kv_blocks)
    : kv_blocks_(kv_blocks) {
  if (kv_blocks < 1) {
    fail(Code::kBadArgument, "state memory: expected at least 1 kv_block, found {}", kv_blocks);
  }
  for (const StateBufferSpec& buffer : buffers) {
    INVAR_CHECK(buffer.columns > 0, "{}: {} columns", buffer.name, buffer.columns);
    bytes_per_kv_block_ += row_bytes(buffer.dtype, buffer.columns);
  }
  int64_t total = 0;
  std::vector<int64_t> offsets;
  for (const StateBufferSpec& buffer : buffers) {
    offsets.push_back(total);
    int64_t bytes = 0;
    if (__builtin_mul_overflow(row_bytes(buffer.dtype, buffer.columns), kv_blocks, &bytes) ||
        __builtin_add_overflow(total, bytes, &total) ||
        __builtin_add_overflow(total, kPageBytes - 1, &total)) {
      fail_exhausted(kv_blocks, bytes_per_kv_block_, "more than an address can name");
    }
    total -= total % kPageBytes;
  }
  if (total == 0) {
    return;  // A program without state.
  }
  const auto bytes = static_cast<size_t>(total);
  // Without a reservation of swap the pages appear when they are first written. Huge pages are not
  // asked for: a kv_block's share of a buffer is much smaller, so they would make unused ones
  // resident.
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    fail_exhausted(kv_blocks, bytes_per_kv_block_, std::generic_category().message(errno).c_str());
  }
  mapping_ = {static_cast<std::byte*>(memory), Unmapper(bytes)};
  for (size_t i = 0; i < buffers.size(); ++i) {
    buffers_.push_back(
        dense_view(mapping_.get() + offsets[i], buffers[i].dtype, kv_blocks, buffers[i].columns));
  }
}

void StateStorage::copy_kv_block(const CopyKvBlock& copy) {
  INVAR_CHECK(copy.from >= 0 && copy.from < kv_blocks_, "kv_block {}", copy.from);
  INVAR_CHECK(copy.to >= 0 && copy.to < kv_blocks_, "kv_block {}", copy.to);
  INVAR_CHECK(copy.from != copy.to, "kv_block {}", copy.from);
  for (const TensorView& buffer : buffers_) {
    std::memcpy(buffer.row<std::byte>(copy.to), buffer.row<std::byte>(copy.from),
                static_cast<size_t>(buffer.stride_bytes));
  }
}

void StateStorage::poison() {
  for (const TensorView& buffer : buffers_) {
    std::memset(buffer.data, kPoisonByte, static_cast<size_t>(buffer.rows * buffer.stride_bytes));
  }
}

void StateStorage::poison_kv_block(int32_t kv_block) {
  INVAR_CHECK(kv_block >= 0 && kv_block < kv_blocks_, "kv_block {}", kv_block);
  for (const TensorView& buffer : buffers_) {
    std::memset(buffer.row<std::byte>(kv_block), kPoisonByte,
                static_cast<size_t>(buffer.stride_bytes));
  }
}

}  // namespace invar
