# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DRUN= -DBUILD= -DOUT= -DSANITIZE= -P smoke.cmake: runs the whole benchmark at tiny sizes and looks at its files.
# A wrong sum of a loop ends a program with status 1; no time is judged.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${OUT}")
execute_process(COMMAND "${RUN}" --smoke --bench "${BUILD}" --out "${OUT}" RESULT_VARIABLE status
  OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "tools/bench/run --smoke: status ${status}\n${output}\n${errors}")
endif()
if(errors)
  message(FATAL_ERROR "tools/bench/run --smoke printed to stderr:\n${errors}")
endif()

# expect(LENGTH AT_LEAST WHAT)
function(expect value at_least what)
  if(value LESS at_least)
    message(FATAL_ERROR "${what}: ${value}, expected at least ${at_least}\n${output}")
  endif()
endfunction()

file(READ "${OUT}/loops.json" loops)
string(JSON count LENGTH "${loops}" workloads)
expect(${count} 80 "workloads in loops.json")
set(candidates static dyn1 dyn64 guided trapez steal1 steal64)
if(NOT SANITIZE)
  # A sanitized library cannot be preloaded into a program that is not.
  list(APPEND candidates wstree)
  file(READ "${OUT}/overhead.json" overhead)
  string(JSON starts LENGTH "${overhead}" start_up_us)
  expect(${starts} 4 "start-up figures in overhead.json")
  string(JSON verdicts LENGTH "${loops}" verdicts)
  expect(${verdicts} 2 "verdicts in loops.json")
  string(JSON calls LENGTH "${overhead}" ns preloaded)
  string(JSON bare_calls LENGTH "${overhead}" ns bare)
  expect(${calls} ${bare_calls} "figures of the process with the library")
endif()
# Samples are dropped while other work holds the threads up, so a value may be missing, but not all of a schedule's.
math(EXPR last "${count} - 1")
foreach(candidate ${candidates})
  set(values 0)
  foreach(row RANGE ${last})
    string(JSON value ERROR_VARIABLE missing GET "${loops}" workloads ${row} ratio ${candidate})
    if(NOT missing)
      math(EXPR values "${values} + 1")
    endif()
  endforeach()
  expect(${values} 1 "workloads with a value for ${candidate}")
endforeach()
