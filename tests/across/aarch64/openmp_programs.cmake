# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Programs of the cross gcc on libgomp and of clang on LLVM's libomp, with the library preloaded, in the emulator: those of
# tests/abi, tests/across/properties and one of tests/across/process, which say what they guard. Test names are aarch64.PROGRAM.gcc, aarch64.PROGRAM.clangC.libompL and, for the runs
# that must name so many served loops, aarch64.served.PROGRAM... .
set(abi_sources "${PROJECT_SOURCE_DIR}/tests/abi")
set(common_environment "OMP_NUM_THREADS=4" "OMP_DYNAMIC=false" "OMP_WAIT_POLICY=passive" "OMP_CANCELLATION=true"
  "KMP_TEAMS_THREAD_LIMIT=64" "OMP_SCHEDULE=wstree")
set(common_flags "--sysroot=${CMAKE_SYSROOT}" -std=c++20 -O2 -g1 -Wall -Wextra -Wpedantic -Wshadow -pthread -fopenmp "-I${abi_sources}")
if(WSTREE_WERROR)
  list(APPEND common_flags -Werror)
endif()

# What programs need to be told, and how often they repeat what looks for races: emulated, a thread is some ten to twenty times
# slower.
set(arguments_schedule_icv --library --asked --repeat 20)
set(environment_schedule_icv "OMP_SCHEDULE=wstree,5")
set(arguments_exactly_once --case random_loops --random 200)
set(arguments_loop_programs --programs 10)
set(arguments_slot_reuse --repeat 1)
set(arguments_floats 3)

set(both cancel exactly_once floats foreign_regions lastprivate literal_kinds loop_programs loop_types nowait order schedule_icv)
set(gcc_programs ${both} gomp_constructs gomp_entries gomp_old)
set(clang_programs ${both} dist_dispatch fork_arguments region_unwind)
set(unserved region_unwind) # it has no loops

set(outputs "")
# wstree_aarch64_program(NAME SOURCE COMPILER FLAG...)
function(wstree_aarch64_program name source compiler)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  file(GLOB headers CONFIGURE_DEPENDS "${abi_sources}/*.h")
  set(path "${abi_sources}/${source}.cpp")
  foreach(folder "${PROJECT_SOURCE_DIR}/tests/across/process/programs" "${PROJECT_SOURCE_DIR}/tests/across/properties"
      "${CMAKE_CURRENT_SOURCE_DIR}")
    if(EXISTS "${folder}/${source}.cpp")
      set(path "${folder}/${source}.cpp")
    endif()
  endforeach()
  add_custom_command(OUTPUT "${output}" COMMAND "${compiler}" ${common_flags} "${path}" ${ARGN} ${flags_${source}} -o "${output}"
    DEPENDS "${path}" ${headers} COMMENT "Test program ${name}" VERBATIM)
  set(outputs ${outputs} "${output}" PARENT_SCOPE)
endfunction()

# wstree_aarch64_test(NAME PROGRAM SOURCE LIBRARY_PATH): as it is, and with figures.
function(wstree_aarch64_test name program source library_path)
  set(run "${CMAKE_CURRENT_SOURCE_DIR}/run_program" "${WSTREE_QEMU}" "${CMAKE_SYSROOT}" $<TARGET_FILE:wstree>)
  set(environment ${common_environment} ${environment_${source}})
  if(library_path)
    list(APPEND environment "LD_LIBRARY_PATH=${library_path}")
  endif()
  set(command "${CMAKE_CURRENT_BINARY_DIR}/${program}" ${arguments_${source}} --time-limit 280)
  add_test(NAME aarch64.${name} COMMAND ${run} ${environment} ${command})
  set(tests aarch64.${name})
  if(NOT source IN_LIST unserved)
    add_test(NAME aarch64.served.${name} COMMAND ${run} --served 30 ${environment} ${command})
    list(APPEND tests aarch64.served.${name})
  endif()
  set_tests_properties(${tests} PROPERTIES LABELS aarch64 TIMEOUT 600)
endfunction()

foreach(program IN LISTS gcc_programs)
  wstree_aarch64_program(${program}-gcc ${program} "${CMAKE_CXX_COMPILER}" -std=c++2a)
  wstree_aarch64_test(${program}.gcc ${program}-gcc ${program} "")
