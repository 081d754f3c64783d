// A dtype of ops as an element type of kernels.
#pragma once

#include "core/dtype.h"
#include "core/error.h"
#include "kernels/cpu/element.h"

namespace invar {

inline cpu::Element element_of(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return cpu::Element::kF32;
    case DType::kBF16:
      return cpu::Element::kBF16;
    case DType::kF16:
      return cpu::Element::kF16;
    default:
      check_failed("dtype is a float", std::string(dtype_name(dtype)),
                   std::source_location::current());
  }
}

}  // namespace invar
