// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions inside serial loops: gcc keeps the addresses of their functions in registers or on the stack.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int k_size = 2000;

template <class Body> inline void each(int n, const Body& body) {
#pragma omp parallel for // LINE template
  for (int i = 0; i < n; ++i) body(i);
}

// As connected components are found: a region in front of a loop with two others.
[[gnu::noinline]] int converge(const std::vector<int>& next) {
  const int n = static_cast<int>(next.size());
  std::vector<int> label(next.size());
  int* const labels = label.data();
#pragma omp parallel for // LINE start
  for (int i = 0; i < n; ++i) labels[i] = i;
  bool changes = true;
  int rounds = 0;
  while (changes) {
    changes = false;
    ++rounds;
#pragma omp parallel for // LINE hook
    for (int i = 0; i < n; ++i)
      if (labels[next[static_cast<unsigned>(i)]] < labels[i]) {
        labels[i] = labels[next[static_cast<unsigned>(i)]];
        changes = true;
      }
#pragma omp parallel for // LINE jump
    for (int i = 0; i < n; ++i)
      while (labels[i] != labels[labels[i]]) labels[i] = labels[labels[i]];
  }
  return rounds;
}

// More of them than registers.
#define SHIFT(name, by)                                                                                      \
  inline void name(const std::vector<double>& from, std::vector<double>& to) {                               \
    const int n = static_cast<int>(to.size());                                                               \
    _Pragma("omp parallel for") for (int i = by; i < n; ++i) {                                               \
      to[static_cast<unsigned>(i)] += from[static_cast<unsigned>(i - (by))] / 2;                             \
    }                                                                                                        \
  }
SHIFT(once, 0)  // LINE once
SHIFT(one, 1)   // LINE one
SHIFT(two, 2)   // LINE two
SHIFT(three, 3) // LINE three
SHIFT(four, 4)  // LINE four
SHIFT(five, 5)  // LINE five
SHIFT(six, 6)   // LINE six
SHIFT(seven, 7) // LINE seven

int main(int arguments, char**) {
  const int steps = 4 * arguments;
  std::vector<int> next(k_size);
  for (int i = 0; i < k_size; ++i) next[static_cast<unsigned>(i)] = std::rand() % k_size;
  std::vector<double> a(k_size, 1), b(k_size), c(k_size);
  once(a, c);
  for (int step = 0; step < steps; ++step) {
    one(a, b);
    two(b, a);
    three(a, b);
    four(b, a);
    five(a, c);
    six(c, a);
    seven(b, c);
    // Each a second time, as other copies of the same function.
    one(b, a);
    two(a, b);
    three(b, a);
    four(a, b);
    five(c, a);
    six(a, c);
    seven(c, b);
    each(k_size, [&](int i) { c[static_cast<unsigned>(i)] += a[static_cast<unsigned>(i)]; });
    a.swap(b);
  }
  std::printf("%d %g %g\n", converge(next), a[1], c[1]);
}