endforeach()

set(environment_memory_tags "GLIBC_TUNABLES=glibc.mem.tagging=3" "WSTREE_BATCH=fixed:1")
wstree_aarch64_program(memory_tags-gcc memory_tags "${CMAKE_CXX_COMPILER}" -std=c++2a)
add_test(NAME aarch64.memory_tags COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/run_program" "${WSTREE_QEMU}" "${CMAKE_SYSROOT}"
  $<TARGET_FILE:wstree> ${common_environment} ${environment_memory_tags} "${CMAKE_CURRENT_BINARY_DIR}/memory_tags-gcc")
set_tests_properties(aarch64.memory_tags PROPERTIES LABELS aarch64 TIMEOUT 600)

# The oldest and the newest clang and libomp. Newer clangs look for the cross gcc's headers in the sysroot only.
set(clangs "")
foreach(version 14 16 18 19 20 21 22)
  find_program(WSTREE_AARCH64_CLANG_${version} clang++-${version})
  mark_as_advanced(WSTREE_AARCH64_CLANG_${version})
  if(WSTREE_AARCH64_CLANG_${version})
    list(APPEND clangs ${version})
  endif()
endforeach()
set(libomps "")
foreach(version 14 16 18 19 20 21)
  if(EXISTS "${WSTREE_LIBOMP_DIR}/${version}/libomp.so.5")
    list(APPEND libomps ${version})
  endif()
endforeach()
if(clangs AND libomps)
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-libgcc-file-name
    OUTPUT_VARIABLE gcc_folder OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  get_filename_component(gcc_folder "${gcc_folder}" DIRECTORY)
  list(GET clangs 0 oldest_clang)
  list(GET clangs -1 newest_clang)
  list(GET libomps 0 oldest_libomp)
  list(GET libomps -1 newest_libomp)
  foreach(pair ${oldest_clang}:${oldest_libomp} ${newest_clang}:${newest_libomp})
    string(REGEX MATCH "^(.*):(.*)$" pair ${pair})
    set(clang ${CMAKE_MATCH_1})
    set(libomp ${CMAKE_MATCH_2})
    set(flags --target=aarch64-linux-gnu "-L${WSTREE_LIBOMP_DIR}/${newest_libomp}" -Wno-pass-failed)
    if(clang VERSION_GREATER_EQUAL 16)
      list(APPEND flags "--gcc-install-dir=${gcc_folder}")
    endif()
    foreach(program IN LISTS clang_programs)
      wstree_aarch64_program(${program}-clang${clang} ${program} "${WSTREE_AARCH64_CLANG_${clang}}" ${flags})
      wstree_aarch64_test(${program}.clang${clang}.libomp${libomp} ${program}-clang${clang} ${program}
        "${WSTREE_LIBOMP_DIR}/${libomp}")
    endforeach()
  endforeach()
else()
  message(STATUS "Programs of clang for AArch64 left out: they need a clang and WSTREE_LIBOMP_DIR")
endif()
add_custom_target(aarch64_programs DEPENDS ${outputs})

add_test(NAME aarch64.floats COMMAND "${abi_sources}/check_floats" $<TARGET_FILE:wstree> "${CMAKE_OBJDUMP}")
set_tests_properties(aarch64.floats PROPERTIES LABELS aarch64 TIMEOUT 600)

# What the tests below rely on.
find_package(Threads REQUIRED)
add_executable(store_order store_order.cpp)
target_link_libraries(store_order PRIVATE Threads::Threads)
add_test(NAME aarch64.store_order COMMAND store_order)
set_tests_properties(aarch64.store_order PROPERTIES LABELS aarch64 TIMEOUT 600)

add_executable(show_atomics show_atomics.cpp)
foreach(processor "max;atomics: one instruction" "cortex-a72;atomics: exclusive load and store")
  list(GET processor 0 name)
  list(GET processor 1 wanted)
  add_test(NAME aarch64.atomics.${name} COMMAND show_atomics)
  set_tests_properties(aarch64.atomics.${name} PROPERTIES LABELS aarch64 TIMEOUT 600
    ENVIRONMENT "QEMU_CPU=${name}" PASS_REGULAR_EXPRESSION "${wanted}")
endforeach()
