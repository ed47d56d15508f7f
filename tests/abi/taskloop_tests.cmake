# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Taskloops of both interfaces. Test names are abi.taskloops.WHAT.ABI. Where the program may cancel, libomp keeps them all.
foreach(abi IN LISTS abis)
  set(runtimes ${runtime_${abi}})
  if(abi STREQUAL "gcc")
    wstree_gcc_program(taskloops-${suffix_gcc} taskloops.cpp ${newest_gcc})
  else()
    wstree_foreign_program(taskloops-${suffix_clang} taskloops.cpp ${WSTREE_FOREIGN_CLANG} FLAGS -fopenmp)
    set(runtimes ${WSTREE_FOREIGN_LIBOMPS})
  endif()
  foreach(runtime IN LISTS runtimes)
    set(name ${abi})
    if(NOT runtime STREQUAL "libgomp")
      set(name libomp${runtime})
    endif()
    set(program taskloops-${suffix_${abi}} ${runtime})
    wstree_abi_test(abi.taskloops.served.${name} ${program}
      LAUNCHER ${run_served} --min-calls 3000 --expect-schedule "wstree (taskloop)" --
      ENVIRONMENT "WSTREE_LOOPS=taskloop" "OMP_CANCELLATION=false")
    wstree_abi_test(abi.taskloops.cancellation.${name} ${program}
      ENVIRONMENT "WSTREE_LOOPS=all" "OMP_CANCELLATION=true")
    wstree_abi_test(abi.taskloops.not_named.${name} ${program}
      LAUNCHER ${run_served} --forbid-schedule "wstree (taskloop)" -- ENVIRONMENT "OMP_CANCELLATION=false")
    wstree_abi_test(abi.taskloops.bare.${name} ${program} BARE ENVIRONMENT "OMP_SCHEDULE=dynamic")
    wstree_abi_test(abi.taskloops.long.${name} ${program} LONG
      ENVIRONMENT "WSTREE_LOOPS=taskloop" "OMP_CANCELLATION=false")
    foreach(batch exponential random fixed:1)
      string(REPLACE ":" "_" readable ${batch})
      wstree_abi_test(abi.taskloops.${readable}.${name} ${program}
        ENVIRONMENT "WSTREE_LOOPS=taskloop" "OMP_CANCELLATION=false" "WSTREE_BATCH=${batch}" "WSTREE_STRATEGY=randomall")
    endforeach()
  endforeach()
endforeach()
