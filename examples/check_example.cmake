# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs PROGRAM with ARGUMENTS without the library and with it preloaded. See wstree_example_test().
cmake_minimum_required(VERSION 3.25)
separate_arguments(arguments UNIX_COMMAND "${ARGUMENTS}")
file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")
set(statistics "${SCRATCH}/statistics.json")

# The settings of the shell that runs the tests must not take part. Two numbers, for the inner teams of a nested region.
set(clean --unset=LD_PRELOAD --unset=KMP_AFFINITY --unset=OMP_PROC_BIND --unset=OMP_THREAD_LIMIT --unset=WSTREE_STRATEGY
  --unset=WSTREE_BATCH --unset=WSTREE_FALLBACK --unset=WSTREE_BIND --unset=WSTREE_STATS --unset=WSTREE_VERBOSE --unset=OMP_DISPLAY_ENV
  OMP_NUM_THREADS=4,2 OMP_DYNAMIC=false)

function(run result)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${clean} ${ARGN} "${PROGRAM}" ${arguments}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  list(JOIN ARGN " " settings)
  if(NOT status EQUAL 0 OR NOT errors STREQUAL "")
    message(FATAL_ERROR "with ${settings}: status ${status}, expected 0 and nothing on stderr\n${output}${errors}")
  endif()
  # What follows the semicolon is the time.
  if(NOT output MATCHES "^([^;\n]+); 4 threads, [0-9.]+ s\n$")
    message(FATAL_ERROR "with ${settings}: not the line that was expected\n${output}")
  endif()
  set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

run(plain OMP_SCHEDULE=static)
run(served OMP_SCHEDULE=wstree "LD_PRELOAD=${LIBRARY}" "WSTREE_STATS=json=${statistics}")
if(NOT plain STREQUAL served)
  message(FATAL_ERROR "without the library: ${plain}\nwith it:             ${served}")
endif()

if(CALLS EQUAL 0)
  return() # a program without a loop that the library could serve
endif()
if(NOT EXISTS "${statistics}")
  message(FATAL_ERROR "no statistics were written: the library served nothing")
endif()
file(READ "${statistics}" json)
string(JSON sites LENGTH "${json}" loops)
set(calls 0)
set(iterations 0)
math(EXPR last "${sites} - 1")
foreach(site RANGE ${last})
  string(JSON where GET "${json}" loops ${site} where)
  string(JSON schedule GET "${json}" loops ${site} schedule)
  string(JSON site_calls GET "${json}" loops ${site} calls)
  string(JSON site_iterations GET "${json}" loops ${site} iterations)
  if(NOT where MATCHES "(^|/)${FILE}:[0-9]+ \\(.+\\)$" OR NOT schedule MATCHES "^wstree")
    message(FATAL_ERROR "a loop at '${where}' by '${schedule}'; expected ${FILE} and wstree\n${json}")
  endif()
  math(EXPR calls "${calls} + ${site_calls}")
  math(EXPR iterations "${iterations} + ${site_iterations}")
endforeach()
if(NOT calls EQUAL CALLS OR NOT iterations EQUAL ITERATIONS)
  message(FATAL_ERROR "${calls} loops with ${iterations} iterations were served, not ${CALLS} with ${ITERATIONS}\n${json}")
endif()
