# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sets CLI_OPENMP_CLANG to the command line of a clang whose OpenMP programs run on this machine, or leaves it empty.
# A new clang may need a newer libomp than the system has, so each is tried with the builds of WSTREE_LIBOMP_DIR too.
set(CLI_OPENMP_CLANG "")
set(probe "${CMAKE_CURRENT_BINARY_DIR}/probe")
file(WRITE "${probe}.c" [[
int main(void) {
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < 9; ++i) {
  }
  return 0;
}
]])
foreach(name clang clang-22 clang-19 clang-14)
  find_program(candidate_${name} ${name} NO_CACHE)
  if(NOT candidate_${name})
    continue()
  endif()
  foreach(build own 19-release 19 16 14)
    set(command "${candidate_${name}}" -fopenmp -O1 -g)
    if(NOT build STREQUAL "own")
      if(NOT EXISTS "${WSTREE_LIBOMP_DIR}/${build}/libomp.so")
        continue()
      endif()
      list(APPEND command "-L${WSTREE_LIBOMP_DIR}/${build}" "-Wl,-rpath,${WSTREE_LIBOMP_DIR}/${build}")
    endif()
    execute_process(COMMAND ${command} "${probe}.c" -o "${probe}" RESULT_VARIABLE compiled OUTPUT_QUIET ERROR_QUIET)
    if(compiled EQUAL 0)
      execute_process(COMMAND "${probe}" RESULT_VARIABLE ran TIMEOUT 120 OUTPUT_QUIET ERROR_QUIET)
      if(ran EQUAL 0)
        set(CLI_OPENMP_CLANG ${command})
        return()
      endif()
    endif()
  endforeach()
endforeach()
