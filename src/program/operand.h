// What an op of a program refers to: a value, a constant, a table of the pass, or a state buffer.
// Rows are known only when a pass runs; columns and dtypes are known when the program is built.
#pragma once

#include <cstdint>
#include <string>

#include "core/dtype.h"
#include "core/tensor_view.h"

namespace invar {

// Whose rows a value has.
enum class RowSet : uint8_t {
  kPass,    // the rows of the pass
  kLogits,  // the rows whose logits are wanted
};

// The tables that describe a pass (program/pass_tables.h).
enum class PassTable : uint8_t {
  kTokenIds,    // [rows, 1] i32
  kPositions,   // [rows, 1] i32: the row's place in its sequence
  kRowSegment,  // [rows, 1] i32
  kCuRows,      // [segments + 1, 1] i32
  kBlockTable,  // [segments, kv_blocks_max] i32
  kLogitRows,   // [logit rows, 1] i32
  // Of recurrent layers, with c the chunk (of 64 positions) that holds the segment's first row:
  kStatePages,  // [segments, chunks_max + 1] i32: entry i is the page of boundary c + i
  kRowBlocks,   // [segments, chunks_max + 1] i32: entry i is the row_block of chunk c + i
  // Rows at positions below it are computed again, over paged state that is there and stays as it
  // is.
  kKvWriteFrom,  // [segments, 1] i32
  // What rotary embeddings with sections turn by: t, h and w, all the row's place where it is text.
  kPositionStreams,  // [rows, 3] i32
};

// A column window of a value. Values are written once, but for in-place updates (rope). Cheap to
// copy; a default Value is "none".
struct Value {
  int32_t id = -1;
  int64_t first_column = 0;
  int64_t columns = 0;

  explicit operator bool() const { return id >= 0; }
};

enum class OperandKind : uint8_t { kNone, kValue, kConstant, kTable, kState };

struct Operand {
  OperandKind kind = OperandKind::kNone;
  int32_t index = -1;  // value id, constant id, PassTable or state buffer id
  int64_t first_column = 0;
  int64_t columns = 0;

  explicit operator bool() const { return kind != OperandKind::kNone; }
};

struct ValueInfo {
  RowSet rows = RowSet::kPass;
  int64_t columns = 0;
  DType dtype = DType::kF32;
  std::string name;
  int64_t row_factor = 1;  // rows for each row of the set: top_k where rows are routed
};

// A small tensor that ops read, such as a norm's weight. The memory belongs to the model's weights.
struct ConstantInfo {
  std::string name;
  TensorView view;
};

}  // namespace invar
