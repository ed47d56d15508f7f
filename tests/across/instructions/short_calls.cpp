// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short calls of the C++ library, phase by phase, each behind the standard's algorithm on the same elements,
// for a tool that counts instructions from phase_begin() to phase_end().
#include <wstree/parallel.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

extern "C" {
[[gnu::noinline]] void phase_begin() { asm volatile("" ::: "memory"); }
[[gnu::noinline]] void phase_end() { asm volatile("" ::: "memory"); }
}

namespace {

void keep(const void* p) { asm volatile("" : : "r"(p) : "memory"); }

template <class Call> void phase(Call call) {
  call(); // finds functions of the C library
  phase_begin();
  for (int i = 0; i < 1000; ++i) call();
  phase_end();
}

// Functions of their own, because compilers know the sizes of vectors that they see.
template <class E> using Elements = std::vector<E>;
template <class E> [[gnu::noinline]] void std_fill(Elements<E>& out, E value) {
  std::fill(out.begin(), out.end(), value);
}
template <class E> [[gnu::noinline]] void our_fill(Elements<E>& out, E value) { wstree::fill(out, value); }
template <class E> [[gnu::noinline]] void std_copy(const Elements<E>& in, Elements<E>& out) {
  std::copy(in.begin(), in.end(), out.begin());
}
template <class E> [[gnu::noinline]] void our_copy(const Elements<E>& in, Elements<E>& out) {
  wstree::copy(in, out);
}
template <class E> [[gnu::noinline]] bool std_equal(const Elements<E>& in, const Elements<E>& two) {
  return std::equal(in.begin(), in.end(), two.begin());
}
template <class E> [[gnu::noinline]] bool our_equal(const Elements<E>& in, const Elements<E>& two) {
  return wstree::equal(in, two);
}
template <class E>
[[gnu::noinline]] void std_transform(const Elements<E>& in, const Elements<E>& two, Elements<E>& out) {
  std::transform(in.begin(), in.end(), two.begin(), out.begin(), wstree::plus());
}
template <class E>
[[gnu::noinline]] void our_transform(const Elements<E>& in, const Elements<E>& two, Elements<E>& out) {
  wstree::transform(in, two, out, wstree::plus());
}

template <class E> void phases() {
  const Elements<E> in(100, E{1}), two(in);
  Elements<E> out(100);
  phase([&] { std_fill(out, E{3}), keep(out.data()); });
  phase([&] { our_fill(out, E{3}), keep(out.data()); });
  phase([&] { std_copy(in, out), keep(out.data()); });
  phase([&] { our_copy(in, out), keep(out.data()); });
  phase([&] { keep(std_equal(in, two) ? &in : nullptr); });
  phase([&] { keep(our_equal(in, two) ? &in : nullptr); });
  phase([&] { std_transform(in, two, out), keep(out.data()); });
  phase([&] { our_transform(in, two, out), keep(out.data()); });
}

} // namespace

int main() {
  phases<std::uint8_t>();
  phases<std::int16_t>();
  phases<std::int32_t>();
  phases<std::int64_t>();
}
