// One anonymous mapping, cut into buffers (state_storage.h).
#include "cache/state_storage.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/error.h"

namespace invar {
namespace {

// Buffers start at the machine's pages, so that no page is shared by two of them.
constexpr int64_t kPageBytes = 4096;

// NaN as f32, f16 and bf16.
constexpr int kPoisonByte = 0xff;

// Where units are so large that few unused ones become resident by it: recurrent state, which
// decoding reads as a stream. A kv_block's share of a buffer is much smaller. A refusal does not
// matter.
void ask_for_huge_pages(const TensorView& buffer) {
  constexpr int64_t kUnitBytes = int64_t{512} << 10;
  if (buffer.stride_bytes >= kUnitBytes) {
    ::madvise(buffer.row<std::byte>(0), buffer.rows * buffer.stride_bytes, MADV_HUGEPAGE);
  }
}

}  // namespace

void StateStorage::Unmapper::operator()(std::byte* pointer) const {
  ::munmap(pointer, bytes);
}

void StateStorage::fail_exhausted(const char* why) const {
  std::string units;
  for (const StateUnit unit : kStateUnits) {
    if (uses(unit)) {
      units += fmt::format("{}{} {}s of {} bytes", units.empty() ? "" : ", ", counts_[unit],
                           name_of(unit), unit_bytes_[unit]);
    }
  }
  fail(Code::kExhausted, "state memory: {} could not be reserved: {}", units, why);
}

StateStorage::StateStorage(std::span<const StateBufferSpec> buffers, const StateCounts& counts)
    : counts_(counts) {
  for (const StateBufferSpec& buffer : buffers) {
    INVAR_CHECK(buffer.columns > 0, "{}: {} columns", buffer.name, buffer.columns);
    unit_bytes_[buffer.unit] += row_bytes(buffer.dtype, buffer.columns);
    units_.push_back(buffer.unit);
  }
  for (const StateUnit unit : kStateUnits) {
    if (counts[unit] < 1 && uses(unit)) {
      fail(Code::kBadArgument, "state memory: expected at least 1 {}, found {}", name_of(unit),
           counts[unit]);
    }
  }
  int64_t total = 0;
  std::vector<int64_t> offsets;
  for (const StateBufferSpec& buffer : buffers) {
    offsets.push_back(total);
    int64_t bytes = 0;
    if (__builtin_mul_overflow(row_bytes(buffer.dtype, buffer.columns), counts[buffer.unit],
                               &bytes) ||
        __builtin_add_overflow(total, bytes, &total) ||
        __builtin_add_overflow(total, kPageBytes - 1, &total)) {
      fail_exhausted("more than an address can name");
    }
    total -= total % kPageBytes;
  }
  if (total == 0) {
    return;  // A program without state.
  }
  const auto bytes = static_cast<size_t>(total);
  // Without a reservation of swap the pages appear when they are first written.
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    fail_exhausted(std::generic_category().message(errno).c_str());
  }
  mapping_ = {static_cast<std::byte*>(memory), Unmapper(bytes)};
  for (size_t i = 0; i < buffers.size(); ++i) {
    buffers_.push_back(dense_view(mapping_.get() + offsets[i], buffers[i].dtype,
                                  counts[buffers[i].unit], buffers[i].columns));
    ask_for_huge_pages(buffers_.back());
  }
}

void StateStorage::copy(const Copy& copy) {
  const int64_t count = counts_[copy.unit];
  INVAR_CHECK(copy.from >= 0 && copy.from < count, "{} {}", name_of(copy.unit), copy.from);
  INVAR_CHECK(copy.to >= 0 && copy.to < count, "{} {}", name_of(copy.unit), copy.to);
  INVAR_CHECK(copy.from != copy.to, "{} {}", name_of(copy.unit), copy.from);
  copied_[copy.unit] += 1;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (units_[i] == copy.unit) {
      const TensorView& buffer = buffers_[i];
      std::memcpy(buffer.row<std::byte>(copy.to), buffer.row<std::byte>(copy.from),
                  static_cast<size_t>(buffer.stride_bytes));
    }
  }
}

void StateStorage::poison() {
  for (const TensorView& buffer : buffers_) {
    std::memset(buffer.data, kPoisonByte, static_cast<size_t>(buffer.rows * buffer.stride_bytes));
  }
}

void StateStorage::poison(StateUnit unit, int32_t id) {
  INVAR_CHECK(id >= 0 && id < counts_[unit], "{} {}", name_of(unit), id);
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (units_[i] == unit) {
      std::memset(buffers_[i].row<std::byte>(id), kPoisonByte,
                  static_cast<size_t>(buffers_[i].stride_bytes));
    }
  }
}

}  // namespace invar
