# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests that are the same for each compiler of the program. Test names are abi.loops.LIST.ABI[.asked] and
# abi.PROGRAM.KIND.ABI.
set(abis "")
if(gccs)
  list(APPEND abis gcc)
  set(suffix_gcc gcc${newest_gcc})
  set(runtime_gcc libgomp)
endif()
if(WSTREE_FOREIGN_CLANG)
  list(APPEND abis clang)
  set(suffix_clang clang${WSTREE_FOREIGN_CLANG})
  set(runtime_clang ${WSTREE_FOREIGN_LIBOMP})
endif()

# 1. Which loops the figures name for each list, with and without a schedule that asks for the tree.
foreach(abi IN LISTS abis)
  foreach(list all dynamic guided auto dynamic,guided runtime,dynamic)
    string(REPLACE "," "_" readable ${list})
    foreach(asked "" ".asked")
      set(schedule "OMP_SCHEDULE=dynamic,3")
      set(options --forbid-schedule wstree)
      if(asked)
        set(schedule "OMP_SCHEDULE=wstree,3")
        if(list MATCHES "all|runtime")
          set(options --expect-schedule wstree)
        endif()
      endif()
      foreach(kind dynamic guided auto)
        # gcc makes code of its own of schedule(auto), which calls no runtime.
        if(list MATCHES "all|${kind}" AND NOT "${abi}${kind}" STREQUAL "gccauto")
          list(APPEND options --expect-schedule "wstree (${kind})")
        else()
          list(APPEND options --forbid-schedule "wstree (${kind})")
        endif()
      endforeach()
      if(abi STREQUAL "gcc" AND list STREQUAL "auto")
        list(APPEND options --min-calls 0)
      endif()
      set(arguments "")
      if(list MATCHES "all|dynamic")
        set(arguments --dynamic)
      endif()
      wstree_abi_test(abi.loops.${readable}.${abi}${asked} literal_kinds-${suffix_${abi}} ${runtime_${abi}}
        OFTEN "${list}${asked}" "all|all.asked|dynamic|auto|guided.asked|runtime,dynamic.asked"
        LAUNCHER ${run_served} ${options} --
        ARGUMENTS ${arguments} ENVIRONMENT ${schedule} "WSTREE_LOOPS=${list}" "WSTREE_BATCH=fixed:64")
    endforeach()
  endforeach()
  # Batches of the usual size, and every loop of programs that are full of all kinds.
  foreach(program nowait order)
    wstree_abi_test(abi.loops.${program}.${abi} ${program}-${suffix_${abi}} ${runtime_${abi}}
      ENVIRONMENT "WSTREE_LOOPS=all")
  endforeach()
  wstree_abi_test(abi.loops.literal_kinds.${abi} literal_kinds-${suffix_${abi}} ${runtime_${abi}}
    ARGUMENTS --dynamic ENVIRONMENT "WSTREE_LOOPS=all")
endforeach()

# 2. The other schedules, each on programs that are sensitive to which member gets what and when. With a chunk and without one
#    some of them take different ways.
include(../kinds.cmake)
set(kinds ${wstree_kinds})
list(REMOVE_ITEM kinds wstree)
set(thorough_programs cancel exactly_once lastprivate loop_types nowait order slot_reuse)
foreach(abi IN LISTS abis)
  set(number 0)
  foreach(kind IN LISTS kinds)
    math(EXPR number "${number} + 1")
    # That the schedule is the one that was asked for, and that the program did not notice.
    wstree_abi_test(abi.served.${kind}.${abi} loop_types-${suffix_${abi}} ${runtime_${abi}}
      LAUNCHER ${run_served} --min-calls 30 --expect-schedule ${kind} --forbid-schedule wstree --
      ENVIRONMENT "OMP_SCHEDULE=${kind}")
    wstree_abi_test(abi.exactly_once.${kind}.${abi} exactly_once-${suffix_${abi}} ${runtime_${abi}}
      ARGUMENTS --case random_loops --random 400 ENVIRONMENT "OMP_SCHEDULE=${kind},5")
    wstree_abi_test(abi.schedule_icv.${kind}.${abi} schedule_icv-${suffix_${abi}} ${runtime_${abi}}
      ARGUMENTS --library --asked --kind ${number} --repeat 20 ENVIRONMENT "OMP_SCHEDULE=${kind},5")
    foreach(program IN LISTS thorough_programs)
      foreach(chunk "" ",64")
        string(REPLACE "," "_" readable "${kind}${chunk}")
        wstree_abi_test(abi.long.${program}.${readable}.${abi} ${program}-${suffix_${abi}} ${runtime_${abi}} LONG
          ENVIRONMENT "OMP_SCHEDULE=${kind}${chunk}")
      endforeach()
    endforeach()
  endforeach()
  # What does not depend on the kind: loops side by side, foreign regions, and loops that say dynamic on the schedule that
  # the environment names.
  wstree_abi_test(abi.nowait.wsrange.${abi} nowait-${suffix_${abi}} ${runtime_${abi}}
    ARGUMENTS --repeat 5 ENVIRONMENT "OMP_SCHEDULE=wsrange")
  wstree_abi_test(abi.foreign_regions.wsstatic.${abi} foreign_regions-${suffix_${abi}} ${runtime_${abi}}
    ARGUMENTS --repeat 4 ENVIRONMENT "OMP_SCHEDULE=wsstatic")
  wstree_abi_test(abi.loops.wsfixed.${abi} literal_kinds-${suffix_${abi}} ${runtime_${abi}}
    LAUNCHER ${run_served} --expect-schedule "wsfixed (dynamic)" --forbid-schedule "wstree (dynamic)" --
    ARGUMENTS --repeat 5 --skip chunks_of_the_program ENVIRONMENT "OMP_SCHEDULE=wsfixed,3" "WSTREE_LOOPS=dynamic")
  # No member waits for one that stands still in an iteration, where work is stolen or comes in small pieces. One that
  # stands still in the middle of a steal may keep a share, or the lock.
  foreach(kind wsrange wsqueue wsqueue_lock wsfixed)
    set(arguments "")
    if(NOT kind STREQUAL "wsfixed")
      set(arguments --skip members_stalled_anywhere)
    endif()
    wstree_abi_test(abi.progress.${kind}.${abi} progress-${suffix_${abi}} ${runtime_${abi}} ARGUMENTS ${arguments}
      ENVIRONMENT "OMP_SCHEDULE=${kind}" "WSTREE_BATCH=fixed:4")
    wstree_abi_test(abi.long.progress.${kind}.${abi} progress-${suffix_${abi}} ${runtime_${abi}} LONG
      ARGUMENTS --case members_stalled_anywhere --most-per-chunk 20000 ENVIRONMENT "OMP_SCHEDULE=${kind}" "WSTREE_BATCH=fixed:4")
  endforeach()
endforeach()

if("gcc" IN_LIST abis)
  # Regions and loops of objects that are too old to be served, on schedules that the runtime does not know.
  foreach(kind wstree wsrange wsfixed)
    wstree_gcc_test(${kind}_out_of_sight gomp_old ARGUMENTS --piece 7
      ENVIRONMENT "OMP_SCHEDULE=${kind}" "WSTREE_FALLBACK=dynamic,7")
    wstree_gcc_test(${kind}_only_registered gomp_entries ARGUMENTS --piece 7 --case starts_that_only_register
      ENVIRONMENT "OMP_SCHEDULE=${kind}" "WSTREE_FALLBACK=dynamic,7")
  endforeach()
endif()
