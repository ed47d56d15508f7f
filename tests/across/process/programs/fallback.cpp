// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that the tree must not serve, and how the runtime deals them out: for an ordered and a monotonic loop
// a line with the sizes of the first three chunks. With --plain the same for a loop that it may serve, and
// whether each member got that one in ascending order.
#include "check.h"
#include "omp_decls.h"

#include <atomic>

namespace {

constexpr int k_members = 4;
constexpr std::size_t k_iterations = 120;

/// Holds every member in the first iteration that it gets until all have got one. So the first chunks go to
/// as many members, whose numbers tell the chunks apart.
class Meeting {
public:
  void arrive(bool& has_arrived) {
    if (has_arrived) return;
    has_arrived = true;
    arrived_.fetch_add(1);
    while (arrived_ < k_members) sched_yield();
  }

private:
  std::atomic<int> arrived_{0};
};

void print(const char* name, const std::vector<int>& members) {
  std::printf("%s", name);
  std::size_t begin = 0;
  for (int chunk = 0; chunk < 3; ++chunk) {
    std::size_t end = begin;
    while (end < members.size() && members[end] == members[begin]) ++end;
    std::printf(" %zu", end - begin);
    begin = end;
  }
  std::puts("");
}

} // namespace

int main(int argc, char** argv) {
  alarm(30);
  const bool with_plain = check::flag(argc, argv, "--plain");
  std::vector<int> ordered(k_iterations), monotonic(k_iterations), plain(k_iterations);
  Meeting in_the_first, in_the_second, in_the_third;
  std::atomic<bool> ascending{true};
#pragma omp parallel num_threads(k_members)
  {
    bool first = false, second = false, third = false;
#pragma omp for schedule(runtime) ordered
    for (std::size_t i = 0; i < k_iterations; ++i) {
      in_the_first.arrive(first);
#pragma omp ordered
      ordered[i] = omp_get_thread_num();
    }
#pragma omp for schedule(monotonic : runtime)
    for (std::size_t i = 0; i < k_iterations; ++i) {
      in_the_second.arrive(second);
      monotonic[i] = omp_get_thread_num();
    }
    std::size_t behind = 0;
    if (with_plain) {
#pragma omp for schedule(runtime)
      for (std::size_t i = 0; i < k_iterations; ++i) {
        in_the_third.arrive(third);
        plain[i] = omp_get_thread_num();
        if (i < behind) ascending = false;
        behind = i + 1;
      }
    }
  }
  print("ordered", ordered);
  print("monotonic", monotonic);
  if (!with_plain) return 0;
  print("plain", plain);
  std::printf("ascending %d\n", ascending ? 1 : 0);
}
