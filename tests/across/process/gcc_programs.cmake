# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Programs of GCC on its own runtime, and the same runtime under another name.
find_program(WSTREE_GCC NAMES g++ g++-12)
find_program(WSTREE_PATCHELF patchelf)
mark_as_advanced(WSTREE_GCC WSTREE_PATCHELF)

# wstree_gcc_program(NAME SOURCE [SHARED] [FLAGS ...] [DEPENDS ...]): ${NAME} in the current binary directory.
# The output is appended to foreign_outputs.
function(wstree_gcc_program name source)
  cmake_parse_arguments(arg "SHARED" "" "FLAGS;DEPENDS" ${ARGN})
  set(flags -std=c++20 -O2 -g1 -Wall -Wextra -Wpedantic -Wshadow -pthread)
  if(WSTREE_WERROR)
    list(APPEND flags -Werror)
  endif()
  if(arg_SHARED)
    list(APPEND flags -shared -fPIC)
  endif()
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  set(harness "${PROJECT_SOURCE_DIR}/tests/abi")
  file(GLOB headers CONFIGURE_DEPENDS "${harness}/*.h")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${WSTREE_GCC}" ${flags} "-I${harness}" "${CMAKE_CURRENT_SOURCE_DIR}/${source}" ${arg_FLAGS} -o "${output}"
    DEPENDS "${source}" ${headers} ${arg_DEPENDS} COMMENT "Test program ${name}" VERBATIM)
  set(foreign_outputs ${foreign_outputs} "${output}" PARENT_SCOPE)
endfunction()

# Packages of Python modules carry their own copy of libgomp.so.1, with a number in its name so that it is not confused
# with another. Sets WSTREE_RENAMED_LIBGOMP to the copy, or leaves it empty if there is no patchelf.
set(WSTREE_RENAMED_LIBGOMP "")
if(WSTREE_GCC AND WSTREE_PATCHELF)
  execute_process(COMMAND "${WSTREE_GCC}" -print-file-name=libgomp.so.1
    OUTPUT_VARIABLE libgomp OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(WSTREE_RENAMED_LIBGOMP "${CMAKE_CURRENT_BINARY_DIR}/libgomp-d22c30c5.so.1.0.0")
  get_filename_component(soname "${WSTREE_RENAMED_LIBGOMP}" NAME)
  add_custom_command(OUTPUT "${WSTREE_RENAMED_LIBGOMP}"
    COMMAND "${WSTREE_PATCHELF}" --set-soname "${soname}" --output "${WSTREE_RENAMED_LIBGOMP}" "${libgomp}"
    DEPENDS "${libgomp}" VERBATIM)
endif()
