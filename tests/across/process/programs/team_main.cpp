// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of clang with code of gcc: linked with a library (programs/team.cpp), or with the object itself
// and both runtimes.
#include <cstdio>

extern "C" int faults_of_team();

int main() {
  int faults = 0;
  for (int round = 0; round < 20; ++round) {
    long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(2)
    for (int i = 0; i < 1000; ++i) sum += i;
    faults += sum != 499'500;
    faults += faults_of_team();
  }
  std::printf("faults %d\n", faults);
  return faults == 0 ? 0 : 8;
}
