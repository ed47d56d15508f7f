// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform, generate, tabulate, fill, copy, adjacent_difference
#pragma once

#include "wstree/parallel/entry.h"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Calls write(i) for each element, as plain loops that compilers can make vectors of.
template <class Policy, class Write>
void write_all(call_site where, const Policy& policy, std::size_t count, Write&& write) {
  for_each_chunk(
      policy, std::size_t{0}, count,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) write(i);
      },
      where);
}

struct Transform : Called {
  /// transform(in, out, f [, projection])
  template <class Policy, class In, class Out, class F, class Proj = Identity>
  requires(destination<Out> && !destination<F>) auto
  operator()(const Policy& policy, const In& in, Out&& destination, F f, Proj proj = {}) const {
    const auto out = target(destination);
    check_function<Proj, typename In::Reference>();
    check_function<F, std::invoke_result_t<Proj&, typename In::Reference>>();
    write_all(where, policy, in.count,
              [&](std::size_t i) { write_to(ahead(out, i), invoke(f, invoke(proj, in[i]))); });
    return ahead(out, in.count);
  }
  /// transform(in, in2, out, f): both inputs have as many elements as the first one.
  template <class Policy, class In, class In2, class Out, class F>
  requires(destination<In2>&& destination<Out>) auto operator()(const Policy& policy, const In& in,
                                                                In2&& second, Out&& destination, F f) const {
    const auto in2 = beginning(second);
    const auto out = target(destination);
    check_function<F, typename In::Reference, decltype(*in2)>();
    write_all(where, policy, in.count,
              [&](std::size_t i) { write_to(ahead(out, i), f(in[i], *ahead(in2, i))); });
    return ahead(out, in.count);
  }
};

/// Calls f() once for each element, in no order.
struct Generate : Called {
  template <class Policy, class In, class F> void operator()(const Policy& policy, const In& in, F f) const {
    check_target<std::remove_cvref_t<decltype(in.first)>>();
    check_function<F>();
    write_all(where, policy, in.count, [&](std::size_t i) { write_to(in.at(i), f()); });
  }
};

/// Element i becomes f(i), counted from 0.
struct Tabulate : Called {
  template <class Policy, class In, class F> void operator()(const Policy& policy, const In& in, F f) const {
    check_target<std::remove_cvref_t<decltype(in.first)>>();
    check_function<F, std::size_t>();
    write_all(where, policy, in.count, [&](std::size_t i) { write_to(in.at(i), f(i)); });
  }
};

struct Fill : Called {
  template <class Policy, class In, class T>
  void operator()(const Policy& policy, const In& in, const T& value) const {
    check_target<std::remove_cvref_t<decltype(in.first)>>();
    write_all(where, policy, in.count, [&](std::size_t i) { write_to(in.at(i), value); });
  }
};

struct Copy : Called {
  template <class Policy, class In, class Out>
  auto operator()(const Policy& policy, const In& in, Out&& destination) const {
    const auto out = target(destination);
    write_all(where, policy, in.count, [&](std::size_t i) { write_to(ahead(out, i), in[i]); });
    return ahead(out, in.count);
  }
};

struct Minus {
  template <class A, class B>
  constexpr auto operator()(A&& a, B&& b) const -> decltype(std::forward<A>(a) - std::forward<B>(b)) {
    return std::forward<A>(a) - std::forward<B>(b);
  }
};

/// The output must not be the input, as in the parallel form of the standard.
struct AdjacentDifference : Called {
  template <class Policy, class In, class Out, class Op = Minus>
  auto operator()(const Policy& policy, const In& in, Out&& destination, Op op = {}) const {
    const auto out = target(destination);
    check_function<Op, typename In::Reference, typename In::Reference>();
    if (in.count == 0) return out;
    write_to(out, in[0]);
    using Target = std::iter_value_t<std::remove_cvref_t<decltype(out)>>; // differences of shorts are ints
    write_all(where, policy, in.count - 1,
              [&](std::size_t i) { *ahead(out, i + 1) = static_cast<Target>(op(in[i + 1], in[i])); });
    return ahead(out, in.count);
  }
};

} // namespace detail

inline constexpr detail::Entry<detail::Transform> transform{};
inline constexpr detail::Entry<detail::Generate> generate{};
inline constexpr detail::Entry<detail::Tabulate> tabulate{};
inline constexpr detail::Entry<detail::Fill> fill{};
inline constexpr detail::Entry<detail::Copy> copy{};
inline constexpr detail::Entry<detail::AdjacentDifference> adjacent_difference{};

} // namespace v1
} // namespace wstree
