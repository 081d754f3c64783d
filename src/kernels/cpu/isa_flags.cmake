# Kernels are compiled once for each instruction set: every .cc below kernels/cpu/<isa>/ gets that
# set's flags and nothing else in the tree does. The set is chosen at run time from CPUID.
function(invar_isa_flags isa)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/kernels/cpu/${isa}/*.cc)
  if(sources)
    set_source_files_properties(${sources} TARGET_DIRECTORY invar_kernels
                                PROPERTIES COMPILE_OPTIONS "${ARGN}")
  endif()
endfunction()

set(avx2 -mavx2 -mfma -mf16c -mbmi2)
invar_isa_flags(avx2 ${avx2})
# g++ 12's own AVX-512 header initialises undefined registers from themselves and trips over its
# warning; the other two folders compile the same templates with the warning on.
invar_isa_flags(avx512 ${avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni
                -mprefer-vector-width=512 -Wno-uninitialized -Wno-maybe-uninitialized)
