// The loops around the micro-kernels of a matrix product. Included by the linear kernels of each
// instruction set only.
#pragma once

#include "kernels/cpu/linear.h"

namespace invar::cpu {

// Activations that one walk over the panels uses: they stay in the second-level cache, while the
// panels of a tile stay in the first.
inline constexpr int64_t kLinearChunkBytes = 384 * 1024;

// The next smaller tile, for rows that are left over.
constexpr int fewer_rows(int rows) {
  return rows > 4 ? 4 : rows / 2;
}

// Rows [row, end) of kPanels panels by tiles of kRows, the rest by smaller ones. A tile of any size
// gives the same bits.
template <class Tile, int kRows, int kPanels>
[[gnu::always_inline]] inline void run_row_tiles(const LinearKernel& args, int64_t panel,
                                                 int64_t row, int64_t end) {
  for (; end - row >= kRows; row += kRows) {
    Tile::template run<kRows, kPanels>(args, panel, row);
  }
  if constexpr (kRows > 1) {
    run_row_tiles<Tile, fewer_rows(kRows), kPanels>(args, panel, row, end);
  }
}

// Rows [row, end) of all panels, kPanels at a time.
template <class Tile, int kRows, int kPanels>
[[gnu::always_inline]] inline void run_panels(const LinearKernel& args, int64_t row, int64_t end) {
  int64_t panel = args.panel_begin;
  for (; args.panel_end - panel >= kPanels; panel += kPanels) {
    run_row_tiles<Tile, kRows, kPanels>(args, panel, row, end);
  }
  if constexpr (kPanels > 1) {
    for (; panel < args.panel_end; ++panel) {
      run_row_tiles<Tile, kRows, 1>(args, panel, row, end);
    }
  }
}

// `Tile` has the sizes of its largest tile, kRowsMax and kPanelsMax, how many panels it takes for a
// single row, kRowPanels, and `template <int kRows, int kPanels> static void run(args, panel,
// row)`. All but the largest tile ask for the weights ahead, so few rows take none of those.
template <class Tile>
void run_linear(const LinearKernel& args) {
  constexpr int kRowsMax = Tile::kRowsMax;
  constexpr int kFewRows = fewer_rows(kRowsMax);
  int64_t chunk_rows = kLinearChunkBytes / (args.x_stride_bytes + 1) / kRowsMax * kRowsMax;
  chunk_rows = chunk_rows > 0 ? chunk_rows : kRowsMax;
  for (int64_t row = 0; row < args.rows; row += chunk_rows) {
    const int64_t end = args.rows - row < chunk_rows ? args.rows : row + chunk_rows;
    if (end - row == 1) {
      run_panels<Tile, 1, Tile::kRowPanels>(args, row, end);
    } else if (end - row <= 2 * kFewRows) {
      run_panels<Tile, kFewRows, Tile::kPanelsMax>(args, row, end);
    } else {
      run_panels<Tile, kRowsMax, Tile::kPanelsMax>(args, row, end);
    }
  }
}

// Asks for `bytes` of each of kPanels panels, as far ahead as memory needs: a lane reads its panels
// one after the other, so what follows the last of them is what the next tile starts with. The
// place may lie behind the weights, where asking does nothing.
template <int kPanels, int kBytes>
[[gnu::always_inline]] inline void prefetch_panels(const std::byte* weights,
                                                   int64_t panel_stride_bytes) {
  constexpr int64_t kAheadBytes = 4096;  // measured: 2048 and 8192 are a little slower
  constexpr int kIntoL1 = 3;
  const int64_t ahead = kPanels == 1 ? kAheadBytes : kPanels * panel_stride_bytes;
#pragma GCC unroll 16
  for (int p = 0; p < kPanels; ++p) {
#pragma GCC unroll 16
    for (int byte = 0; byte < kBytes; byte += 64) {
      __builtin_prefetch(weights + p * panel_stride_bytes + ahead + byte, 0, kIntoL1);
    }
  }
}

// Bias, then addend, then the store; lanes past the last output are left alone. Which NaN an
// operation passes on depends on the order of its operands, so every NaN is stored as one.
template <class V, int kRows>
[[gnu::always_inline]] inline void finish_tile(const LinearKernel& args, int64_t panel, int64_t row,
                                               const typename V::F (&sums)[kRows]) {
  const int64_t first = panel * V::kLanes;
  const int64_t left = args.outputs - first;
  const int count = static_cast<int>(left < V::kLanes ? left : V::kLanes);
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    typename V::F sum = sums[r];
    if (args.bias != nullptr) {
      sum = V::add(sum, V::load_partial(args.bias + first, count));
    }
    if (args.addend != nullptr) {
      const std::byte* addend = args.addend + (row + r) * args.addend_stride_bytes;
      sum = V::add(sum, V::load_partial(reinterpret_cast<const float*>(addend) + first, count));
    }
    sum = V::select(V::is_nan(sum), V::broadcast(__builtin_nanf("")), sum);
    const int64_t out_row = args.out_rows != nullptr ? args.out_rows[row + r] : row + r;
    std::byte* out = args.out + out_row * args.out_stride_bytes;
    V::store_partial(reinterpret_cast<float*>(out) + first, sum, count);
  }
}

}  // namespace invar::cpu
