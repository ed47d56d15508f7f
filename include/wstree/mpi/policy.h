// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The execution of a call on ranks: its first argument, a communicator or on(communicator).
#pragma once

#include "wstree/parallel/policy.h"

#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace mpi {

/// Measured costs of one loop, by parts of the loop: the next execution begins with shares that take equally
/// long. Each rank has its own object, for one communicator.
class costs {
public:
  /// Returns the seconds of equal sections; empty before the first execution.
  std::span<const double> sections() const noexcept { return sections_; }
  /// For the algorithms.
  void remember(std::vector<double> sections) noexcept { sections_ = std::move(sections); }

private:
  std::vector<double> sections_;
};

namespace detail {
/// Options in a policy of any type.
struct Options {
  MPI_Comm comm = MPI_COMM_NULL;
  const char* label = nullptr;
  std::uint64_t chunk = 1;
  int root = -1; // -1: all ranks get the result
  std::span<const double> weights;
  costs* remembered = nullptr;
  std::function<void(std::uint64_t, std::uint64_t)> on_steal;
};
} // namespace detail

/// A value: every function returns a changed copy. Its options must be equal on all ranks, but for stop,
/// on_steal and label.
template <stop_token_like Stop = never_stops> class basic_on {
public:
  explicit basic_on(MPI_Comm comm) { options_.comm = comm; }

  /// Sets the name in statistics. The policy keeps the pointer: the text outlives the calls.
  basic_on label(const char* name) const {
    return with([&](detail::Options& options) { options.label = name; });
  }
  /// Sets the iterations that a rank, or a thread, takes at least, if there are as many.
  basic_on chunk(std::uint64_t least) const {
    return with([&](detail::Options& options) { options.chunk = least > 0 ? least : 1; });
  }
  /// Sets the only rank that gets the result; all others get a neutral value.
  basic_on root(int rank) const {
    return with([&](detail::Options& options) { options.root = rank; });
  }
  /// Sets the costs of equal sections of the loop, in any unit: the ranks begin with shares of equal weight.
  /// `sections` outlives the call.
  basic_on weights(std::span<const double> sections) const {
    return with([&](detail::Options& options) { options.weights = sections; });
  }
  /// The shares follow the measured costs of earlier calls with these costs. Outlives the call.
  basic_on remember(costs& of_loop) const {
    return with([&](detail::Options& options) { options.remembered = &of_loop; });
  }
  /// Calls `function(begin, end)` before iterations begin to end - 1, which were another rank's share, are
  /// executed here; in the calling thread, which may call MPI there, but no collective operation.
  basic_on on_steal(std::function<void(std::uint64_t, std::uint64_t)> function) const {
    return with([&](detail::Options& options) { options.on_steal = std::move(function); });
  }
  /// After token.stop_requested() on any rank no new piece starts, and the call throws `cancelled` on all
  /// ranks unless everything was done, or all up to the first hit.
  template <stop_token_like Token> basic_on<Token> stop(Token token) const {
    return basic_on<Token>(options_, std::move(token));
  }

  /// For the algorithms.
  const detail::Options& options() const noexcept { return options_; }
  bool stop_requested() const { return stop_.stop_requested(); }

private:
  template <stop_token_like> friend class basic_on;
  basic_on(const detail::Options& options, Stop&& token) : options_(options), stop_(std::move(token)) {}
  template <class Change> basic_on with(Change&& change) const {
    basic_on copy = *this;
    change(copy.options_);
    return copy;
  }

  detail::Options options_;
  [[no_unique_address]] Stop stop_{};
};

/// `on(comm).label("forces").chunk(16)`
using on = basic_on<>;

namespace detail {
template <class T> inline constexpr bool is_on = false;
template <class Stop> inline constexpr bool is_on<basic_on<Stop>> = true;

inline basic_on<> as_policy(MPI_Comm comm) { return basic_on<>(comm); }
template <class Stop> const basic_on<Stop>& as_policy(const basic_on<Stop>& policy) { return policy; }
} // namespace detail

/// A first argument: where, and how.
template <class T>
concept ranks = std::same_as<std::remove_cvref_t<T>, MPI_Comm> || detail::is_on<std::remove_cvref_t<T>>;

} // namespace mpi
} // namespace v1
} // namespace wstree
