# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Programs that stand for the user's: built by a clang of the machine, whatever compiler builds the project, against one
# of the libomp builds in WSTREE_LIBOMP_DIR, and run on any of them. Sets
#   WSTREE_FOREIGN_CLANGS  versions found, oldest first      WSTREE_FOREIGN_LIBOMPS  builds found
#   WSTREE_FOREIGN_CLANG   the newest of them                WSTREE_FOREIGN_LIBOMP   the one that most tests run on
# or leaves WSTREE_FOREIGN_CLANG empty if there is no such compiler or no libomp. Without WSTREE_TEST_ALL_PAIRS there are at
# most two of each, the oldest and the newest.

function(wstree_keep_ends list)
  list(LENGTH ${list} count)
  if(count GREATER 2 AND NOT WSTREE_TEST_ALL_PAIRS)
    list(GET ${list} 0 -1 ends)
    set(${list} ${ends} PARENT_SCOPE)
  endif()
endfunction()

set(WSTREE_FOREIGN_CLANGS "")
foreach(version 14 16 19 22)
  find_program(WSTREE_CLANGXX_${version} NAMES clang++-${version})
  mark_as_advanced(WSTREE_CLANGXX_${version})
  if(WSTREE_CLANGXX_${version})
    list(APPEND WSTREE_FOREIGN_CLANGS ${version})
  endif()
endforeach()
wstree_keep_ends(WSTREE_FOREIGN_CLANGS)
set(WSTREE_FOREIGN_LIBOMPS "")
foreach(build 14 16 19 19-release)
  if(EXISTS "${WSTREE_LIBOMP_DIR}/${build}/libomp.so.5")
    list(APPEND WSTREE_FOREIGN_LIBOMPS ${build})
    set(WSTREE_FOREIGN_LIBOMP ${build})
  endif()
endforeach()
wstree_keep_ends(WSTREE_FOREIGN_LIBOMPS)
set(WSTREE_FOREIGN_CLANG "")
if(WSTREE_FOREIGN_CLANGS AND WSTREE_FOREIGN_LIBOMPS)
  list(GET WSTREE_FOREIGN_CLANGS -1 WSTREE_FOREIGN_CLANG)
endif()

# Programs of clang 19 and later call __kmpc_dispatch_deinit, so they are linked with a libomp that has it; so are older
# ones where there is none of their own version.
function(wstree_libomp_to_link_with result clang)
  foreach(build ${clang} 19 19-release ${WSTREE_FOREIGN_LIBOMPS})
    if(build IN_LIST WSTREE_FOREIGN_LIBOMPS)
      set(${result} "${WSTREE_LIBOMP_DIR}/${build}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# wstree_foreign_program(NAME SOURCE CLANG [SHARED] [FLAGS ...] [DEPENDS ...]): ${NAME} in the current binary directory.
# The output is appended to foreign_outputs.
function(wstree_foreign_program name source clang)
  cmake_parse_arguments(arg "SHARED" "" "FLAGS;DEPENDS" ${ARGN})
  wstree_libomp_to_link_with(libomp ${clang})
  set(flags -std=c++20 -O2 -gline-tables-only -Wall -Wextra -Wpedantic -Wshadow -Wno-pass-failed -pthread)
  if(WSTREE_WERROR)
    list(APPEND flags -Werror)
  endif()
  if(arg_SHARED)
    list(APPEND flags -shared -fPIC)
  endif()
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  file(GLOB headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/*.h" "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${WSTREE_CLANGXX_${clang}}" ${flags} "-I${CMAKE_CURRENT_FUNCTION_LIST_DIR}"
      "${CMAKE_CURRENT_SOURCE_DIR}/${source}" "-L${libomp}" ${arg_FLAGS} -o "${output}"
    DEPENDS "${source}" ${headers} ${arg_DEPENDS} COMMENT "Test program ${name}" VERBATIM)
  set(foreign_outputs ${foreign_outputs} "${output}" PARENT_SCOPE)
endfunction()
