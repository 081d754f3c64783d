// See rope_table.h.
#include "layers/rope_table.h"

#include "core/error.h"
#include "core/math.h"

namespace invar {
namespace {

constexpr double kTwoPi = 6.283185307179586;

// llama3: wavelengths longer than the original context over low_freq_factor are stretched by
// `factor`, those shorter than over high_freq_factor are kept, the others blended.
double scaled_llama3(double frequency, const RopeParameters& rope) {
  const double wavelength = kTwoPi / frequency;
  const double low_wavelength = rope.original_max_position_embeddings / rope.low_freq_factor;
  const double high_wavelength = rope.original_max_position_embeddings / rope.high_freq_factor;
  if (wavelength < high_wavelength) {
    return frequency;
  }
  if (wavelength > low_wavelength) {
    return frequency / rope.factor;
  }
  const double smooth =
      (rope.original_max_position_embeddings / wavelength - rope.low_freq_factor) /
      (rope.high_freq_factor - rope.low_freq_factor);
  return (1.0 - smooth) * frequency / rope.factor + smooth * frequency;
}

}  // namespace

std::vector<double> rope_frequencies(const RopeTable::Options& options) {
  const int64_t half = options.rotary_columns / 2;
  INVAR_CHECK(options.rotary_columns % 2 == 0 && half > 0);
  INVAR_CHECK(options.frequency_factors.empty() ||
              static_cast<int64_t>(options.frequency_factors.size()) == half);
  std::vector<double> frequencies(half);
  for (int64_t i = 0; i < half; ++i) {
    const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(2 * half);
    frequencies[i] = pow_f64(options.parameters.rope_theta, exponent);
    if (options.parameters.scaling == RopeScaling::kLlama3) {
      frequencies[i] = scaled_llama3(frequencies[i], options.parameters);
    }
    if (!options.frequency_factors.empty()) {
      frequencies[i] /= options.frequency_factors[i];
    }
  }
  return frequencies;
}

RopeTable::RopeTable(const Options& options)
    : frequencies_(rope_frequencies(options)),
      context_(options.context),
      rotary_columns_(options.rotary_columns),
      values_(static_cast<size_t>(context_ * row_bytes(DType::kF32, rotary_columns_)),
              "a rope table") {
  for (double frequency : frequencies_) {
    if (!(frequency >= 0 && frequency * static_cast<double>(context_) <= kSinCosAngleMax)) {
      fail(Code::kBadFile,
           "{}: frequencies: expected angles up to {} at position {}, found a frequency of {}",
           options.label, kSinCosAngleMax, context_, frequency);
    }
  }
}

void RopeTable::fill(int64_t begin, int64_t end) {
  const TensorView table = view();
  const auto half = static_cast<int64_t>(frequencies_.size());
  for (int64_t position = begin; position < end; ++position) {
    auto* row = table.row<float>(position);
    for (int64_t i = 0; i < half; ++i) {
      const SinCos value = sincos_f64(static_cast<double>(position) * frequencies_[i]);
      row[i] = static_cast<float>(value.cos);
      row[half + i] = static_cast<float>(value.sin);
    }
  }
}

TensorView RopeTable::view() const {
  return dense_view(values_.data(), DType::kF32, context_, rotary_columns_);
}

}  // namespace invar
