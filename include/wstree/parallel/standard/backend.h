// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The backend of libstdc++'s parallel algorithms: the names that pstl/ calls, on the engine of this library.
// It stands in the place of libstdc++'s serial backend, and replaces it.
#pragma once

#include "wstree/parallel/standard/engine.h"
#include "wstree/parallel/standard/sort.h"

#include <cstddef>
#include <utility>

// Names and arguments are those of the interface.
namespace __pstl {
#if _PSTL_VERSION >= 17000
namespace __internal {
struct __serial_backend_tag;
}
#define WSTREE_PSTL_TAG __internal::__serial_backend_tag,
#else
#define WSTREE_PSTL_TAG
#endif
namespace __serial_backend {

/// Memory for elements that the algorithms make and destroy.
template <typename T> class __buffer {
public:
  explicit __buffer(std::size_t size) : room_(size) {}
  explicit operator bool() const { return static_cast<bool>(room_); }
  T* get() const { return room_.raw().first; }

private:
  wstree::detail::Room<T> room_;
};

/// Pieces that have not begun read the algorithm's own flag.
inline void __cancel_execution() {}

template <class Policy, class Index, class Body>
void __parallel_for(WSTREE_PSTL_TAG Policy&&, Index first, Index last, Body body) {
  wstree::detail::for_pieces(first, last, body);
}

template <class Policy, class Value, class Index, typename Body, typename Combine>
Value __parallel_reduce(WSTREE_PSTL_TAG Policy&&, Index first, Index last, const Value& identity,
                        const Body& body, const Combine& combine) {
  return wstree::detail::fold_pieces(first, last, identity, body, combine);
}

template <class Policy, class Index, class Make, class T, class Combine, class Sum>
T __parallel_transform_reduce(WSTREE_PSTL_TAG Policy&&, Index first, Index last, Make make, T init,
                              Combine combine, Sum sum) {
  return wstree::detail::sum_in_pairs(first, last, make, std::move(init), combine, sum);
}

template <class Policy, typename Index, typename T, typename Reduce, typename Combine, typename Scan,
          typename Apex>
void __parallel_strict_scan(WSTREE_PSTL_TAG Policy&&, Index n, T init, Reduce reduce, Combine combine,
                            Scan scan, Apex apex) {
  wstree::detail::scan_strictly(n, std::move(init), reduce, combine, scan, apex);
}

template <class Policy, class Index, class Make, class T, class Combine, class Reduce, class Scan>
T __parallel_transform_scan(WSTREE_PSTL_TAG Policy&&, Index n, Make make, T init, Combine combine,
                            Reduce reduce, Scan scan) {
  return wstree::detail::scan_pieces(n, make, std::move(init), combine, reduce, scan);
}

template <class Policy, typename It, typename Compare, typename Leaf>
void __parallel_stable_sort(WSTREE_PSTL_TAG Policy&&, It first, It last, Compare comp, Leaf leaf,
                            std::size_t wanted = 0) {
  wstree::detail::sort_pieces(first, last, comp, leaf, static_cast<std::ptrdiff_t>(wanted));
}

template <class Policy, typename X, typename Y, typename Out, typename Compare, typename Leaf>
void __parallel_merge(WSTREE_PSTL_TAG Policy&&, X x, X x_end, Y y, Y y_end, Out out, Compare comp,
                      Leaf leaf) {
  wstree::detail::merge_pieces(x, x_end, y, y_end, out, comp, leaf);
}

template <class Policy, typename F, typename G>
void __parallel_invoke(WSTREE_PSTL_TAG Policy&&, F&& f, G&& g) {
  wstree::join(wstree::detail::standard_policy(), f, g);
}

} // namespace __serial_backend
} // namespace __pstl
#undef WSTREE_PSTL_TAG
