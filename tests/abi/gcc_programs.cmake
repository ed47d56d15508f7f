# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Programs of g++ and gfortran on the machine's libgomp, and some of them on libomp, which has GCC's entries too. Test
# names are abi.PROGRAM.gccG and abi.gcc.PROGRAM.WHAT. A machine without GCC's OpenMP leaves them out.
set(gccs "")
foreach(version 9 10 11 12 13 14 15)
  find_program(WSTREE_GXX_${version} NAMES g++-${version})
  mark_as_advanced(WSTREE_GXX_${version})
  if(WSTREE_GXX_${version})
    list(APPEND gccs ${version})
  endif()
endforeach()
if(NOT gccs)
  find_program(WSTREE_GXX_ NAMES g++)
  mark_as_advanced(WSTREE_GXX_)
  if(WSTREE_GXX_)
    execute_process(COMMAND "${WSTREE_GXX_}" -dumpversion OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX MATCH "^[0-9]+" version "${version}")
    set(WSTREE_GXX_${version} "${WSTREE_GXX_}")
    list(APPEND gccs ${version})
  endif()
endif()
# g++ on some systems is another compiler, and some come without their runtime.
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/probe.cpp" "int main(int n, char**) {\n"
  "#pragma omp parallel for schedule(runtime)\n  for (int i = 0; i < n; ++i) {}\n}\n")
foreach(gcc IN LISTS gccs)
  if(NOT WSTREE_GXX_MAKES_PROGRAMS_${gcc} STREQUAL "${WSTREE_GXX_${gcc}}")
    execute_process(
      COMMAND "${WSTREE_GXX_${gcc}}" -std=c++2a -fopenmp -pthread "${CMAKE_CURRENT_BINARY_DIR}/probe.cpp"
        -o "${CMAKE_CURRENT_BINARY_DIR}/probe-gcc${gcc}"
      RESULT_VARIABLE probe OUTPUT_QUIET ERROR_QUIET)
    if(probe EQUAL 0)
      set(WSTREE_GXX_MAKES_PROGRAMS_${gcc} "${WSTREE_GXX_${gcc}}" CACHE INTERNAL "This g++ can link an OpenMP program")
    else()
      list(REMOVE_ITEM gccs ${gcc})
    endif()
  endif()
endforeach()
if(NOT gccs)
  message(STATUS "ABI tests of GCC left out: they need a g++ with libgomp")
  return()
endif()
list(GET gccs -1 newest_gcc)
if(NOT WSTREE_TEST_ALL_PAIRS)
  set(gccs ${newest_gcc})
endif()

function(wstree_gcc_program name source gcc)
  set(flags -std=c++2a -O2 -g1 -Wall -Wextra -Wpedantic -Wshadow -pthread -fopenmp ${ARGN})
  if(WSTREE_WERROR)
    list(APPEND flags -Werror)
  endif()
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  file(GLOB headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${WSTREE_GXX_${gcc}}" ${flags} "${CMAKE_CURRENT_SOURCE_DIR}/${source}" -o "${output}"
    DEPENDS "${source}" ${headers} COMMENT "Test program ${name}" VERBATIM)
  set(foreign_outputs ${foreign_outputs} "${output}" PARENT_SCOPE)
endfunction()

set(gcc_programs
  cancel exactly_once foreign_regions gomp_constructs gomp_entries gomp_old lastprivate literal_kinds loop_types nowait order
  progress schedule_icv slot_reuse unwind upstream_reports)
# The newest compiler builds all of them, the others what depends on the code that they make.
set(gcc_programs_of_all_compilers gomp_constructs lastprivate literal_kinds loop_types nowait order)
foreach(gcc IN LISTS gccs)
  set(gcc_programs_of_${gcc} ${gcc_programs_of_all_compilers})
  if(gcc EQUAL newest_gcc)
    set(gcc_programs_of_${gcc} ${gcc_programs})
  endif()
  foreach(program IN LISTS gcc_programs_of_${gcc})
    wstree_gcc_program(${program}-gcc${gcc} ${program}.cpp ${gcc} ${flags_${program}})
  endforeach()
endforeach()

# Regions that are one static loop: their parts are computed by what the compiler makes of them.
foreach(gcc IN LISTS gccs)
  wstree_gcc_program(static_regions-gcc${gcc} static_regions.cpp ${gcc})
endforeach()
wstree_gcc_program(static_calls-gcc${newest_gcc} static_calls.cpp ${newest_gcc})
wstree_gcc_program(late_request-gcc${newest_gcc} late_request.cpp ${newest_gcc})

# wstree_gcc_test(WHAT PROGRAM ...): abi.gcc.PROGRAM.WHAT on libgomp; the rest is as for wstree_abi_test.
function(wstree_gcc_test what program)
  wstree_abi_test(abi.gcc.${program}.${what} ${program}-gcc${newest_gcc} libgomp ${ARGN})
