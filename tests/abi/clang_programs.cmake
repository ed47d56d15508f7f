# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Programs of clang and flang on libomp. Test names are abi.PROGRAM.clangC.libompL for compilers and runtimes and
# abi.PROGRAM.STRATEGY.BATCH for ways to steal.
set(programs
  cancel dist_dispatch exactly_once foreign_regions fork_arguments lastprivate late_request literal_kinds loop_types nowait
  order progress schedule_icv slot_reuse unwind upstream_reports)
# The newest compiler builds all of them, and so does the oldest if there is time for all pairs; between those the calls
# that compilers make changed only at the end of loops (clang 19), so the others build what depends on that.
set(programs_of_all_compilers cancel loop_types nowait order)
list(GET WSTREE_FOREIGN_CLANGS 0 oldest)
list(GET WSTREE_FOREIGN_LIBOMPS 0 oldest_libomp)
foreach(clang IN LISTS WSTREE_FOREIGN_CLANGS)
  set(libomp_of_${clang} ${oldest_libomp})
  set(programs_of_${clang} ${programs_of_all_compilers})
  if(clang EQUAL WSTREE_FOREIGN_CLANG OR (clang EQUAL oldest AND WSTREE_TEST_ALL_PAIRS))
    set(programs_of_${clang} ${programs})
  endif()
  foreach(program IN LISTS programs_of_${clang})
    wstree_foreign_program(${program}-clang${clang} ${program}.cpp ${clang} FLAGS -fopenmp ${flags_${program}})
  endforeach()
endforeach()
set(libomp_of_${WSTREE_FOREIGN_CLANG} ${WSTREE_FOREIGN_LIBOMP})
# Compilers before OpenMP 5.0 send the same loops with no modifier bits.
wstree_foreign_program(loop_types-openmp45 loop_types.cpp ${WSTREE_FOREIGN_CLANG} FLAGS -fopenmp -fopenmp-version=45)
# flang, if one is there that makes a program.
set(fortran_program "${CMAKE_CURRENT_BINARY_DIR}/fortran_loops")
find_program(WSTREE_FLANG NAMES flang-new-22 flang-22 flang-new-19 flang-19 flang-new flang)
mark_as_advanced(WSTREE_FLANG)
if(WSTREE_FLANG)
  wstree_libomp_to_link_with(libomp 19)
  set(flang_command "${WSTREE_FLANG}" -O2 -fopenmp "${CMAKE_CURRENT_SOURCE_DIR}/fortran_loops.f90" "-L${libomp}")
  if(NOT WSTREE_FLANG_MAKES_PROGRAMS STREQUAL "${WSTREE_FLANG}")
    # flang writes the files of modules into the current folder.
    execute_process(COMMAND ${flang_command} -o "${fortran_program}.probe" WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}"
      RESULT_VARIABLE probe OUTPUT_QUIET ERROR_QUIET)
    if(probe EQUAL 0)
      set(WSTREE_FLANG_MAKES_PROGRAMS "${WSTREE_FLANG}" CACHE INTERNAL "This flang can link an OpenMP program")
    endif()
  endif()
  if(WSTREE_FLANG_MAKES_PROGRAMS STREQUAL "${WSTREE_FLANG}")
    add_custom_command(OUTPUT "${fortran_program}" COMMAND ${flang_command} -o "${fortran_program}"
      DEPENDS fortran_loops.f90 COMMENT "Test program fortran_loops" VERBATIM)
    list(APPEND foreign_outputs "${fortran_program}")
  endif()
endif()

# 1. Every program with every compiler on every runtime. Those of newer compilers run on older runtimes because the
#    library brings the entry that those lack. By default the newest compiler takes the newest runtime, and the other
#    compilers take the oldest; all of it is under `long`.
foreach(clang IN LISTS WSTREE_FOREIGN_CLANGS)
  foreach(program IN LISTS programs_of_${clang})
    foreach(libomp IN LISTS WSTREE_FOREIGN_LIBOMPS)
      wstree_abi_test(abi.${program}.clang${clang}.libomp${libomp} ${program}-clang${clang} ${libomp}
        OFTEN ${libomp} ${libomp_of_${clang}}
        ARGUMENTS ${arguments_${program}} ENVIRONMENT ${environment_${program}})
      # Millions of loops say nothing more on a second runtime.
      if(clang EQUAL WSTREE_FOREIGN_CLANG AND (NOT program STREQUAL "slot_reuse" OR libomp STREQUAL WSTREE_FOREIGN_LIBOMP))
        wstree_abi_test(abi.long.${program}.libomp${libomp} ${program}-clang${clang} ${libomp} LONG
          ARGUMENTS ${arguments_${program}} ENVIRONMENT ${environment_${program}})
      endif()
    endforeach()
  endforeach()
