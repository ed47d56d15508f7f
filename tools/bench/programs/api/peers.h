// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Computations by libraries of parallel algorithms, each in its most natural form.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace bench {

/// x -> a x + b modulo 2^64: composition is associative, not commutative.
struct Affine {
  std::uint64_t a = 1, b = 0;
  friend Affine operator*(const Affine& first, const Affine& then) {
    return {first.a * then.a, first.b * then.a + then.b};
  }
  friend bool operator==(const Affine&, const Affine&) = default;
};

/// An expensive operator: 3x3, modulo a prime.
struct Matrix {
  static constexpr std::uint64_t k_prime =
      0x7FFFFFFF; // three products of two numbers below it are below 2^64
  std::array<std::uint64_t, 9> at{1, 0, 0, 0, 1, 0, 0, 0, 1};
  friend Matrix operator*(const Matrix& x, const Matrix& y) {
    Matrix z;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        z.at[3 * i + k] =
            (x.at[3 * i] * y.at[k] + x.at[3 * i + 1] * y.at[3 + k] + x.at[3 * i + 2] * y.at[6 + k]) % k_prime;
    return z;
  }
  friend bool operator==(const Matrix&, const Matrix&) = default;
};

using Doubles = std::span<const double>;
/// Units of spin() that each element costs.
using Costs = std::span<const std::uint32_t>;

/// One cost for each row of so many elements.
struct CostlyRows {
  std::vector<std::uint32_t> costs;
  std::size_t elements;
};

inline bool is_chosen(double x) { return x < 0.5; }
inline long root_of(long n) {
  long root = 1;
  while ((root + 1) * (root + 1) <= n) ++root;
  return root;
}

struct Keyed {
  std::uint32_t key, place;
  friend bool operator<(const Keyed& x, const Keyed& y) { return x.key < y.key; }
  friend bool operator==(const Keyed&, const Keyed&) = default;
};
template <class T> using Sort = std::function<void(std::span<T>)>;
/// One sort for each type of elements.
struct Sorts {
  Sort<int> ints{};
  Sort<double> doubles{};
  Sort<std::string> strings{};
  Sort<Keyed> pairs{};
};
/// Returns sorts for elements of all types, each by `sort`.
template <class Function> Sorts sorts_by(Function sort) { return {sort, sort, sort, sort}; }

/// A library. A function is empty where the library has nothing of the kind.
struct Peer {
  const char* name;
  std::function<int(std::span<const int>)> sum_ints{};
  std::function<double(Doubles)> sum{}, reproducible_sum{};
  std::function<double(Doubles, double mean)> variance{};
  std::function<std::uint64_t(Costs)> uneven{};
  std::function<void(Doubles, double* out)> scan{};
  std::function<void(std::span<const Matrix>, Matrix* out)> scan_matrices{};
  std::function<std::size_t(Doubles, double value)> find{};
  std::function<std::size_t(Doubles, double* out)> filter{};
  Sorts sort{}, stable_sort{};
  std::function<std::uint64_t(const CostlyRows&)> rows{};
  /// The number of primes from 2 on and below n; the inner loop over divisors is parallel, too, or not.
  std::function<long(long n)> primes{}, primes_outer{};
  std::function<Affine(std::span<const Affine>)> ordered{};
  std::function<std::size_t(Doubles)> least{}; ///< the position of the smallest
  /// Calls function(i) for each i below n.
  std::function<void(long n, const std::function<void(long)>& function)> for_each{};
  /// The first number from `hit` on and below n; counts how many were looked at.
  std::function<long(long n, long hit, std::atomic<long>& looked_at)> early_exit{};
};

Peer sequential_peer();
Peer wstree_peer();
Peer openmp_peer();
#ifdef WSTREE_BENCH_PEER_TBB
Peer tbb_peer();
Peer standard_peer();
#endif
#ifdef WSTREE_BENCH_PEER_GNU
Peer gnu_peer();
#endif

/// Returns all peers; ours comes first.
std::vector<Peer> all_peers();
/// Returns the libraries that were not found when the program was built, one word each.
std::vector<const char*> missing_peers();

/// Calls `function` with so many threads for each library.
void with_threads(int threads, const std::function<void()>& function);

} // namespace bench