endfunction()

# 1. Every program of every compiler.
foreach(gcc IN LISTS gccs)
  foreach(program IN LISTS gcc_programs_of_${gcc})
    wstree_abi_test(abi.${program}.gcc${gcc} ${program}-gcc${gcc} libgomp
      ARGUMENTS ${arguments_${program}} ENVIRONMENT ${environment_${program}})
  endforeach()
endforeach()
foreach(program IN LISTS gcc_programs)
  wstree_abi_test(abi.long.${program}.gcc ${program}-gcc${newest_gcc} libgomp LONG
    ARGUMENTS ${arguments_${program}} ENVIRONMENT ${environment_${program}})
endforeach()

foreach(gcc IN LISTS gccs)
  foreach(threads 2 4 7)
    wstree_abi_test(abi.static_regions.gcc${gcc}.threads_${threads} static_regions-gcc${gcc} libgomp OFTEN ${threads} "2|7"
      ENVIRONMENT "WSTREE_LOOPS=proven" "OMP_NUM_THREADS=${threads}")
  endforeach()
endforeach()
wstree_gcc_test(served static_regions LAUNCHER ${run_served} --min-calls 100 --expect-schedule "wstree (proven)"
    --expect-text "sums of floating-point numbers would depend on the pieces" --
  ARGUMENTS --repeat 10 ENVIRONMENT "WSTREE_LOOPS=proven")
wstree_gcc_test(served static_calls LAUNCHER ${run_served} --min-calls 10 --expect-schedule "wstree (proven)" --
  ENVIRONMENT "WSTREE_LOOPS=proven")
wstree_gcc_test(left_alone static_regions LAUNCHER ${run_served} --min-calls 0 --
  ARGUMENTS --repeat 10 ENVIRONMENT "WSTREE_LOOPS=runtime,dynamic,guided,auto,taskloop")
wstree_gcc_test(bare static_regions BARE)

# 2. Smallest batches, team sizes and fallbacks.
foreach(chunk 1 64 1000000 67108863)
  wstree_gcc_test(chunk_${chunk} exactly_once ARGUMENTS --case random_loops --random 4000 ENVIRONMENT "OMP_SCHEDULE=wstree,${chunk}")
endforeach()
foreach(threads 1 3 16)
  foreach(program gomp_constructs loop_types)
    wstree_gcc_test(threads_${threads} ${program} OFTEN ${threads} "1|3" ENVIRONMENT "OMP_NUM_THREADS=${threads}")
  endforeach()
endforeach()
wstree_gcc_test(huge exactly_once ARGUMENTS --case emptied --drain-bits 40)
wstree_gcc_test(all_loops gomp_entries ENVIRONMENT "WSTREE_LOOPS=all")
# Of any loop, also one whose bounds lie further apart than half of their type: every loop goes to libgomp here.
foreach(fallback guided dynamic,64)
  string(REPLACE "," "_" readable ${fallback})
  wstree_gcc_test(fallback_${readable} exactly_once ARGUMENTS --case random_loops --random 4000
    ENVIRONMENT "WSTREE_FALLBACK=${fallback}" "WSTREE_LOOPS=dynamic")
endforeach()
foreach(fallback static static,3 dynamic,2 guided,4 auto trapezoidal,5)
  string(REPLACE "," "_" readable ${fallback})
  set(arguments "")
  if(fallback MATCHES "static|auto") # under which GCC's own code is wrong about conditional lastprivates of loops that go down
    set(arguments --skip conditional_lastprivate)
  endif()
  # Members of libgomp spin in doacross loops: more of them than processors take many seconds with pieces of three, and
  # two of them enough for fewer rounds of all cases of `order`.
  set(environment "WSTREE_FALLBACK=${fallback}")
  set(fewer "")
  if(fallback STREQUAL "static,3")
    set(fewer --repeat 6)
    wstree_gcc_test(fallback_static_3.threads_4 gomp_constructs LONG ARGUMENTS ${arguments} ENVIRONMENT ${environment})
    wstree_gcc_test(fallback_static_3.threads_4 order LONG ENVIRONMENT ${environment})
    list(APPEND environment "OMP_NUM_THREADS=2")
  endif()
  wstree_gcc_test(fallback_${readable} gomp_constructs OFTEN ${fallback} "static|dynamic,2" ARGUMENTS ${arguments}
    ENVIRONMENT ${environment})
  wstree_gcc_test(fallback_${readable} order OFTEN ${fallback} "static|dynamic,2" ARGUMENTS ${fewer}
    ENVIRONMENT ${environment})
endforeach()

