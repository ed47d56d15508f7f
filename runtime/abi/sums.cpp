// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums of wstree.h: the blocks and the tree of the C++ library, on a team of the program's own runtime.
#include "export.h"
#include "process/request.h"
#include "resolve/omp_queries.h"
#include "resolve/runtime.h"

#include "wstree/parallel/dyadic.h"
#include "wstree/parallel/lanes.h"

#include "wstree/wstree.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace {

using namespace wstree;
using detail::k_block;
using detail::Run;

// libomp has GCC's entries too.
constinit abi::Real<void(void (*)(void*), void*, unsigned, unsigned)> g_open_region{"GOMP_parallel", true};
constinit abi::Real<int()> g_get_max_threads{"omp_get_max_threads", true};

/// Blocks that one thread sums faster than a team is there.
constexpr std::size_t k_blocks_alone = 16;
/// Runs of blocks that members take, on the caller's stack.
constexpr std::size_t k_pieces = 64;

/// get(0), ..., get(count - 1) added up.
template <class T, class Get> class Sum {
public:
  /// Few numbers need neither runs nor a team.
  static T of(std::size_t count, Get& get, const void* caller) noexcept {
    plus add;
    if (count == 0) return T{};
    if (count <= k_block) return T{} + detail::fold_block<T>(0, count, get, add);
    return Sum(count, get).on_team(caller);
  }

private:
  Sum(std::size_t count, Get& get) noexcept
      : count_(count), blocks_((count + k_block - 1) / k_block), get_(get) {}

  T on_team(const void* caller) noexcept {
    const auto open = blocks_ > k_blocks_alone ? g_open_region.find(caller) : nullptr;
    const auto ask = open != nullptr ? g_get_max_threads.find(caller) : nullptr;
    const int threads = ask != nullptr ? ask() : 1;
    if (threads <= 1) return alone();
    open(take_pieces, this, static_cast<unsigned>(std::min(threads, static_cast<int>(k_pieces))), 0);
    for (std::size_t piece = 1; piece < k_pieces; ++piece) runs_[0].append(runs_[piece], add_);
    return T{} + runs_[0].value(add_);
  }
  T alone() noexcept {
    push(runs_[0], 0, blocks_);
    return T{} + runs_[0].value(add_);
  }

  static void take_pieces(void* data) {
    Sum& sum = *static_cast<Sum*>(data);
    // relaxed: a piece carries no data, and the region's end orders the runs.
    for (std::size_t piece; (piece = sum.next_.fetch_add(1, std::memory_order_relaxed)) < k_pieces;)
      sum.push(sum.runs_[piece], sum.blocks_ * piece / k_pieces, sum.blocks_ * (piece + 1) / k_pieces);
  }
  void push(Run<T>& run, std::size_t begin, std::size_t end) noexcept {
    for (std::size_t block = begin; block < end; ++block) {
      const std::size_t first = block * k_block;
      const std::size_t last = std::min(count_, first + k_block);
      run.push_block(block, detail::fold_block<T>(first, last, get_, add_), add_);
    }
  }

  std::size_t count_, blocks_;
  Get& get_;
  plus add_;
  std::atomic<std::size_t> next_{0};
  Run<T> runs_[k_pieces];
};

template <class T> T sum_of(const T* numbers, std::size_t count, const void* caller) noexcept {
  const auto get = [numbers](std::size_t i) { return numbers[i]; };
  return Sum<T, decltype(get)>::of(count, get, caller);
}
template <class T> T dot_of(const T* left, const T* right, std::size_t count, const void* caller) noexcept {
  const auto get = [left, right](std::size_t i) { return static_cast<T>(left[i] * right[i]); };
  return Sum<T, decltype(get)>::of(count, get, caller);
}

} // namespace

extern "C" {
WSTREE_EXPORT double wstree_sum_double(const double* numbers, std::size_t count) {
  return sum_of(numbers, count, WSTREE_CALLER);
}
WSTREE_EXPORT float wstree_sum_float(const float* numbers, std::size_t count) {
  return sum_of(numbers, count, WSTREE_CALLER);
}
WSTREE_EXPORT double wstree_dot_double(const double* left, const double* right, std::size_t count) {
  return dot_of(left, right, count, WSTREE_CALLER);
}
WSTREE_EXPORT float wstree_dot_float(const float* left, const float* right, std::size_t count) {
  return dot_of(left, right, count, WSTREE_CALLER);
}
}
