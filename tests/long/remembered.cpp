// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// remembered light|inside|cancelled: a loop that a team has executed often, and then changes. Prints
// the microseconds that the executions after the change take. tests/long/remembered compares.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

void wait(nanoseconds time) {
  if (time >= std::chrono::milliseconds(1)) return std::this_thread::sleep_for(time);
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
  }
}

/// `often` executions, and then `after` others.
struct Change {
  int often, after;
};

template <class Execute> long microseconds_after(Change change, Execute&& execute) {
  for (int i = 0; i < change.often; ++i) execute(false);
  const auto start = Clock::now();
  for (int i = 0; i < change.after; ++i) execute(true);
  return static_cast<long>((Clock::now() - start) / std::chrono::microseconds(1));
}

/// Nearly empty, until its iterations take two milliseconds each.
long light() {
  return microseconds_after({300, 1}, [](bool changed) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 128; ++i)
      if (changed) wait(std::chrono::milliseconds(2));
  });
}

/// What is expensive stands at the beginning, then at the end, and all of that is one region.
long inside() {
  long result = 0;
#pragma omp parallel
  {
    const long time = microseconds_after({100, 20}, [](bool changed) {
#pragma omp for schedule(runtime)
      for (int i = 0; i < 4'000; ++i) wait(nanoseconds((changed ? i >= 3'500 : i < 500) ? 10'000 : 200));
    });
#pragma omp master
    result = time;
  }
  return result;
}

/// A search that finds something early, until it finds nothing.
long cancelled() {
  return microseconds_after({100, 20}, [](bool changed) {
#pragma omp parallel
#pragma omp for schedule(runtime)
    for (int i = 0; i < 20'000; ++i) {
      wait(nanoseconds(200));
      if (!changed && i == 40) {
#pragma omp cancel for
      }
    }
  });
}

} // namespace

int main(int argc, char** argv) {
  const char* what = argc == 2 ? argv[1] : "";
  const bool is_light = std::strcmp(what, "light") == 0, is_inside = std::strcmp(what, "inside") == 0;
  if (!is_light && !is_inside && std::strcmp(what, "cancelled") != 0) {
    std::fputs("usage: remembered light|inside|cancelled\n", stderr);
    return 2;
  }
  std::printf("%ld\n", is_light ? light() : is_inside ? inside() : cancelled());
}
