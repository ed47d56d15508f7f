// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: lastprivate. Compiled code copies the variable out of the thread that was told it ran the last
// iteration; if that got another chunk afterwards, the value is wrong. libomp's own static_steal does that.
//   --count-wrong    counts instead of failing, and fails if not one was wrong: to be run under
//                    OMP_SCHEDULE=static_steal without the library
#include "hits.h"
#include "omp_decls.h"

#include <type_traits>
#include <utility>

namespace {

bool count_wrong = false;
int wrong_in_form = 0;
int wrong_in_all = 0;

constexpr int k_n = 300;

/// Uneven in a way that depends on `shape`: the last, the first, every 16th or no iteration is dear.
void body(int shape, long i, long last) {
  const bool dear =
      (shape % 4 == 0 && i == last) || (shape % 4 == 1 && i == 0) || (shape % 4 == 2 && i % 16 == 0);
  check::spin(dear ? 20'000 : 100);
}

void verdict(bool right, const char* form, int round, long long value, long long wanted) {
  if (!right) ++wrong_in_form;
  if (!count_wrong)
    CHECK(right, "lastprivate %s, round %d: %lld instead of %lld", form, round, value, wanted);
}

template <class Form> void repeat_form(const char* name, Form&& form) {
  const int rounds = check::repeat(50, 1000);
  wrong_in_form = 0;
  for (int round = 0; round < rounds; ++round) form(round, name);
  if (count_wrong) std::printf("%-20s %4d wrong values in %d rounds\n", name, wrong_in_form, rounds);
  wrong_in_all += wrong_in_form;
}

template <class T> void up_and_down(const char* up, const char* down) {
  repeat_form(up, [](int round, const char* name) {
    T x = 0, i = 0;
    const T n = static_cast<T>(round % 5 == 4 ? 1 + round % 9 : k_n);
#pragma omp parallel for schedule(runtime) lastprivate(x, i)
    for (i = 0; i < n; ++i) {
      x = static_cast<T>(i * 3);
      body(round, static_cast<long>(i), static_cast<long>(n) - 1);
    }
    verdict(x == (n - 1) * 3 && i == n, name, round, static_cast<long long>(x),
            static_cast<long long>((n - 1) * 3));
  });
#ifndef __clang__ // GCC passes -1 as 4294967295 here, so that its loops are empty on every runtime
  if (std::is_same_v<T, unsigned>) return;
#endif
  repeat_form(down, [](int round, const char* name) {
    T x = 0;
#pragma omp parallel for schedule(runtime) lastprivate(x)
    for (T i = k_n; i > 0; --i) {
      x = static_cast<T>(i + 7);
      body(round, k_n - static_cast<long>(i), k_n - 1);
    }
    verdict(x == 8, name, round, static_cast<long long>(x), 8);
  });
}

void of_each_type() {
  up_and_down<int>("int up", "int down");
  up_and_down<unsigned>("unsigned up", "unsigned down");
  up_and_down<long>("long up", "long down");
  up_and_down<unsigned long>("unsigned long up", "unsigned long down");
  up_and_down<short>("short up", "short down");
}

void of_other_constructs() {
  repeat_form("simd", [](int round, const char* name) {
    int x = 0, i = 0;
#pragma omp parallel for simd schedule(runtime) lastprivate(x, i)
    for (i = 0; i < k_n; ++i) {
      x = i * 5;
      body(round, i, k_n - 1);
    }
    verdict(x == (k_n - 1) * 5 && i == k_n, name, round, x, (k_n - 1) * 5);
  });
  repeat_form("linear", [](int round, const char* name) {
    int x = 3;
#pragma omp parallel for schedule(runtime) linear(x : 2)
    for (int i = 0; i < k_n; ++i) {
      x += 2;
      body(round, i, k_n - 1);
    }
    verdict(x == 3 + 2 * k_n, name, round, x, 3 + 2 * k_n);
  });
  repeat_form("nested", [](int round, const char* name) {
    int outer = 0;
    int inner[6] = {};
#pragma omp parallel for schedule(runtime) lastprivate(outer) num_threads(3)
    for (int a = 0; a < 6; ++a) {
      outer = a;
      int x = 0;
#pragma omp parallel for schedule(runtime) lastprivate(x) num_threads(2)
      for (int i = 0; i < 40; ++i) {
        x = i + a;
        body(round, i, 39);
      }
      inner[a] = x;
    }
    verdict(outer == 5, name, round, outer, 5);
    for (int a = 0; a < 6; ++a) verdict(inner[a] == 39 + a, name, round, inner[a], 39 + a);
  });
  repeat_form("teams distribute", [](int round, const char* name) {
    int x = 0;
#pragma omp teams distribute parallel for schedule(runtime) lastprivate(x) num_teams(2) thread_limit(2)
    for (int i = 0; i < k_n; ++i) {
      x = i + 1;
      body(round, i, k_n - 1);
    }
    verdict(x == k_n, name, round, x, k_n);
  });
  repeat_form("conditional", [](int round, const char* name) {
    // The value of the highest iteration that assigned, whichever member ran it.
    int x = 0;
#pragma omp parallel for schedule(runtime) lastprivate(conditional : x)
    for (int i = 0; i < k_n; ++i) {
      if (i % 37 == 5) x = i;
      body(round, i, k_n - 1);
    }
    verdict(x == (k_n - 6) / 37 * 37 + 5, name, round, x, (k_n - 6) / 37 * 37 + 5);
  });
}

} // namespace

int main(int argc, char** argv) {
  count_wrong = check::flag(argc, argv, "--count-wrong");
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  const int status = check::run(argc, argv, {CASE(of_each_type), CASE(of_other_constructs)});
  if (!count_wrong || status != 0) return status;
  std::printf("%d wrong values in all\n", wrong_in_all);
  return wrong_in_all > 0 ? 0 : 1;
}