endforeach()

# 2. Every strategy, with a batch mode in turn. Every strategy with every batch mode on every program is under `long`,
#    where they repeat more: the model has all pairs, and a process adds nothing that differs between them.
set(newest "clang${WSTREE_FOREIGN_CLANG}")
set(sensitive_programs cancel exactly_once lastprivate nowait progress)
set(batches timed exponential fixed random)
set(turn 0) # of the batch mode that the strategy has by default
foreach(strategy predefined assign assigntop randomwalk randomall findmax)
  foreach(batch IN LISTS batches)
    set(arguments_progress "")
    if(batch MATCHES "exponential|random")
      set(arguments_progress --most-per-chunk 4200) # their largest batch is 4096
    endif()
    foreach(program IN LISTS sensitive_programs)
      wstree_abi_test(abi.long.${program}.${strategy}.${batch} ${program}-${newest} ${WSTREE_FOREIGN_LIBOMP} LONG
        ARGUMENTS ${arguments_${program}} ENVIRONMENT "WSTREE_STRATEGY=${strategy}" "WSTREE_BATCH=${batch}")
    endforeach()
    set(arguments_progress "")
  endforeach()
  math(EXPR index "${turn} % 4")
  math(EXPR turn "${turn} + 1")
  list(GET batches ${index} batch)
  wstree_abi_test(abi.exactly_once.${strategy}.${batch} exactly_once-${newest} ${WSTREE_FOREIGN_LIBOMP}
    ENVIRONMENT "WSTREE_STRATEGY=${strategy}" "WSTREE_BATCH=${batch}")
endforeach()
# Batches of one iteration: most of the time is spent inside the library, most stops hit it there, and most nodes are
# split there.
wstree_abi_test(abi.progress.findmax.fixed_1 progress-${newest} ${WSTREE_FOREIGN_LIBOMP} ENVIRONMENT "WSTREE_BATCH=fixed:1")

# 3. Sizes of batches: at their limits, with a smallest batch, and in loops that only large batches can empty.
#    Batches of one are long work; that each mode makes them where it has to is under `long`.
foreach(batch fixed:1 fixed:1000000)
  string(REPLACE ":" "_" readable ${batch})
  wstree_abi_test(abi.exactly_once.batch_${readable} exactly_once-${newest} ${WSTREE_FOREIGN_LIBOMP}
    ARGUMENTS --random 4000 ENVIRONMENT "WSTREE_BATCH=${batch}")
endforeach()
foreach(mode exponential random timed)
  wstree_abi_test(abi.long.exactly_once.batch_${mode}_1 exactly_once-${newest} ${WSTREE_FOREIGN_LIBOMP} LONG
    ENVIRONMENT "WSTREE_BATCH=${mode}:1")
endforeach()
foreach(chunk 1 64 1000000 67108863)
  foreach(batch timed exponential fixed random)
    wstree_abi_test(abi.exactly_once.chunk_${chunk}.${batch} exactly_once-${newest} ${WSTREE_FOREIGN_LIBOMP} OFTEN ${batch} timed
      ARGUMENTS --random 4000 ENVIRONMENT "OMP_SCHEDULE=wstree,${chunk}" "WSTREE_BATCH=${batch}")
  endforeach()
endforeach()
foreach(batch timed exponential fixed random)
  set(way --drain-bits 36 ENVIRONMENT "WSTREE_BATCH=${batch}:16777216")
  if(batch STREQUAL "timed")
    set(way --drain-bits 63 ENVIRONMENT "WSTREE_BATCH=timed")
  endif()
  wstree_abi_test(abi.exactly_once.huge.${batch} exactly_once-${newest} ${WSTREE_FOREIGN_LIBOMP}
    OFTEN ${batch} "timed|fixed" ARGUMENTS --case emptied --case left_early ${way})
endforeach()

# 4. The other code form, team sizes and fallbacks.
wstree_abi_test(abi.loop_types.openmp45 loop_types-openmp45 ${WSTREE_FOREIGN_LIBOMP})
foreach(threads 1 2 3 16)
  foreach(program loop_types nowait order)
    wstree_abi_test(abi.${program}.threads_${threads} ${program}-${newest} ${WSTREE_FOREIGN_LIBOMP} OFTEN ${threads} "1|3"
      ENVIRONMENT "OMP_NUM_THREADS=${threads}")
  endforeach()