# 3. Loaded, but not asked for by the environment.
wstree_gcc_test(not_asked schedule_icv ARGUMENTS --library ENVIRONMENT "OMP_SCHEDULE=dynamic,5")
foreach(program gomp_constructs gomp_old nowait order)
  wstree_gcc_test(not_asked ${program} ENVIRONMENT "OMP_SCHEDULE=dynamic,3")
endforeach()

wstree_gcc_test(not_asked late_request ENVIRONMENT "OMP_SCHEDULE=dynamic")

# 4. The programs on bare libgomp: an oracle for the oracles. With chunks of one, because it multiplies them by strides.
foreach(program IN LISTS gcc_programs)
  set(chunk "")
  if(program STREQUAL "schedule_icv")
    set(chunk ",5")
  endif()
  wstree_gcc_test(bare ${program} BARE ENVIRONMENT "OMP_SCHEDULE=dynamic${chunk}")
endforeach()

# 5. Loops were really served.
foreach(program IN LISTS gcc_programs)
  if(NOT program STREQUAL "slot_reuse") # long, and begins its loops as the others do
    wstree_gcc_test(served ${program} LAUNCHER ${run_served} --min-calls 3 --
      ARGUMENTS --repeat 1 ${arguments_${program}} ENVIRONMENT ${environment_${program}})
  endif()
endforeach()

# 6. gfortran, which makes the same calls from bounds of its own.
find_program(WSTREE_GFORTRAN NAMES gfortran gfortran-${newest_gcc})
mark_as_advanced(WSTREE_GFORTRAN)
if(WSTREE_GFORTRAN)
  set(gfortran_program "${CMAKE_CURRENT_BINARY_DIR}/fortran_loops-gfortran")
  add_custom_command(OUTPUT "${gfortran_program}"
    COMMAND "${WSTREE_GFORTRAN}" -O2 -fopenmp "${CMAKE_CURRENT_SOURCE_DIR}/fortran_loops.f90" -o "${gfortran_program}"
    DEPENDS fortran_loops.f90 COMMENT "Test program fortran_loops-gfortran" VERBATIM)
  list(APPEND foreign_outputs "${gfortran_program}")
  wstree_abi_test(abi.fortran_loops.gfortran fortran_loops-gfortran libgomp ARGUMENTS --library)
  wstree_abi_test(abi.fortran_loops.gfortran.bare fortran_loops-gfortran libgomp BARE ENVIRONMENT "OMP_SCHEDULE=dynamic")
  wstree_abi_test(abi.fortran_loops.gfortran.served fortran_loops-gfortran libgomp
    LAUNCHER ${run_served} --min-calls 1680 -- ARGUMENTS --library)
endif()

# 7. The same programs on libomp's version of GCC's entries: preloaded in front of libgomp, and in its place. What goes
#    wrong there without the library is left out: loops over unsigned long that go down find no iterations, which the
#    library does not change where it leaves a loop alone. Cancellation hangs there without the library.
set(gcc_programs_on_libomp cancel exactly_once lastprivate loop_types nowait)
set(arguments_on_libomp_exactly_once --skip random_loops)
set(arguments_on_libomp_nowait --skip more_loops_apart_than_a_ring_has) # libomp's own hang after seven
if(WSTREE_FOREIGN_LIBOMPS)
  list(GET WSTREE_FOREIGN_LIBOMPS 0 oldest_libomp)
  set(in_its_place "${CMAKE_CURRENT_BINARY_DIR}/libomp_as_libgomp")
  file(MAKE_DIRECTORY "${in_its_place}")
  file(CREATE_LINK "${WSTREE_LIBOMP_DIR}/${WSTREE_FOREIGN_LIBOMP}/libomp.so.5" "${in_its_place}/libgomp.so.1" SYMBOLIC)
  foreach(program IN LISTS gcc_programs_on_libomp)
    set(cancellation "OMP_CANCELLATION=false")
    if(program STREQUAL "cancel")
      set(cancellation "OMP_CANCELLATION=true")
    endif()
    wstree_abi_test(abi.gcc.${program}.on_libomp${oldest_libomp} ${program}-gcc${newest_gcc} ${oldest_libomp}
      LAUNCHER ${run_served} --also "${WSTREE_LIBOMP_DIR}/${oldest_libomp}/libomp.so.5" --min-calls 30 --
      ARGUMENTS ${arguments_on_libomp_${program}} ENVIRONMENT "${cancellation}")
    wstree_abi_test(abi.gcc.${program}.libomp_as_libgomp ${program}-gcc${newest_gcc} libgomp
      LAUNCHER ${run_served} --min-calls 30 -- ARGUMENTS ${arguments_on_libomp_${program}}
      ENVIRONMENT "LD_LIBRARY_PATH=${in_its_place}" "${cancellation}")
  endforeach()
endif()
