// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: the loop forms that compilers make dispatch calls of: every variable type, up, down, !=, strides,
// limits of the type, pointers and iterators, collapsed nests, empty loops. The same loop run without OpenMP
// is the oracle.
#include "hits.h"
#include "omp_decls.h"

#include <climits>
#include <cstddef>
#include <deque>

namespace {

using check::Hits;

#define PRAGMA(...) _Pragma(#__VA_ARGS__)

/// Runs `header body` once serially and once as an OpenMP loop; `index` numbers the iterations from 0 below
/// `width`.
#define COMPARE(width, directive, index, ...)                                                                \
  do {                                                                                                       \
    Hits wanted(width), got(width);                                                                          \
    __VA_ARGS__ { wanted.touch(index); }                                                                     \
    PRAGMA(omp directive) __VA_ARGS__ { got.touch(index); }                                                  \
    got.must_equal(wanted, #directive ": " #__VA_ARGS__);                                                    \
  } while (0)

#define RUNTIME(width, index, ...) COMPARE(width, parallel for schedule(runtime), index, __VA_ARGS__)

// Forms that came with OpenMP 5.0; this file is also built in an older mode, whose compiled code differs.
#if _OPENMP >= 201811
#define RUNTIME_50(width, index, ...) RUNTIME(width, index, __VA_ARGS__)
#define COMPARE_50(width, directive, index, ...) COMPARE(width, directive, index, __VA_ARGS__)
#else
#define RUNTIME_50(width, index, ...) static_assert(true)
#define COMPARE_50(width, directive, index, ...) static_assert(true)
#endif

void long_and_unsigned_long() {
  for (const long n : {0l, 1l, 4l, 5l, 1000l}) {
    const unsigned long m = static_cast<unsigned long>(n);
    RUNTIME(1000, i, for (long i = 0; i < n; ++i));
    RUNTIME(1000, LONG_MAX - 1 - i, for (long i = LONG_MAX - n; i < LONG_MAX; ++i));
    RUNTIME(1000, i - LONG_MIN - 1, for (long i = LONG_MIN + n; i > LONG_MIN; --i));
    RUNTIME(1000, i, for (unsigned long i = 0; i < m; ++i));
    RUNTIME(1000, i - 1, for (unsigned long i = m; i > 0; --i));
    RUNTIME(1000, i - (ULONG_MAX - 1000),
            for (unsigned long i = ULONG_MAX - 1000; i < ULONG_MAX - 1000 + m; ++i));
    RUNTIME(1000, ULONG_MAX - 1 - i, for (unsigned long i = ULONG_MAX - 1; i > ULONG_MAX - 1 - m; i -= 3));
    RUNTIME_50(1000, i, for (std::size_t i = 0; i != m; ++i));
    RUNTIME(1000, (i - LONG_MIN) >> 53, for (long i = LONG_MIN; i < LONG_MIN + (n << 53); i += 1l << 53));
  }
  volatile unsigned long in_memory = 15ul << 60;
  const unsigned long limit = in_memory;
  RUNTIME(16, i >> 60, for (unsigned long i = 0; i < limit; i += 1ul << 60));
#ifdef __clang__ // GCC passes a known limit as a signed one: such a loop is empty on every runtime
  RUNTIME(16, i >> 60, for (unsigned long i = 0; i < 15ul << 60; i += 1ul << 60));
#endif
}

void pointers_and_iterators() {
  std::vector<int> values(1000);
  std::deque<short> queue(700);
  int* const begin = values.data();
  for (const int n : {0, 1, 2, 5, 100, 1000}) {
    RUNTIME(1000, p - begin, for (int* p = begin; p < begin + n; ++p));
    RUNTIME_50(1000, p - begin, for (int* p = begin; p != begin + n; ++p));
    RUNTIME(1000, p - begin - 1, for (int* p = begin + n; p > begin; p -= 3));
    RUNTIME(1000, it - values.begin(), for (auto it = values.begin(); it < values.begin() + n; ++it));
    RUNTIME(1000, it - values.begin(), for (auto it = values.begin(); it < values.begin() + n; it += 4));
    RUNTIME(1000, values.rend() - 1 - it,
            for (auto it = values.rbegin(); it < values.rend() - (1000 - n); ++it));
  }
  RUNTIME_50(700, it - queue.begin(), for (auto it = queue.begin(); it != queue.end(); ++it));
  RUNTIME_50(1000, &value - begin, for (int& value : values));
}

void collapsed_nests() {
  for (const int n : {0, 1, 3, 17})
    for (const int m : {0, 1, 4, 31}) {
#define NEST(directive, ...) COMPARE(600, directive, i* m + j, __VA_ARGS__)
      NEST(parallel for collapse(2) schedule(runtime), for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j));
      NEST(parallel for collapse(2) schedule(runtime), for (long i = n - 1; i >= 0; --i) for (unsigned char j = 0; j < m; j += 2));
      COMPARE_50(600, parallel for collapse(2) schedule(runtime), (i + 5) * m + j - 3,
              for (int i = -5; i != n - 5; ++i) for (long j = m + 2; j >= 3; --j));
      COMPARE(1800, parallel for collapse(3) schedule(runtime), (i * m + j) * 3 + k,
              for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) for (int k = 0; k < 3; ++k));
#undef NEST
    }
  // Constant bounds: the compiler chooses the narrow type by itself.
  COMPARE(200, parallel for collapse(2) schedule(runtime), i * 20 + j,
          for (int i = 0; i < 10; ++i) for (int j = 0; j < 20; ++j));
#if __clang_major__ >= 16
  // A triangular nest.
  COMPARE_50(400, parallel for collapse(2) schedule(runtime), i * 20 + j,
             for (int i = 0; i < 20; ++i) for (int j = 0; j < i; ++j));
#endif
}

void modifiers_and_simd() {
  for (const int n : {0, 1, 5, 1000}) {
    COMPARE_50(1000, parallel for schedule(nonmonotonic: runtime), i, for (int i = 0; i < n; ++i));
    COMPARE(1000, parallel for schedule(simd: runtime), i, for (int i = 0; i < n; ++i));
    COMPARE(1000, parallel for simd schedule(runtime), i, for (int i = 0; i < n; ++i));
    COMPARE(1000, parallel for simd schedule(simd: runtime) simdlen(4), i, for (int i = 0; i < n; ++i));
    COMPARE(1000, parallel for num_threads(3) schedule(runtime), i, for (int i = 0; i < n; ++i));
  }
}

} // namespace

int main(int argc, char** argv) {
  return check::run(argc, argv,
                    {CASE(long_and_unsigned_long), CASE(pointers_and_iterators), CASE(collapsed_nests),
                     CASE(modifiers_and_simd)});
}
