/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
#include <stdio.h>
#include <time.h>

/* Takes about so many nanoseconds, and gives what depends on them. */
__attribute__((noinline)) static double burn(long steps, double x) {
  for (long s = 0; s < steps; ++s) x = x * 0.999999 + 0.000001;
  return x;
}

/* Takes that long on any machine, busy or not, and no processor. */
__attribute__((unused)) static void nap(long microseconds) {
  const struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
  nanosleep(&time, 0);
}
