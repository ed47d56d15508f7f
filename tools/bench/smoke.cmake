# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DWSTREE= -DBUILD= -DOUT= -DSANITIZE= -DRUNTIMES= -DTBB= -DALL= -P smoke.cmake: runs the whole benchmark at tiny sizes,
# without ALL all parts but `std`, and looks at what it writes. A wrong sum of a loop ends a program with status 1; no time is
# judged.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${OUT}")
list(JOIN RUNTIMES "," runtimes)
set(parts "")
if(NOT ALL)
  set(parts --parts loops,one-thread,calls,anatomy,watching,crowd,memory,short,strategies,workers,step,step-grid,api,types,static,taskloop,unequal,waiting,fronts,models)
endif()
execute_process(COMMAND "${WSTREE}" bench --smoke ${parts} --bench "${BUILD}" --runtimes "${runtimes}" --out "${OUT}"
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "wstree bench --smoke: status ${status}\n${output}\n${errors}")
endif()
# What is not on every machine may be missed in one line each.
string(REGEX REPLACE "wstree: there is no release build of libomp[^\n]*\n" "" unexpected "${errors}")
if(unexpected)
  message(FATAL_ERROR "wstree bench --smoke printed to stderr:\n${unexpected}")
endif()

file(READ "${OUT}/results.json" results)
file(READ "${OUT}/report.txt" report)

# expect(VALUE AT_LEAST WHAT)
function(expect value at_least what)
  if(value LESS at_least)
    message(FATAL_ERROR "${what}: ${value}, expected at least ${at_least}\n${output}")
  endif()
endfunction()

# Numbers of rows of the flat list by what they begin with: samples are dropped while other work holds the threads up,
# so that a value may be missed, but not all of a schedule's.
function(expect_rows part runtime column at_least)
  string(REGEX MATCHALL "\"part\": \"${part}\",[ \n]*\"runtime\": \"${runtime}\",[ \n]*\"row\": \"[^\"]*\",[ \n]*\"column\": \"${column}\""
    found "${results}")
  list(LENGTH found count)
  expect(${count} ${at_least} "values of ${part}, ${runtime}, ${column} in results.json")
endfunction()

# The same by the beginning of their own name.
function(expect_rows_named name at_least)
  string(REGEX MATCHALL "\"row\": \"${name}" found "${results}")
  list(LENGTH found count)
  expect(${count} ${at_least} "rows ${name} in results.json")
endfunction()

string(JSON failures LENGTH "${results}" failures)
if(NOT failures EQUAL 0)
  message(FATAL_ERROR "results.json has failures\n${output}")
endif()

foreach(runtime ${RUNTIMES})
  set(candidates static dyn1 dyn64 guided)
  if(runtime STREQUAL "libomp")
    list(APPEND candidates trapez steal1 steal64)
  endif()
  if(NOT SANITIZE) # a sanitized library cannot be preloaded into a program that is not
    list(APPEND candidates wstree)
    expect_rows(calls ${runtime} "the library adds" 4)
    expect_rows(crowd ${runtime} wstree 2)
    expect_rows(step ${runtime} "wstree P=1" 4)
    expect_rows(taskloop ${runtime} wstree 20)
    expect_rows(unequal ${runtime} wstree 40)
    expect_rows(waiting ${runtime} "auto CPU" 10)
    expect_rows(calls ${runtime} preloaded 10)
    expect_rows(anatomy ${runtime} preloaded 10)
    expect_rows(short even-${runtime} preloaded 20)
    expect_rows(short ${runtime} no_memory 60)
    if(results MATCHES "settled hit/wstree") # more than one thread
      expect_rows_named("steal/wstree/P=2\"" 1)
      if(runtime STREQUAL "libomp")
        expect_rows_named("steal/static_steal,1/P=2\"" 1)
      endif()
    endif()
  endif()
  # These programs have no library in them, sanitized or not.
  foreach(peer wstree openmp)
    expect_rows(api ${runtime} ${peer} 25)
  endforeach()
  foreach(candidate ${candidates})
    expect_rows(loops ${runtime} ${candidate} 20)
    if(NOT candidate STREQUAL "trapez")
      expect_rows(short ${runtime} ${candidate} 60)
    endif()
  endforeach()
  foreach(candidate static dyn64 guided)
    expect_rows(memory ${runtime} ${candidate} 1)
  endforeach()
endforeach()
# What the C++ library promises holds at any size.
string(REGEX MATCHALL "\"what\": \"what has to hold, failed\",[ \n]*\"limit\": 0.0,[ \n]*\"worst\": 0.0," kept "${results}")
list(LENGTH kept kept_count)
list(LENGTH RUNTIMES twice)
math(EXPR twice "2 * ${twice}") # among the figures of the part, and among all verdicts
expect(${kept_count} ${twice} "programs in which the C++ library keeps its promises")
if(TBB)
  expect_rows(loops oneTBB tbb_auto 20)
endif()
list(GET RUNTIMES 0 lead)
expect_rows(types ${lead} wstree 7)
if(NOT SANITIZE)
  if("libomp" IN_LIST RUNTIMES) # gcc cuts static loops itself
    expect_rows(static libomp balanced 10)
  endif()
  foreach(candidate wstree wsrange wsqueue wsqueue_lock wsfixed1 wsfixed64 wsguided wsfac2 wstrapezoid wsstatic)
    expect_rows(models ${lead} ${candidate} 1)
  endforeach()
  foreach(strategy predefined assign assigntop randomwalk randomall findmax timed exponential random)
    expect_rows(strategies ${lead} ${strategy} 1)
  endforeach()
  expect_rows(fronts ${lead} wstree 40)
  expect_rows(step-grid ${lead} wstree 200)
  expect_rows(workers ${lead} wstree 12)
  expect_rows(one-thread ${lead} wstree 1)
endif()

# The report is what was shown.
if(NOT report STREQUAL output AND NOT output MATCHES "Written: ")
  message(FATAL_ERROR "report.txt is not what was printed")
endif()

if(SANITIZE)
  return()
endif()
# Every picture has marks: an empty diagram has none of these.
set(pictures figure-07 figure-08-09 figure-10 figure-19 ratio-${lead}-paper ratio-${lead}-program)
foreach(runtime ${RUNTIMES})
  list(APPEND pictures figure-06-${runtime})
endforeach()
foreach(picture ${pictures})
  if(NOT EXISTS "${OUT}/${picture}.svg")
    message(FATAL_ERROR "${picture} was not drawn\n${output}\n${errors}")
  endif()
  file(READ "${OUT}/${picture}.svg" svg)
  string(REGEX MATCHALL "<circle |<polyline " marks "${svg}")
  list(LENGTH marks count)
  expect(${count} 8 "marks in ${picture}.svg")
endforeach()
