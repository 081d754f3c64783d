# invar_module(NAME [DEPS ...] [LIBS ...]): src/NAME/**.cc as one static library `invar_NAME`.
# Files are globbed, so a new file needs no line here.
function(invar_module name)
  cmake_parse_arguments(M "" "" "DEPS;LIBS;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  foreach(pattern ${M_EXCLUDE})
    list(FILTER sources EXCLUDE REGEX ${pattern})
  endforeach()
  list(TRANSFORM M_DEPS PREPEND invar_)
  if(NOT sources)  # a module that holds headers only
    add_library(invar_${name} INTERFACE)
    target_link_libraries(invar_${name} INTERFACE invar_options ${M_DEPS} ${M_LIBS})
    return()
  endif()
  add_library(invar_${name} STATIC ${sources})
  target_link_libraries(invar_${name} PUBLIC invar_options ${M_DEPS} ${M_LIBS})
endfunction()

# `unit_tests` builds every program whose ctest entry has the label unit, and no other.
add_custom_target(unit_tests)

# invar_test(NAME [LABELS ...] [DEPS ...] [TIMEOUT seconds]): tests/NAME/**.cc as one GoogleTest
# program `NAME_test`, run as one ctest entry. Tests with a time-out of their own are the long ones,
# which use every core: they run alone.
function(invar_test name)
  cmake_parse_arguments(T "" "TIMEOUT" "LABELS;DEPS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${name}/*.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(${name}_test ${sources})
  list(TRANSFORM T_DEPS PREPEND invar_)
  target_link_libraries(${name}_test PRIVATE ${T_DEPS} GTest::gtest_main GTest::gmock)
  target_include_directories(${name}_test PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(${name}_test PRIVATE INVAR_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name}_test)
  if(T_TIMEOUT)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  else()
    set(T_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${T_LABELS}" TIMEOUT ${T_TIMEOUT})
  if("unit" IN_LIST T_LABELS)
    add_dependencies(unit_tests ${name}_test)
  endif()
endfunction()

# `fuzz_targets` builds every fuzz target and what it needs.
add_custom_target(fuzz_targets)

# invar_fuzz(NAME [DEPS ...]): tests/fuzz/NAME_fuzz.cc, which defines LLVMFuzzerTestOneInput, as the
# program `NAME_fuzz`. With INVAR_FUZZ it is a libFuzzer target (tools/fuzz.sh runs all of them).
# Otherwise it replays tests/fuzz/corpus/NAME and seeded mutations of it, as a unit test.
function(invar_fuzz name)
  cmake_parse_arguments(F "" "" "DEPS" ${ARGN})
  set(source ${CMAKE_SOURCE_DIR}/tests/fuzz/${name}_fuzz.cc)
  list(TRANSFORM F_DEPS PREPEND invar_)
  if(INVAR_FUZZ)
    add_executable(${name}_fuzz ${source})
    target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  else()
    add_executable(${name}_fuzz ${source} ${CMAKE_SOURCE_DIR}/tests/fuzz/replay_main.cc
                   ${CMAKE_SOURCE_DIR}/tests/fuzz/mutator.cc)
    target_include_directories(${name}_fuzz PRIVATE ${CMAKE_SOURCE_DIR}/tests)
    add_test(NAME fuzz_${name} COMMAND ${name}_fuzz ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name})
    set_tests_properties(fuzz_${name} PROPERTIES LABELS "unit;fuzz" TIMEOUT 120)
    add_dependencies(unit_tests ${name}_fuzz)
  endif()
  target_link_libraries(${name}_fuzz PRIVATE ${F_DEPS})
  add_dependencies(fuzz_targets ${name}_fuzz)
endfunction()
