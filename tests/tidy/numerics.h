// The law's rule 0 in the tree: one meaning per formula. No libm in kernels and backends (its
// results depend on the processor), no contraction or reassociation by the compiler, no atomics on
// floats (their order is not fixed). Checked in the sources, the build files and the compiled
// archives.
#pragma once

#include "tidy/allow_list.h"
#include "tidy/source.h"

namespace invar::tidy {

// Calls of libm's functions below src/kernels/ and src/backend/, whose results are not the same
// bits everywhere or which are not inlined. Exact ones (fma, abs, copysign, isnan ...) pass.
Findings check_libm_calls(const Source& source, AllowList& allowed);

// Atomics on floats, contraction pragmas and optimisation attributes, anywhere in C++.
Findings check_float_order(const Source& source, AllowList& allowed);

// Flags in CMake files and presets that let the compiler change a formula.
Findings check_build_flags(const Source& source);

// Every entry of a compile_commands.json for a file below src/ turns contraction off and sets none
// of the flags above.
Findings check_compile_commands(const std::string& path, std::string_view text);

// `listing`: what `nm --undefined-only` prints for `archive`.
Findings check_undefined_symbols(const std::string& archive, std::string_view listing);

}  // namespace invar::tidy
