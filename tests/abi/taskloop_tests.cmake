# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Taskloops of both interfaces. Test names are abi.PROGRAM.WHAT.ABI. Where the program may cancel, libomp keeps them all.
set(other_loops_taskloops 1) # schedule(runtime) loops that are served
set(other_loops_taskloop_clauses 0)
foreach(abi IN LISTS abis)
  set(runtimes ${runtime_${abi}})
  if(abi STREQUAL "clang")
    set(runtimes ${WSTREE_FOREIGN_LIBOMPS})
  endif()
  foreach(source taskloops taskloop_clauses)
    if(abi STREQUAL "gcc")
      wstree_gcc_program(${source}-${suffix_gcc} ${source}.cpp ${newest_gcc})
    else()
      wstree_foreign_program(${source}-${suffix_clang} ${source}.cpp ${WSTREE_FOREIGN_CLANG} FLAGS -fopenmp)
    endif()
    foreach(runtime IN LISTS runtimes)
      set(name ${abi})
      if(NOT runtime STREQUAL "libgomp")
        set(name libomp${runtime})
      endif()
      set(seldom OFTEN ${runtime} "libgomp|${WSTREE_FOREIGN_LIBOMP}") # by default the others have the loops that are served
      set(program ${source}-${suffix_${abi}} ${runtime})
      wstree_abi_test(abi.${source}.served.${name} ${program}
        LAUNCHER ${run_served} --min-calls 700 --expect-schedule "wstree (taskloop)" --
        ENVIRONMENT "WSTREE_LOOPS=taskloop" "OMP_CANCELLATION=false")
      wstree_abi_test(abi.${source}.cancellation.${name} ${program} ${seldom}
        ENVIRONMENT "WSTREE_LOOPS=all" "OMP_CANCELLATION=true")
      wstree_abi_test(abi.${source}.not_named.${name} ${program} ${seldom}
        LAUNCHER ${run_served} --min-calls ${other_loops_${source}} --forbid-schedule "wstree (taskloop)" --
        ARGUMENTS --repeat 100 ENVIRONMENT "OMP_CANCELLATION=false")
      if(NOT runtime MATCHES "^1[0-8]") # where the newest compiler's programs do not run without help
        wstree_abi_test(abi.${source}.bare.${name} ${program} BARE ENVIRONMENT "OMP_SCHEDULE=dynamic")
      endif()
      wstree_abi_test(abi.${source}.long.${name} ${program} LONG
        ENVIRONMENT "WSTREE_LOOPS=taskloop" "OMP_CANCELLATION=false")
      wstree_abi_test(abi.${source}.fixed_1.${name} ${program} ${seldom}
        ENVIRONMENT "WSTREE_LOOPS=taskloop" "OMP_CANCELLATION=false" "WSTREE_BATCH=fixed:1")
    endforeach()
  endforeach()
endforeach()
