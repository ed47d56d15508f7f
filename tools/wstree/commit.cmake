# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes OUTPUT, which names COMMIT or else that of the Git tree in SOURCE; leaves it alone if it says so already.
cmake_minimum_required(VERSION 3.25)
if(NOT COMMIT AND EXISTS "${SOURCE}/.git")
  execute_process(COMMAND git -C "${SOURCE}" rev-parse --short=12 HEAD
    OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND git -C "${SOURCE}" diff --quiet HEAD -- RESULT_VARIABLE changed ERROR_QUIET)
  if(COMMIT AND changed EQUAL 1)
    string(APPEND COMMIT " and changes")
  endif()
endif()
if(NOT COMMIT)
  set(COMMIT "unknown")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#define WSTREE_COMMIT \"@COMMIT@\"\n" @ONLY)
