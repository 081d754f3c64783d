// The tables that describe one pass over a ragged batch of segments. A prompt's chunk, a decode
// token and rows to verify are all segments: there is one form of metadata and nothing is inferred
// from what is absent.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/ops/chunk_place.h"
#include "backend/ops/rope.h"
#include "core/tensor_view.h"
#include "program/operand.h"

namespace invar {

// Limits that size tables and arena once, at start.
struct PassLimits {
  int64_t rows_max = 512;
  int64_t segments_max = 16;
  int64_t logit_rows_max = 16;
  int64_t kv_blocks_max = 0;  // of one sequence at the context limit; 0: no paged state

  // Chunks that the rows of a pass can touch, plus the boundary after the last.
  int64_t chunk_entries_max() const { return rows_max / kChunkRows + 3; }
};

// What variant choice and captured graphs may depend on.
struct PassShape {
  int64_t rows = 0;
  int64_t segments = 0;
  int64_t logit_rows = 0;

  bool operator==(const PassShape&) const = default;
};

// The three positions of a row (t, h, w) for rotary embeddings with sections.
using PositionStreams = std::array<int32_t, kRopeStreams>;

// The rows of one sequence in a pass.
struct PassSegment {
  std::span<const int32_t> token_ids;  // at least one
  int64_t first_position = 0;
  std::span<const int32_t> kv_blocks;  // covers first_position + token_ids.size() positions
  // Where the program has recurrent layers: the page of each boundary from the first row's chunk on
  // (-1 for position 0), and the row_block of each chunk. See PassTable.
  std::span<const int32_t> state_pages = {};
  std::span<const int32_t> row_blocks = {};
  // The paged state of positions below it is there already and is not written.
  int64_t kv_write_from = 0;
  // For each row, what rope turns by in place of its position; empty for text, whose streams are
  // all the position. They end below the context too.
  std::span<const PositionStreams> position_streams = {};
  // Logits wanted for the last `logit_rows` rows of the segment (0: none).
  int64_t logit_rows = 0;
};

// Owns the tables; their addresses never change. Filled by the engine between passes: clear(), then
// add() for each segment. Not thread-safe; constant while a pass runs.
class PassTables {
 public:
  explicit PassTables(const PassLimits& limits);

  const PassLimits& limits() const { return limits_; }
  PassShape shape() const { return shape_; }

  void clear();
  // Appends a segment. Exceeding a limit is a bug of the caller.
  void add(const PassSegment& segment);

  TensorView view(PassTable table) const;

  // For tests of the law: fills the unused tail of every table with values that would be noticed.
  void poison_unused();

 private:
  void add_chunk_entries(std::span<const int32_t> entries, std::vector<int32_t>& table) const;

  PassLimits limits_;
  PassShape shape_;
  std::vector<int32_t> token_ids_;
  std::vector<int32_t> positions_;
  std::vector<int32_t> row_segment_;
  std::vector<int32_t> cu_rows_;
  std::vector<int32_t> block_table_;
  std::vector<int32_t> logit_rows_;
  std::vector<int32_t> state_pages_;
  std::vector<int32_t> row_blocks_;
  std::vector<int32_t> kv_write_from_;
  std::vector<PositionStreams> position_streams_;
};

}  // namespace invar
