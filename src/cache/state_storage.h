// The memory of a program's paged state: every buffer's kv_blocks, mapped once at start.
// Memory of a kv_block that was never written is not resident, so a large pool costs what is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/tensor_view.h"

namespace invar {

// One buffer of a state kind: its row in every kv_block of 64 positions.
struct StateBufferSpec {
  std::string name;  // for example "layer 3 keys"
  DType dtype = DType::kF32;
  int64_t columns = 0;  // elements of one kv_block
};

// Owns the memory. Not thread-safe, but different kv_blocks may be written by different threads.
class StateStorage {
 public:
  // Throws kExhausted if the memory cannot be mapped, kBadArgument for a count that is not
  // positive.
  StateStorage(std::span<const StateBufferSpec> buffers, int64_t kv_blocks);

  int64_t kv_blocks() const { return kv_blocks_; }
  int64_t bytes_per_kv_block() const { return bytes_per_kv_block_; }  // over all buffers

  // By state buffer id: [kv_blocks, columns], rows dense. Zeros until written.
  const std::vector<TensorView>& buffers() const { return buffers_; }

  struct CopyKvBlock {
    int32_t from = -1;
    int32_t to = -1;
  };
  void copy_kv_block(const CopyKvBlock& copy);

  // For tests: fills memory with bytes that read as NaN in every float type. The first form makes
  // all of it resident.
  void poison();
  void poison_kv_block(int32_t kv_block);

 private:
  struct Unmapper {
    Unmapper() : bytes(0) {}
    explicit Unmapper(size_t mapped_bytes) : bytes(mapped_bytes) {}
    void operator()(std::byte* pointer) const;
    size_t bytes;
  };

  int64_t kv_blocks_ = 0;
  int64_t bytes_per_kv_block_ = 0;
  std::vector<TensorView> buffers_;
  std::unique_ptr<std::byte, Unmapper> mapping_;
};

}  // namespace invar
