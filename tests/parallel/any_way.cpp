// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled in every way that a program may be: with and without OpenMP, exceptions, type information.
#include <wstree/parallel.hpp>

#include <vector>

int main() {
  std::vector<double> numbers(200'000, 0.5);
  if (wstree::reduce(numbers.begin(), numbers.end(), 1.0) != 100'001.0) return 1;
  std::vector<int> visits(5'000);
  for (int round = 0; round < 5; ++round)
    wstree::for_each(wstree::par("visits"), visits.begin(), visits.end(), [](int& count) {
      for (int i = 0; i < 200; ++i) asm volatile("" : : "r"(i));
      ++count;
    });
  for (const int count : visits)
    if (count != 5) return 2;
  const long sum = wstree::fold(
      0L, 10'000L, 0L,
      [](long so_far, long begin, long end) {
        for (; begin != end; ++begin) so_far += begin;
        return so_far;
      },
      [](long a, long b) { return a + b; });
  if (sum != 49'995'000) return 3;
  int a = 0, b = 0;
  wstree::join([&] { a = 1; }, [&] { b = 2; });
  return a + b == 3 ? 0 : 4;
}
