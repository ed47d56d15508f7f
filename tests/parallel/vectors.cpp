// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One call each, of whose loops the compiler is to make vectors (check_vectors).
#include <wstree/parallel.hpp>

#include <vector>

using E = ELEMENT;
using Elements = std::vector<E>;

#if defined(CALL_for_each)
void call(Elements& v, E k) {
  wstree::for_each(v, [k](E& e) { e = static_cast<E>(e + k); });
}
#elif defined(CALL_transform)
void call(const Elements& v, Elements& out, E k) {
  wstree::transform(v, out, [k](E e) { return static_cast<E>(e + k); });
}
#elif defined(CALL_transform_two)
void call(const Elements& v, const Elements& w, Elements& out) {
  wstree::transform(v, w, out, [](E a, E b) { return static_cast<E>(a + b); });
}
#elif defined(CALL_tabulate)
void call(Elements& out, E k) {
  wstree::tabulate(out, [k](std::size_t i) { return static_cast<E>(i + k); });
}
#elif defined(CALL_adjacent_difference)
void call(const Elements& v, Elements& out) { wstree::adjacent_difference(v, out); }
#elif defined(CALL_count)
long call(const Elements& v, E k) { return wstree::count(v, k); }
#elif defined(CALL_find)
long call(const Elements& v, E k) { return wstree::find(v, k) - v.begin(); }
#elif defined(CALL_is_sorted)
bool call(const Elements& v) { return wstree::is_sorted(v); }
#endif
