// The version of the bitwise definitions in docs/numerics.md. Raise it with every change there that
// changes a bit of any op's result: it goes into cache keys and into what the API reports.
#pragma once

namespace invar {

inline constexpr int kNumericsVersion = 4;

}  // namespace invar
