// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts and merges of small random elements by one thread, a phase each, for a tool that counts branches from
// phase_begin() to phase_end().
#include <wstree/parallel.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

extern "C" {
[[gnu::noinline]] void phase_begin() { asm volatile("" ::: "memory"); }
[[gnu::noinline]] void phase_end() { asm volatile("" ::: "memory"); }
}

namespace {

using namespace wstree::detail;

struct Pair {
  std::int64_t key, value;
  explicit Pair(std::uint32_t k) : key(k), value(0) {}
  bool operator<(const Pair& other) const { return key < other.key; }
};

template <class E> std::vector<E> elements() {
  std::vector<E> made;
  for (std::uint32_t i = 0, k = 1; i < 10'000; ++i) made.emplace_back(E((k = k * 1664525 + 1013904223) >> 2));
  return made;
}

template <class E> void phases() {
  std::vector<E> run = elements<E>(), one = run, two(run.begin(), run.begin() + 5'000), out = run;
  one.erase(one.begin(), one.begin() + 5'000);
  std::sort(one.begin(), one.end()), std::sort(two.begin(), two.end());
  const Room<E> room(run.size());
  const Live<E*> live{run.data()};
  const Raw<E> raw = room.raw();
  Less less;
  phase_begin();
  RunSort<E, E*, Less>(live, raw, less).sort({0, run.size()}, false);
  phase_end();
  phase_begin();
  wstree::merge(wstree::par().threads(1), one, two, out);
  phase_end();
  asm volatile("" : : "r"(run.data()), "r"(out.data()) : "memory");
}

} // namespace

int main() {
  phases<std::int32_t>();
  phases<std::int64_t>();
  phases<double>();
  phases<Pair>();
}
