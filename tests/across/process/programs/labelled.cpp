// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with labels of the C interface, which need not be there. Prints how many iterations were done.
#define WSTREE_WEAK
#include <wstree/wstree.h>

#include <cstdio>

namespace {

long g_done = 0;

void label(const char* text) {
  if (wstree_label != nullptr) wstree_label(text);
}

[[gnu::noinline]] void loop(int n) {
#pragma omp parallel for schedule(runtime) reduction(+ : g_done)
  for (int i = 0; i < n; ++i) ++g_done;
}

/// Two loops in a region; `second` is the label of the second one, which all members give it.
[[gnu::noinline]] void two_loops(const char* second) {
#pragma omp parallel reduction(+ : g_done)
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < 300; ++i) ++g_done;
    label(second);
#pragma omp for schedule(runtime)
    for (int i = 0; i < 400; ++i) ++g_done;
#pragma omp for schedule(runtime)
    for (int i = 0; i < 500; ++i) ++g_done;
  }
}

} // namespace

int main() {
  for (int k = 0; k < 3; ++k) {
    char text[] = "assembly";
    label(text);
    for (char& c : text) c = 'x'; // the library has its own copy
    loop(100);
    loop(200); // the same code, without a label
    label("first");
    two_loops("second");
    label("of a region without loops");
#pragma omp parallel
    label("of nothing");
    two_loops(nullptr);
    label("taken back");
    label("");
    loop(600);
    label("alone");
#pragma omp parallel for schedule(runtime) reduction(+ : g_done) num_threads(1)
    for (int i = 0; i < 700; ++i) ++g_done;
  }
  std::printf("%ld\n", g_done);
}
