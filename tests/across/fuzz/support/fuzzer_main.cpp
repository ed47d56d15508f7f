// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entry point of libFuzzer, for a program with one target.
#include "target.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wstree::fuzz::run(wstree::fuzz::targets().front(), {reinterpret_cast<const char*>(data), size});
  return 0;
}
