# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DREADELF=... -DLIBRARY=... -DOUTPUT=... -P: writes a line WATCH(name) for each function that the library takes from
# other objects, for programs/early_calls.cpp.
execute_process(COMMAND "${READELF}" -W --dyn-syms "${LIBRARY}" OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "FUNC +[A-Z]+ +DEFAULT +UND +[A-Za-z0-9_]+" calls "${table}")
list(TRANSFORM calls REPLACE ".* " "")
# What the library looks up by itself while it is loaded.
list(APPEND calls dl_iterate_phdr getauxval syscall)
list(REMOVE_DUPLICATES calls)
# Compilers call these on their own.
list(FILTER calls EXCLUDE REGEX "^(bcmp|memchr|memcmp|memcpy|memmove|memset|strlen)$")
list(TRANSFORM calls REPLACE "(.+)" "WATCH(\\1)\n")
list(JOIN calls "" text)
file(WRITE "${OUTPUT}" "${text}")
