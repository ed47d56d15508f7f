# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DWSTREE= -DBUILD= -DOUT= -DRUNTIMES= -P validation.cmake: simulates the whole benchmark at tiny sizes, where times mean
# nothing, and looks whether every schedule was compared on every workload.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${OUT}")
list(JOIN RUNTIMES "," runtimes)
execute_process(COMMAND "${WSTREE}" bench --smoke --parts validation --only . --bench "${BUILD}" --runtimes "${runtimes}"
    --out "${OUT}"
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
string(REGEX REPLACE "wstree: there is no release build of libomp[^\n]*\n" "" unexpected "${errors}")
if(NOT status EQUAL 0 OR unexpected)
  message(FATAL_ERROR "wstree bench --smoke --parts validation: status ${status}\n${output}\n${errors}")
endif()
file(READ "${OUT}/results.json" results)

foreach(runtime ${RUNTIMES})
  execute_process(COMMAND "${BUILD}/validate" --candidates ${runtime} OUTPUT_VARIABLE candidates
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "," ";" candidates "${candidates}")
  list(LENGTH candidates candidate_count)
  # One thread shows one schedule.
  math(EXPR of_each "${candidate_count} + 1")
  string(JSON data GET "${results}" parts validation data ${runtime} rows)
  string(REGEX MATCHALL "\"column\": \"error\"" errors_found "${data}")
  string(REGEX MATCHALL "\"column\": \"median error\"" summaries_found "${data}")
  list(LENGTH errors_found rows)
  list(LENGTH summaries_found summaries)
  math(EXPR workload_count "${rows} / ${of_each}")
  math(EXPR expected "${workload_count} * ${of_each}")
  if(workload_count LESS 80 OR NOT rows EQUAL expected)
    message(FATAL_ERROR "${runtime}: ${rows} rows of ${of_each} for each of 80 workloads or more\n${output}")
  endif()
  if(NOT summaries EQUAL of_each)
    message(FATAL_ERROR "${runtime}: ${summaries} summaries instead of ${of_each}")
  endif()
endforeach()