endforeach()
foreach(fallback static static,3 dynamic,2 guided,4 auto trapezoidal,5)
  string(REPLACE "," "_" readable ${fallback})
  foreach(program order nowait)
    wstree_abi_test(abi.${program}.fallback_${readable} ${program}-${newest} ${WSTREE_FOREIGN_LIBOMP} OFTEN ${fallback} "static|dynamic,2"
      ENVIRONMENT "WSTREE_FALLBACK=${fallback}")
  endforeach()
  # Each kind is a number of its own here.
  wstree_abi_test(abi.schedule_icv.fallback_${readable} schedule_icv-${newest} ${WSTREE_FOREIGN_LIBOMP} OFTEN ${fallback} "static|dynamic,2|auto"
    ARGUMENTS --library --asked ENVIRONMENT "OMP_SCHEDULE=wstree,5" "WSTREE_FALLBACK=${fallback}")
endforeach()

if("${fortran_program}" IN_LIST foreign_outputs)
  foreach(libomp IN LISTS WSTREE_FOREIGN_LIBOMPS)
    wstree_abi_test(abi.fortran_loops.libomp${libomp} fortran_loops ${libomp} ARGUMENTS --library)
    wstree_abi_test(abi.served.fortran_loops.libomp${libomp} fortran_loops ${libomp}
      LAUNCHER ${run_served} --min-calls 1680 -- ARGUMENTS --library)
  endforeach()
endif()

# 5. Loaded, but not asked for by the environment: nothing may change, and the program may ask for the tree itself.
foreach(libomp IN LISTS WSTREE_FOREIGN_LIBOMPS)
  wstree_abi_test(abi.schedule_icv.not_asked.libomp${libomp} schedule_icv-${newest} ${libomp} OFTEN ${libomp} ${WSTREE_FOREIGN_LIBOMP}
    ARGUMENTS --library ENVIRONMENT "OMP_SCHEDULE=dynamic,5")
endforeach()
wstree_abi_test(abi.late_request.changed_environment late_request-${newest} ${WSTREE_FOREIGN_LIBOMP}
  ARGUMENTS --changes-environment)
foreach(program fork_arguments loop_types nowait order)
  wstree_abi_test(abi.${program}.not_asked ${program}-${newest} ${WSTREE_FOREIGN_LIBOMP}
    ENVIRONMENT "OMP_SCHEDULE=dynamic,3")
endforeach()

# 6. The programs themselves on bare libomp, which is right about all of this under dynamic: an oracle for the oracles.
#    And the one schedule of libomp that is wrong about lastprivate, which shows that the test would notice.
foreach(program dist_dispatch exactly_once fork_arguments lastprivate loop_types nowait order progress schedule_icv
    slot_reuse)
  if(NOT WSTREE_FOREIGN_LIBOMP MATCHES "^1[0-8]$") # where the newest compiler's programs do not run without help
    wstree_abi_test(abi.bare.${program} ${program}-${newest} ${WSTREE_FOREIGN_LIBOMP} BARE
      ARGUMENTS --bare ENVIRONMENT "OMP_SCHEDULE=dynamic,5")
  endif()
endforeach()
if("lastprivate" IN_LIST programs_of_${oldest}) # it runs on every libomp
  foreach(libomp IN LISTS WSTREE_FOREIGN_LIBOMPS)
    wstree_abi_test(abi.bare.lastprivate_static_steal.libomp${libomp} lastprivate-clang${oldest} ${libomp} BARE
      ARGUMENTS --count-wrong ENVIRONMENT "OMP_SCHEDULE=static_steal")
  endforeach()
endif()

# 7. Static loops, cut by us and left alone. The programs of all compilers on all runtimes, and programs that are full of
#    other loops.
foreach(clang IN LISTS WSTREE_FOREIGN_CLANGS)
  if(clang EQUAL WSTREE_FOREIGN_CLANG OR (clang EQUAL oldest AND WSTREE_TEST_ALL_PAIRS))
    wstree_foreign_program(static_loops-clang${clang} static_loops.cpp ${clang} FLAGS -fopenmp)
    foreach(libomp IN LISTS WSTREE_FOREIGN_LIBOMPS)
      wstree_abi_test(abi.static_loops.clang${clang}.libomp${libomp} static_loops-clang${clang} ${libomp}
        OFTEN ${libomp} ${libomp_of_${clang}} ARGUMENTS --cut ENVIRONMENT "WSTREE_LOOPS=static" "OMP_SCHEDULE=static")
    endforeach()
  endif()
