// The vocabulary that every op's declaration uses: how an operand is used, and what a run costs.
//
// An op is one template `XArgs<T>` in backend/ops/x.h whose operands are fields of type T. With
// T = TensorView it is what a backend runs; with T = program::Operand it is what a program stores.
// `fields(visitor, args...)` lists the operands once: from it follow binding, lifetimes, printing
// and digests. Everything that is not an operand sits in `Attributes attributes`.
#pragma once

#include <cstdint>

namespace invar {

enum class Use {
  kRead,       // the op reads it
  kOptional,   // the op reads it if present
  kWrite,      // the op writes all of it
  kReadWrite,  // the op updates it in place
};

// What a run must move and compute at the least: the floor that benches and profiles compare with.
struct Cost {
  int64_t read_bytes = 0;
  int64_t write_bytes = 0;
  int64_t flops = 0;  // a multiply-add counts as two

  Cost& operator+=(const Cost& other) {
    read_bytes += other.read_bytes;
    write_bytes += other.write_bytes;
    flops += other.flops;
    return *this;
  }
};

// Where an op runs. On the CPU an op is called once for each lane of the thread team, computes that
// lane's share of the outputs (never a part of a reduction), and is finished when all shares are.
struct Stream {
  int lane = 0;
  int lanes = 1;
};

// The part [begin, end) of `count` items that belongs to this lane: contiguous, ascending by lane.
struct LaneRange {
  int64_t begin;
  int64_t end;
};
inline LaneRange lane_range(const Stream& stream, int64_t count) {
  return {count * stream.lane / stream.lanes, count * (stream.lane + 1) / stream.lanes};
}

}  // namespace invar
