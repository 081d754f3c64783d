# Compiler options for every target: the law's (no contraction), warnings as errors, sanitizers.
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

find_program(INVAR_CCACHE ccache)
if(INVAR_CCACHE)
  # The two settings let clones in different folders share what is cached.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      ${INVAR_CCACHE})
endif()
find_program(INVAR_MOLD mold)

add_library(invar_options INTERFACE)
target_compile_options(invar_options INTERFACE
  -Wall -Wextra -Werror -Wshadow -Wno-psabi
  # clang reports a deprecated function inside libstdc++ 12's own stable_sort, and g++'s options.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  $<$<CXX_COMPILER_ID:Clang>:-Wno-unknown-warning-option>
  # The law, rule 0: one meaning per formula. No contraction, no reassociation, errno-free math.
  -ffp-contract=off -fno-math-errno -fno-omit-frame-pointer)
target_include_directories(invar_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(invar_options INTERFACE Threads::Threads)
if(INVAR_MOLD)
  target_link_options(invar_options INTERFACE -fuse-ld=mold)
endif()
if(INVAR_SANITIZE)
  target_compile_options(invar_options INTERFACE -fsanitize=${INVAR_SANITIZE}
                         -fno-sanitize-recover=all)
  if(INVAR_FUZZ)  # coverage for libFuzzer in every library; the targets add the fuzzer itself
    target_compile_options(invar_options INTERFACE -fsanitize=fuzzer-no-link)
  endif()
  target_link_options(invar_options INTERFACE -fsanitize=${INVAR_SANITIZE})
endif()