endforeach()
wstree_foreign_program(static_regions-${newest} static_regions.cpp ${WSTREE_FOREIGN_CLANG} FLAGS -fopenmp)
foreach(libomp IN LISTS WSTREE_FOREIGN_LIBOMPS)
  wstree_abi_test(abi.static_regions.clang.libomp${libomp} static_regions-${newest} ${libomp} OFTEN ${libomp} ${WSTREE_FOREIGN_LIBOMP}
    ENVIRONMENT "WSTREE_LOOPS=proven")
endforeach()
wstree_abi_test(abi.static_regions.clang.threads_7 static_regions-${newest} ${WSTREE_FOREIGN_LIBOMP}
  ENVIRONMENT "WSTREE_LOOPS=proven" "OMP_NUM_THREADS=7")
wstree_abi_test(abi.static_regions.clang.served static_regions-${newest} ${WSTREE_FOREIGN_LIBOMP}
  LAUNCHER ${run_served} --min-calls 100 --expect-schedule "wstree (proven)" --
  ARGUMENTS --repeat 10 ENVIRONMENT "WSTREE_LOOPS=proven")
wstree_abi_test(abi.static_regions.clang.bare static_regions-${newest} ${WSTREE_FOREIGN_LIBOMP} BARE)

foreach(way "LOOPS=runtime,dynamic,guided,auto,taskloop" "HISTORY=off" "RULES=* loops=static" "RULES=static_loops* off")
  string(MAKE_C_IDENTIFIER "${way}" readable)
  set(parts --equal --repeat 100 ENVIRONMENT)
  if(way MATCHES "loops=static")
    set(parts --cut ENVIRONMENT)
  elseif(NOT way MATCHES "LOOPS=")
    list(APPEND parts "WSTREE_LOOPS=static,dynamic")
  endif()
  wstree_abi_test(abi.static_loops.${readable} static_loops-${newest} ${WSTREE_FOREIGN_LIBOMP}
    ARGUMENTS ${parts} "WSTREE_${way}")
endforeach()
wstree_abi_test(abi.long.static_loops static_loops-${newest} ${WSTREE_FOREIGN_LIBOMP} LONG
  ARGUMENTS --cut ENVIRONMENT "WSTREE_LOOPS=static" "OMP_SCHEDULE=static")
wstree_abi_test(abi.served.static_loops static_loops-${newest} ${WSTREE_FOREIGN_LIBOMP}
  LAUNCHER ${run_served} --min-calls 1000 --expect-schedule "static (balanced)" --
  ARGUMENTS --case types_and_edges --case same_assignment --repeat 100
  ENVIRONMENT "WSTREE_LOOPS=static" "OMP_SCHEDULE=static")
if(NOT WSTREE_FOREIGN_LIBOMP MATCHES "^1[0-8]$")
  wstree_abi_test(abi.bare.static_loops static_loops-${newest} ${WSTREE_FOREIGN_LIBOMP} BARE
    ENVIRONMENT "OMP_SCHEDULE=static")
endif()

# The same output however the parts are cut.
wstree_foreign_program(static_rows-${newest} static_rows.cpp ${WSTREE_FOREIGN_CLANG} FLAGS -fopenmp)
wstree_abi_test(abi.same_output.static_rows static_rows-${newest} ${WSTREE_FOREIGN_LIBOMP}
  LAUNCHER sh -c "[ \"$($1)\" = \"$(LD_PRELOAD=$0 $1)\" ]" $<TARGET_FILE:wstree> ENVIRONMENT "WSTREE_LOOPS=static")

# 8. All of the above would pass if no loop ever reached the tree. So: the same programs with figures on, which must name
#    executions of loops, and nothing on stderr.
#    In late_request the runtime serves every loop; slot_reuse is long, and begins its loops as the others do.
set(both_libomps ${oldest_libomp} ${WSTREE_FOREIGN_LIBOMP})
list(REMOVE_DUPLICATES both_libomps)
list(REMOVE_ITEM programs late_request slot_reuse)
foreach(program IN LISTS programs)
  foreach(libomp IN LISTS both_libomps)
    wstree_abi_test(abi.served.${program}.libomp${libomp} ${program}-${newest} ${libomp} OFTEN ${libomp} ${WSTREE_FOREIGN_LIBOMP}
      LAUNCHER ${run_served} --min-calls 3 --
      ARGUMENTS --repeat 1 ${arguments_${program}} ENVIRONMENT ${environment_${program}})
  endforeach()
endforeach()
