# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DRUN= -DBUILD= -DOUT= -DRUNTIMES= -P validation.cmake: simulates the whole benchmark at tiny sizes, where times mean
# nothing, and looks whether every schedule was compared on every workload.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${OUT}")
execute_process(COMMAND "${RUN}" --smoke --parts validation --only . --bench "${BUILD}" --out "${OUT}"
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT status EQUAL 0 OR errors)
  message(FATAL_ERROR "tools/bench/run --smoke --parts validation: status ${status}\n${output}\n${errors}")
endif()

foreach(runtime ${RUNTIMES})
  execute_process(COMMAND "${BUILD}/validate" --candidates ${runtime} OUTPUT_VARIABLE candidates
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "," ";" candidates "${candidates}")
  list(LENGTH candidates candidate_count)
  file(STRINGS "${OUT}/costs-${runtime}.txt" workloads REGEX "^workload ")
  list(LENGTH workloads workload_count)
  if(workload_count LESS 80)
    message(FATAL_ERROR "${runtime}: costs of only ${workload_count} workloads")
  endif()
  file(READ "${OUT}/validation-${runtime}.json" json)
  string(JSON rows LENGTH "${json}" rows)
  # One thread shows one schedule.
  math(EXPR expected "${workload_count} * (${candidate_count} + 1)")
  if(NOT rows EQUAL expected)
    message(FATAL_ERROR "${runtime}: ${rows} rows instead of ${expected}\n${output}")
  endif()
  string(JSON summaries LENGTH "${json}" summaries)
  math(EXPR expected "${candidate_count} + 1")
  if(NOT summaries EQUAL expected)
    message(FATAL_ERROR "${runtime}: ${summaries} summaries instead of ${expected}")
  endif()
endforeach()
