# Kernels are compiled once for each instruction set: every .cc below kernels/cpu/<isa>/ gets that
# set's flags and nothing else in the tree does. The set is chosen at run time from CPUID.
file(GLOB avx2_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/kernels/cpu/avx2/*.cc)
file(GLOB avx512_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/kernels/cpu/avx512/*.cc)
set_source_files_properties(${avx2_sources} TARGET_DIRECTORY invar_kernels PROPERTIES
  COMPILE_OPTIONS "-mavx2;-mfma;-mf16c;-mbmi2")
set_source_files_properties(${avx512_sources} TARGET_DIRECTORY invar_kernels PROPERTIES
  COMPILE_OPTIONS "-mavx2;-mfma;-mf16c;-mbmi2;-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mavx512vnni;-mprefer-vector-width=512")
