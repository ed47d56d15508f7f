// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform, generate, tabulate, fill, copy, adjacent_difference
#pragma once

#include "wstree/parallel/entry.h"
#include "wstree/parallel/inline_start.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Calls write(i) for each element, as plain loops that compilers can make vectors of: a copy of `write`
/// stays in registers while the loop stores bytes, so it holds its data by value.
template <class Policy, class Write>
void write_all(call_site where, const Policy& policy, std::size_t count, const Write& write) {
  for_each_chunk(
      policy, std::size_t{0}, count,
      [&write](std::size_t begin, std::size_t end) {
        const Write own = write;
        for (std::size_t i = begin; i < end; ++i) own(i);
      },
      where);
}

/// Calls write(begin, end) for pieces of `count` elements, which it copies as bytes.
template <class Policy, class Write>
void write_bytes(call_site where, const Policy& policy, std::size_t count, const Write& write) {
  if (count <= k_plain_at_once && policy.is_plain() && policy.max_chunk() >= count)
    write(std::size_t{0}, count);
  else
    for_each_chunk(policy, std::size_t{0}, count, write, where);
}

/// True if elements of Out are memory that a T overwrites as bytes.
template <class Out, class T>
inline constexpr bool k_writes_bytes = std::contiguous_iterator<Out>&&
    std::is_trivially_copyable_v<std::iter_value_t<Out>>&& std::is_same_v<std::iter_reference_t<Out>, T&>;

struct Transform : Called {
  /// transform(in, out, f [, projection])
  template <class Policy, class In, class Out, class F, class Proj = Identity>
  requires(destination<Out> && !destination<F>) auto
  operator()(const Policy& policy, const In& in, Out&& destination, F f, Proj proj = {}) const {
    using Element = typename In::Reference;
    check_function<Proj, Element>();
    check_function<F, std::invoke_result_t<Proj&, Element>>();
    struct Write {
      In in;
      std::remove_cvref_t<decltype(target(destination))> out;
      InLoop<F, std::invoke_result_t<Proj&, Element>> f;
      InLoop<Proj, Element> proj;
      void operator()(std::size_t i) const { write_to(ahead(out, i), invoke(f, invoke(proj, in[i]))); }
    };
    const Write write{in, target(destination), f, proj};
    write_all(where, policy, in.count, write);
    return ahead(write.out, in.count);
  }
  /// transform(in, in2, out, f): both inputs have as many elements as the first one.
  template <class Policy, class In, class In2, class Out, class F>
  requires(destination<In2>&& destination<Out>) auto operator()(const Policy& policy, const In& in,
                                                                In2&& second, Out&& destination, F f) const {
    struct Write {
      In in;
      std::remove_cvref_t<decltype(beginning(second))> in2;
      std::remove_cvref_t<decltype(target(destination))> out;
      InLoop<F, typename In::Reference, decltype(*in2)> f;
      void operator()(std::size_t i) const { write_to(ahead(out, i), f(in[i], *ahead(in2, i))); }
    };
    check_function<F, typename In::Reference, decltype(*beginning(second))>();
    const Write write{in, beginning(second), target(destination), f};
    write_all(where, policy, in.count, write);
    return ahead(write.out, in.count);
  }
};

/// Writes f(arguments) to each element.
template <class In, class F, class... Arguments> struct WriteMade {
  In in;
  InLoop<F, Arguments...> f;
  void operator()(std::size_t i) const {
    if constexpr (sizeof...(Arguments) == 0)
      write_to(in.at(i), f());
    else
      write_to(in.at(i), f(i));
  }
};

/// Calls f() once for each element, in no order.
struct Generate : Called {
  template <class Policy, class In, class F> void operator()(const Policy& policy, const In& in, F f) const {
    check_target<std::remove_cvref_t<decltype(in.first)>>();
    check_function<F>();
    write_all(where, policy, in.count, WriteMade<In, F>{in, f});
  }
};

/// Element i becomes f(i), counted from 0.
struct Tabulate : Called {
  template <class Policy, class In, class F> void operator()(const Policy& policy, const In& in, F f) const {
    check_target<std::remove_cvref_t<decltype(in.first)>>();
    check_function<F, std::size_t>();
    write_all(where, policy, in.count, WriteMade<In, F, std::size_t>{in, f});
  }
};

struct Fill : Called {
  template <class Policy, class In, class T>
  void operator()(const Policy& policy, const In& in, const T& value) const {
    using Target = std::remove_cvref_t<decltype(in.first)>;
    check_target<Target>();
    using Value = typename In::Value;
    if constexpr (k_writes_bytes<Target, Value> &&
                  (std::is_same_v<T, Value> || (std::is_arithmetic_v<T> && std::is_arithmetic_v<Value>)))
      write_bytes(where, policy, in.count,
                  [in, own = static_cast<Value>(value)](std::size_t begin, std::size_t end) {
                    std::fill(in.at(begin), in.at(end), own);
                  });
    else
      write_all(where, policy, in.count, [in, &value](std::size_t i) { write_to(in.at(i), value); });
  }
};

struct Copy : Called {
  template <class Policy, class In, class Out>
  auto operator()(const Policy& policy, const In& in, Out&& destination) const {
    const auto out = target(destination);
    if constexpr (In::k_in_memory && k_writes_bytes<decltype(beginning(destination)), typename In::Value>)
      write_bytes(where, policy, in.count, [in, out](std::size_t begin, std::size_t end) {
        std::copy(in.at(begin), in.at(end), ahead(out, begin));
      });
    else
      write_all(where, policy, in.count, [in, out](std::size_t i) { write_to(ahead(out, i), in[i]); });
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
    using Output = std::remove_cvref_t<decltype(out)>;
    struct Write {
      In in;
      Output out;
      InLoop<Op, typename In::Reference, typename In::Reference> op;
      using Target = std::iter_value_t<Output>; // differences of shorts are ints
      void operator()(std::size_t i) const { *ahead(out, i + 1) = static_cast<Target>(op(in[i + 1], in[i])); }
    };
    write_all(where, policy, in.count - 1, Write{in, out, op});
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
