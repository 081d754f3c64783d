// The buffers of one conformance problem: every tensor lies between guard zones, and every byte
// that holds no element (guards, the padding between strided rows, places that nobody wrote) is
// poison, which reads as NaN in every float type and as -1 in every integer type.
#pragma once

#include <cstddef>
#include <deque>
#include <random>
#include <span>
#include <vector>

#include "core/tensor_view.h"

namespace invar::conformance {

inline constexpr std::byte kPoison{0xff};

// Bytes of all tensors of a Memory, guards included, to restore or compare.
using Image = std::vector<std::byte>;

struct TensorShape {
  DType dtype = DType::kF32;
  int64_t rows = 0;
  int64_t columns = 0;
  // Bytes from the end of a row to the next row.
  int64_t padding_bytes = 0;
};

// Views stay valid as long as the Memory lives, which cannot be copied.
class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // All elements are poison. The address is aligned to the element and to nothing more.
  TensorView add(const TensorShape& shape);

  Image image() const;
  void restore(const Image& image);
  // The tensor and byte where `left` and `right` first differ, as text; empty if they are equal.
  std::string difference(const Image& left, const Image& right) const;
  // Where a byte that holds no element is not poison any more; empty if there is no such byte.
  std::string broken_guard() const;

 private:
  struct Tensor {
    std::vector<std::byte> bytes;
    TensorView view;
    int64_t first;  // index in `bytes` of the first element
  };
  std::deque<Tensor> tensors_;
};

// One row as a view of its own.
TensorView row_view(const TensorView& view, int64_t row);

// The elements of a float or integer tensor as numbers, row after row.
std::vector<double> numbers(const TensorView& view);

// Fills with values drawn from `random`, rounded to the view's dtype.
class Filler {
 public:
  explicit Filler(unsigned seed) : random_(seed) {}

  void uniform(const TensorView& view, double low, double high);
  void uniform_row(const TensorView& view, int64_t row, double low, double high);
  std::mt19937& random() { return random_; }

 private:
  std::mt19937 random_;
};

void set_number(const TensorView& view, int64_t row, int64_t column, double value);
// Writes a whole i32 column vector.
void set_column(const TensorView& view, std::span<const int32_t> values);

}  // namespace invar::conformance
