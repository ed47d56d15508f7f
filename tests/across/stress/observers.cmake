# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tools that watch a program must find it as they would without the library: no false alarms, and its mistakes.
find_program(WSTREE_VALGRIND valgrind)
mark_as_advanced(WSTREE_VALGRIND)
if(WSTREE_VALGRIND)
  set(memcheck ${WSTREE_VALGRIND} --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite
    --show-leak-kinds=definite --fair-sched=yes)
  wstree_stress_test(memcheck.round
    COMMAND ${memcheck} $<TARGET_FILE:round_test> --threads --loops 1000 --seed 4)
  if(WSTREE_GCC)
    wstree_stress_test(memcheck.ordinary
      COMMAND ${memcheck} ${CMAKE_CURRENT_BINARY_DIR}/ordinary-gcc --rounds 3
      ENVIRONMENT ${settings_common} OMP_SCHEDULE=wstree)
    # The workers' stacks are near the ones on which the library asks about rules.
    wstree_stress_test(memcheck.small_stacks
      COMMAND ${memcheck} ${CMAKE_CURRENT_BINARY_DIR}/ordinary-gcc --rounds 3
      ENVIRONMENT ${settings_common} OMP_SCHEDULE=wstree OMP_STACKSIZE=256k "WSTREE_RULES=* wsrange")
  endif()
else()
  message(STATUS "Stress tests under memcheck left out: they need valgrind")
endif()

# Archer: LLVM's tool that tells the thread sanitizer what OpenMP orders.
find_program(WSTREE_ARCHER_CLANG NAMES clang++-14)
find_library(WSTREE_ARCHER NAMES archer PATHS /usr/lib/llvm-14/lib NO_DEFAULT_PATH)
mark_as_advanced(WSTREE_ARCHER_CLANG WSTREE_ARCHER)
if(WSTREE_ARCHER AND WSTREE_ARCHER_CLANG AND runtime_clang)
  set(watched "${CMAKE_CURRENT_BINARY_DIR}/ordinary-archer")
  add_test(NAME stress.long.build.archer
    COMMAND ${WSTREE_ARCHER_CLANG} -std=c++20 -O1 -g -fsanitize=thread -fopenmp "-I${PROJECT_SOURCE_DIR}/tests/abi"
      "${CMAKE_CURRENT_SOURCE_DIR}/programs/ordinary.cpp" "-L${WSTREE_LIBOMP_DIR}/${WSTREE_FOREIGN_LIBOMP}" -o "${watched}")
  set_tests_properties(stress.long.build.archer PROPERTIES LABELS "stress;long" TIMEOUT 600 FIXTURES_SETUP stress_archer)
  # The runtimes and this library are not instrumented, so what they do among themselves would look like a race.
  set(archer ${settings_common} ${runtime_clang} OMP_SCHEDULE=wstree "OMP_TOOL_LIBRARIES=${WSTREE_ARCHER}"
    TSAN_OPTIONS=ignore_noninstrumented_modules=1)
  wstree_stress_test(archer.quiet COMMAND ${WSTREE_ENV} "${watched}" ENVIRONMENT ${archer})
  wstree_stress_test(archer.race COMMAND ${WSTREE_ENV} "${watched}" --race --rounds 5 ENVIRONMENT ${archer})
  set_tests_properties(stress.long.archer.quiet stress.long.archer.race PROPERTIES FIXTURES_REQUIRED stress_archer)
  set_tests_properties(stress.long.archer.race PROPERTIES PASS_REGULAR_EXPRESSION "data race .*ordinary.cpp")
else()
  message(STATUS "Stress tests under Archer left out: they need clang++-14 and libarcher.so")
endif()
