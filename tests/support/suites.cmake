# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# wstree_discover_suites(TARGET LABEL [PREFIX PREFIX] [EXCEPT FILTER]): one ctest test for each suite of a GoogleTest program,
# called PREFIX and the suite's name. To start a process takes longer than most single cases; a case that fails is named in
# the output, and TARGET --gtest_filter=SUITE.CASE repeats it. EXCEPT: cases that are left out.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(wstree_suites_script "${CMAKE_CURRENT_LIST_FILE}")
  function(wstree_discover_suites target label)
    cmake_parse_arguments(arg "" "PREFIX;EXCEPT" "" ${ARGN})
    set(list "${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake")
    get_target_property(emulator ${target} CROSSCOMPILING_EMULATOR)
    if(NOT emulator)
      set(emulator "")
    endif()
    add_custom_command(TARGET ${target} POST_BUILD BYPRODUCTS "${list}"
      COMMAND "${CMAKE_COMMAND}" "-Demulator=${emulator}" "-Dprogram=$<TARGET_FILE:${target}>" "-Dlabel=${label}" "-Dprefix=${arg_PREFIX}"
        "-Dexcept=${arg_EXCEPT}" "-Dlist=${list}" -P "${wstree_suites_script}"
      VERBATIM)
    set(include "${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake")
    file(WRITE "${include}" "if(EXISTS \"${list}\")\n  include(\"${list}\")\nelse()\n"
      "  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)\nendif()\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${include}")
  endfunction()
  return()
endif()

set(program ${emulator} "${program}")
execute_process(COMMAND ${program} --gtest_list_tests OUTPUT_VARIABLE output RESULT_VARIABLE result TIMEOUT 120)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${program} does not list its tests: ${result}\n${output}")
endif()
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+\\." suites "${output}")
list(TRANSFORM suites REPLACE "[\n.]" "")
list(TRANSFORM suites REPLACE "/[0-9]+$" "") # of one suite for several types
list(REMOVE_DUPLICATES suites)
list(FILTER suites EXCLUDE REGEX "DISABLED_")
if(except)
  set(except "-${except}")
endif()
set(tests "")
foreach(suite IN LISTS suites)
  string(APPEND tests "add_test([=[${prefix}${suite}]=]")
  foreach(word IN LISTS program)
    string(APPEND tests " [=[${word}]=]")
  endforeach()
  string(APPEND tests " [=[--gtest_filter=${suite}.*:${suite}/*${except}]=])\n"
    "set_tests_properties([=[${prefix}${suite}]=] PROPERTIES LABELS ${label} TIMEOUT 1800)\n")
endforeach()
file(WRITE "${list}" "${tests}")
