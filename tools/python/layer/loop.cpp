// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of loop.h, so that the package needs no installed library.
#include <runtime/abi/shared_loops.cpp>
