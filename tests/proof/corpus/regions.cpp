// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions of C++ for the proof; see regions.c.
#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" int omp_get_thread_num();
extern "C" int omp_get_num_threads();

std::vector<double> x(1000), y(1000);
std::map<int, double>* sums;
int made, merges;

struct Counted {
  int value = 0;
  __attribute__((noinline)) Counted() {
#pragma omp atomic
    made++;
  }
  __attribute__((noinline)) Counted(const Counted& other) : value(other.value) {
#pragma omp atomic
    made++;
  }
  __attribute__((noinline)) ~Counted() {
#pragma omp atomic
    made--;
  }
};
struct Big {
  int count = 0;
  __attribute__((noinline)) ~Big() {
#pragma omp atomic
    merges += count;
  }
};
using List = std::vector<int>;
static void merge(List& out, List& in) {
  merges++;
  out.insert(out.end(), in.begin(), in.end());
}
#pragma omp declare reduction(append:List : merge(omp_out, omp_in))

extern "C" {
void yes_vector(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) y[i] = x[i] + 2;
}
void yes_iterators(int) {
#pragma omp parallel for
  for (auto it = x.begin(); it < x.end(); ++it) *it = *it * 2;
}
void yes_range(int) {
#pragma omp parallel for
  for (double& v : x) v = v + 1;
}
void yes_lambda(int n, double k) {
  const auto f = [k](double v) { return v * k; };
#pragma omp parallel for
  for (int i = 0; i < n; i++) y[i] = f(x[i]);
}
void yes_complex(int n, std::complex<double>* to) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) to[i] = {x[i] - y[i], x[i] + y[i]};
}
void yes_minmax(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) y[i] = std::min(std::max(x[i], 0.0), 1.0);
}
double yes_norm(int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) s += std::abs(x[i]) * x[i];
  return std::sqrt(s);
}
void yes_matrix(int n, int m, double* const* rows) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) rows[i][j] = rows[j][i] * 0.5;
}

void no_objects(int n) {
#pragma omp parallel
  {
    Counted c;
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = c.value;
  }
}
void no_firstprivate_objects(int n) {
  Counted c;
#pragma omp parallel for firstprivate(c)
  for (int i = 0; i < n; i++) y[i] = c.value;
}
void no_private_objects(int n) {
  Counted c;
#pragma omp parallel for private(c)
  for (int i = 0; i < n; i++) y[i] = c.value;
}
void no_destructor_merges(int n) {
#pragma omp parallel
  {
    Big b;
    b.count = 1;
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = x[i];
  }
}
void no_user_reduction(int n) {
  List all;
#pragma omp parallel for reduction(append : all)
  for (int i = 0; i < n; i++) all.push_back(i);
  merges += static_cast<int>(all.size());
}
void no_map_by_number(int n) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp for nowait
    for (int i = 0; i < n; i++) sums->at(me) += 1;
  }
}
void no_caught(int n) {
#pragma omp parallel
  {
    int caught = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      try {
        if (x[i] > 3) throw std::runtime_error("x");
        y[i] = 1;
      } catch (const std::exception&) {
        y[i] = caught++;
      }
    }
  }
}
void no_caught_notes_thread(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    try {
      if (x[i] > 3) throw 1;
    } catch (int) {
      y[i] = omp_get_thread_num();
    }
  }
}
static __attribute__((noinline)) double attempt(std::size_t size) {
  try {
    ::operator delete(::operator new(size));
    return 1;
  } catch (const std::bad_alloc&) {
    return omp_get_thread_num();
  }
}
void no_caught_without_memory(int n, const std::size_t* sizes) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) y[i] = attempt(sizes[i]);
}
void yes_without_memory(int n, const std::size_t* sizes) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int* const made = static_cast<int*>(::operator new(sizes[i]));
    *made = i;
    y[i] = *made;
    ::operator delete(made);
  }
}
void no_private_string(int n) {
#pragma omp parallel
  {
    std::string text;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      text += 'x';
      y[i] = static_cast<double>(text.size());
    }
  }
}
void no_private_vector(int n) {
#pragma omp parallel
  {
    std::vector<double> own(8);
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      own[i & 7] += x[i];
      y[i] = own[(i + 1) & 7];
    }
  }
}
void no_static_of_thread(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    static thread_local int calls = 0;
    y[i] = ++calls;
  }
}
void no_lambda_carries(int n) {
#pragma omp parallel
  {
    double state = 1;
    auto step = [&state] { return state = state * 1.5 - 1; };
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = step();
  }
}
struct Generator {
  unsigned long s[2] = {1, 2};
  __attribute__((noinline)) unsigned long next() {
    unsigned long a = s[0];
    s[0] = s[1];
    s[1] ^= a << 23 ^ a >> 5;
    return s[1];
  }
};
void no_generator(int n) {
#pragma omp parallel
  {
    Generator g;
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = static_cast<double>(g.next());
  }
}
void no_generator_of_caller(int n, const Generator& from) {
  Generator g = from;
#pragma omp parallel for firstprivate(g)
  for (int i = 0; i < n; i++) y[i] = static_cast<double>(g.next());
}
struct Work {
  virtual void operator()(int) = 0;
};
void no_virtual(int n, Work& work) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) work(i);
}
}
