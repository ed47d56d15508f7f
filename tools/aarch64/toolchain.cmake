# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds for AArch64 Linux on another machine, with the distribution's cross compiler and the libraries that
# tools/aarch64/sysroot provides, and runs tests in the emulator.
#
#   WSTREE_AARCH64_ROOT      the sysroot; by default where tools/aarch64/sysroot puts it
#   WSTREE_AARCH64_CLANG     a clang++ (16 or newer) to be used in place of the cross compiler
#
# The emulator's variable QEMU_CPU names the processor when tests run: max (the default), which has the atomic instructions of
# ARMv8.1, or cortex-a72, which has exclusive loads and stores only.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

if(DEFINED ENV{WSTREE_CACHE})
  set(cache "$ENV{WSTREE_CACHE}")
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(cache "$ENV{XDG_CACHE_HOME}/wstree")
else()
  set(cache "$ENV{HOME}/.cache/wstree")
endif()
set(WSTREE_AARCH64_ROOT "${cache}/aarch64/root" CACHE PATH "AArch64 sysroot")
set(WSTREE_AARCH64_CLANG "" CACHE STRING "clang++ to be used in place of the cross compiler")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WSTREE_AARCH64_ROOT WSTREE_AARCH64_CLANG)

set(CMAKE_SYSROOT "${WSTREE_AARCH64_ROOT}")
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# pkg-config reads the sysroot's files only, and puts the sysroot in front of what they say.
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")

if(WSTREE_AARCH64_CLANG)
  string(REGEX REPLACE "clang[+][+]([^/]*)$" "clang\\1" c_compiler "${WSTREE_AARCH64_CLANG}")
  set(CMAKE_C_COMPILER "${c_compiler}")
  set(CMAKE_CXX_COMPILER "${WSTREE_AARCH64_CLANG}")
  set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
  set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
  set(CMAKE_ASM_COMPILER_TARGET aarch64-linux-gnu)
  # The C++ headers and libgcc are those of the cross compiler, which lies beside the sysroot.
  execute_process(COMMAND aarch64-linux-gnu-g++ -print-libgcc-file-name
    OUTPUT_VARIABLE gcc_folder OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  get_filename_component(gcc_folder "${gcc_folder}" DIRECTORY)
  foreach(language C CXX ASM)
    set(CMAKE_${language}_FLAGS_INIT "--gcc-install-dir=${gcc_folder}")
  endforeach()
else()
  set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
  set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
endif()

find_program(WSTREE_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
mark_as_advanced(WSTREE_QEMU)
if(WSTREE_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${CMAKE_CURRENT_LIST_DIR}/emulate" "${WSTREE_QEMU}" -L "${CMAKE_SYSROOT}")
endif()
