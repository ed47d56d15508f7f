// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says which instructions atomic operations of this process are made of, so that the tests can show that they
// ran with both kinds.
#include <cstdio>

#include <sys/auxv.h>

#include <asm/hwcap.h>

int main() {
  const bool single = (getauxval(AT_HWCAP) & HWCAP_ATOMICS) != 0;
  std::puts(single ? "atomics: one instruction" : "atomics: exclusive load and store");
  return 0;
}
