// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform, generate, tabulate, fill, copy, adjacent_difference
// Exceptions, stops and thread-safety: README.md#what-is-promised
#pragma once

#include "wstree/parallel/entry.h"
#include "wstree/parallel/inline_start.h"
#include "wstree/parallel/operators.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Calls Write{parts...}(i) for each element, as plain loops that compilers can make vectors of: a copy of
/// the Write stays in registers while the loop stores bytes, so it holds its data by value. k_plain: nothing
/// that it calls is a function of the program.
template <class Write> struct WriteLoop {
  Write write;
  template <class... Parts> explicit WriteLoop(const Parts&... parts) : write{parts...} {}
  void operator()(std::size_t begin, std::size_t end) const {
    const Write own = write;
    for (std::size_t i = begin; i < end; ++i) own(i);
  }
};
template <class Write, bool k_plain = false, class Policy, class... Parts>
void write_all(call_site where, const Policy& policy, std::size_t count, const Parts&... parts) {
  using Loop = WriteLoop<Write>;
  if (count == 0) return;
  if constexpr (k_plain) {
    if (count <= k_plain_at_once && policy.is_plain() && policy.max_chunk() >= count) [[likely]]
      Loop{parts...}(0, count);
    else
      run_with_care<Loop, Policy, Parts...>(policy, count, where, parts...);
  } else {
    run_loop<Loop>(policy, count, where, parts...);
  }
}
template <class Policy, class Write>
void write_all_by(call_site where, const Policy& policy, std::size_t count, const Write& write) {
  write_all<Write>(where, policy, count, write);
}

template <class Policy, class Write>
[[gnu::noinline]] void write_many_bytes(Passed<Policy> policy, std::size_t count, Write write,
                                        call_site where) {
  for_each_chunk(policy, std::size_t{0}, count, write, where);
}
/// Calls write(begin, end) for pieces of `count` elements, which it copies as bytes.
template <class Policy, class Write>
void write_bytes(call_site where, const Policy& policy, std::size_t count, const Write& write) {
  if (count <= k_plain_at_once && policy.is_plain() && policy.max_chunk() >= count) [[likely]]
    write(std::size_t{0}, count);
  else
    write_many_bytes<Policy, Write>(policy, count, write, where);
}

struct Minus {
  template <class A, class B>
  constexpr auto operator()(A&& a, B&& b) const -> decltype(std::forward<A>(a) - std::forward<B>(b)) {
    return std::forward<A>(a) - std::forward<B>(b);
  }
};

/// True if Op is no function of the program, and so never dear for numbers in memory.
template <class Op, class... Iterators>
inline constexpr bool
    k_is_operator = (std::is_same_v<Op, plus> || std::is_same_v<Op, multiplies> ||
                     std::is_same_v<Op, Minus>)&&((std::contiguous_iterator<Iterators> &&
                                                   std::is_arithmetic_v<std::iter_value_t<Iterators>>)&&...);

/// True if elements of Out are memory that a T overwrites as bytes.
template <class Out, class T>
inline constexpr bool k_writes_bytes = std::contiguous_iterator<Out>&&
    std::is_trivially_copyable_v<std::iter_value_t<Out>>&& std::is_same_v<std::iter_reference_t<Out>, T&>;

template <class In, class Out, class Held, class Proj> struct WriteTransformed {
  In in;
  Out out;
  Held call;
  Proj proj;
  void operator()(std::size_t i) const { write_to(ahead(out, i), invoke(call.f, invoke(proj.f, in[i]))); }
};
template <class In, class In2, class Out, class Held> struct WriteTransformedPair {
  In in;
  In2 in2;
  Out out;
  Held call;
  void operator()(std::size_t i) const { write_to(ahead(out, i), call.f(in[i], *ahead(in2, i))); }
};

struct Transform : Placed {
  /// transform(in, out, f [, projection])
  template <class Policy, class In, class Out, class F, class Proj = Identity>
  requires(destination<Out> && !destination<F>) auto
  operator()(const Policy& policy, const In& in, Out&& destination, F f, Proj proj = {}) const {
    using Element = typename In::Reference;
    check_function<Proj, Element>();
    check_function<F, std::invoke_result_t<Proj&, Element>>();
    using Held = HeldCall<F, std::invoke_result_t<Proj&, Element>>;
    using Projection = HeldCall<Proj, Element>;
    const auto out = target(destination);
    using Write = WriteTransformed<In, std::remove_cv_t<decltype(out)>, Held, Projection>;
    write_all<Write>(where, policy, in.count, in, out, Held{f}, Projection{proj});
    return ahead(out, in.count);
  }
  /// transform(in, in2, out, f): both inputs have as many elements as the first one.
  template <class Policy, class In, class In2, class Out, class F>
  requires(destination<In2>&& destination<Out>) auto operator()(const Policy& policy, const In& in,
                                                                In2&& second, Out&& destination, F f) const {
    check_function<F, typename In::Reference, decltype(*beginning(second))>();
    const auto in2 = beginning(second);
    const auto out = target(destination);
    using Held = HeldCall<F, typename In::Reference, decltype(*in2)>;
    using Write =
        WriteTransformedPair<In, std::remove_cv_t<decltype(in2)>, std::remove_cv_t<decltype(out)>, Held>;
    constexpr bool k_plain =
        k_is_operator<F, decltype(in.first), decltype(beginning(second)), decltype(beginning(destination))>;
    write_all<Write, k_plain>(where, policy, in.count, in, in2, out, Held{f});
    return ahead(out, in.count);
  }
};

