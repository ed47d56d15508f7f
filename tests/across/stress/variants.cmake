# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The threads of tests/across/round once more with sanitizers in them, which need no suppressions because there is no OpenMP. Compiled when the
# tests run, because they take minutes anyway.
include(CheckCXXSourceCompiles)
set(includes "$<TARGET_PROPERTY:round_test,INCLUDE_DIRECTORIES>")
set(command_common ${CMAKE_CXX_COMPILER} -std=c++20 -O1 -g -pthread "-I$<JOIN:${includes},$<SEMICOLON>-I>")
set(round ${CMAKE_CURRENT_SOURCE_DIR}/../round)
set(command_sources ${round}/round.cpp ${round}/sequence.cpp ${round}/notes.cpp)

# wstree_stress_variant(NAME FLAGS...): ${NAME} can be run by tests with FIXTURES_REQUIRED stress_NAME
function(wstree_stress_variant name)
  add_test(NAME stress.long.build.${name}
    COMMAND ${command_common} ${ARGN} ${command_sources} -o ${CMAKE_CURRENT_BINARY_DIR}/stress_${name} COMMAND_EXPAND_LISTS)
  set_tests_properties(stress.long.build.${name} PROPERTIES LABELS "stress;long" TIMEOUT 1500
    FIXTURES_SETUP stress_${name})
endfunction()

foreach(sanitizer thread address,undefined)
  string(REGEX REPLACE ",.*" "" name ${sanitizer})
  set(CMAKE_REQUIRED_FLAGS "-fsanitize=${sanitizer}")
  check_cxx_source_compiles("int main() { return 0; }" WSTREE_STRESS_HAS_${name})
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT WSTREE_STRESS_HAS_${name})
    message(STATUS "Stress test with sanitizer ${sanitizer} left out: the compiler does not have it")
    continue()
  endif()
  wstree_stress_variant(${name} -fsanitize=${sanitizer} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  wstree_stress_test(${name} COMMAND ${WSTREE_ENV} ${CMAKE_CURRENT_BINARY_DIR}/stress_${name} --threads --loops 100000
    ENVIRONMENT TSAN_OPTIONS=halt_on_error=1)
  set_tests_properties(stress.long.${name} PROPERTIES FIXTURES_REQUIRED stress_${name})
endforeach()
