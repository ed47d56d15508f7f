/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Imports system(), as gfortran's library does for a statement that few programs have. */
#include <stdlib.h>

int execute_command_line(const char* command) { return system(command); }