/// Writes f(arguments) to each element.
template <class In, class Held, bool k_by_number> struct WriteMade {
  In in;
  Held call;
  void operator()(std::size_t i) const {
    if constexpr (k_by_number)
      write_to(in.at(i), call.f(i));
    else
      write_to(in.at(i), call.f());
  }
};

/// Calls f() once for each element, in no order.
struct Generate : Placed {
  template <class Policy, class In, class F> void operator()(const Policy& policy, const In& in, F f) const {
    check_target<std::remove_cvref_t<decltype(in.first)>>();
    check_function<F>();
    using Held = HeldCall<F>;
    write_all<WriteMade<In, Held, false>>(where, policy, in.count, in, Held{f});
  }
};

/// Element i becomes f(i), counted from 0.
struct Tabulate : Placed {
  template <class Policy, class In, class F> void operator()(const Policy& policy, const In& in, F f) const {
    check_target<std::remove_cvref_t<decltype(in.first)>>();
    check_function<F, std::size_t>();
    using Held = HeldCall<F, std::size_t>;
    write_all<WriteMade<In, Held, true>>(where, policy, in.count, in, Held{f});
  }
};

struct Fill : Placed {
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
      write_all_by(where, policy, in.count, [in, &value](std::size_t i) { write_to(in.at(i), value); });
  }
};

struct Copy : Placed {
  template <class Policy, class In, class Out>
  auto operator()(const Policy& policy, const In& in, Out&& destination) const {
    const auto out = target(destination);
    if constexpr (In::k_in_memory && k_writes_bytes<decltype(beginning(destination)), typename In::Value>)
      write_bytes(where, policy, in.count, [in, out](std::size_t begin, std::size_t end) {
        std::copy(in.at(begin), in.at(end), ahead(out, begin));
      });
    else
      write_all_by(where, policy, in.count, [in, out](std::size_t i) { write_to(ahead(out, i), in[i]); });
    return ahead(out, in.count);
  }
};

template <class In, class Out, class Held> struct WriteDifference {
  In in;
  Out out;
  Held call;
  using Target = std::iter_value_t<Out>; // differences of shorts are ints
  void operator()(std::size_t i) const { *ahead(out, i + 1) = static_cast<Target>(call.f(in[i + 1], in[i])); }
};

/// The output must not be the input, as in the parallel form of the standard.
struct AdjacentDifference : Placed {
  template <class Policy, class In, class Out, class Op = Minus>
  auto operator()(const Policy& policy, const In& in, Out&& destination, Op op = {}) const {
    const auto out = target(destination);
    check_function<Op, typename In::Reference, typename In::Reference>();
    if (in.count == 0) return out;
    write_to(out, in[0]);
    using Held = HeldCall<Op, typename In::Reference, typename In::Reference>;
    using Write = WriteDifference<In, std::remove_cv_t<decltype(out)>, Held>;
    constexpr bool k_plain = k_is_operator<Op, decltype(in.first), decltype(beginning(destination))>;
    write_all<Write, k_plain>(where, policy, in.count - 1, in, out, Held{op});
    return ahead(out, in.count);
  }
};

} // namespace detail

/// transform(in, out, f): writes f(element) to the output; with two inputs f(a, b). Returns the end of the
/// output, which may be the input. n calls of f, in no order.
inline constexpr detail::Entry<detail::Transform> transform{};
/// generate(out, f): writes the results of n calls f(), which are made in no order.
inline constexpr detail::Entry<detail::Generate> generate{};
/// tabulate(out, f): writes f(i) to element i, counted from 0. n calls of f, in no order.
inline constexpr detail::Entry<detail::Tabulate> tabulate{};
/// fill(out, value): assigns the value to all n elements, in no order.
inline constexpr detail::Entry<detail::Fill> fill{};
/// copy(in, out): copies n elements, in no order. The two may not overlap. Returns the end of the output.
inline constexpr detail::Entry<detail::Copy> copy{};
/// adjacent_difference(in, out[, op]): writes the first element, then op(element, its predecessor): n - 1
/// calls, in no order. The output is not the input. Returns its end.
inline constexpr detail::Entry<detail::AdjacentDifference> adjacent_difference{};

} // namespace v1
} // namespace wstree
