// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pipeline: items that pass through stages one after the other, several of them at a time.
#pragma once

#include "wstree/core/reduction/value.h"
#include "wstree/parallel/call.h"
#include "wstree/parallel/lock.h"
#include "wstree/parallel/wrong_call.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {

/// A stage that executes items one at a time, in the order in which they came from the source.
template <class Function> struct ordered_stage { Function function; };
template <class Function> ordered_stage<std::remove_cvref_t<Function>> ordered(Function&& function) {
  return {std::forward<Function>(function)};
}

namespace detail {

template <class Stage> inline constexpr bool is_ordered = false;
template <class Function> inline constexpr bool is_ordered<ordered_stage<Function>> = true;

template <class Stage> auto& function_of(Stage& stage) {
  if constexpr (is_ordered<Stage>)
    return stage.function;
  else
    return stage;
}
template <class Stage>
using FunctionOf = std::remove_reference_t<decltype(function_of(std::declval<Stage&>()))>;

/// The inputs of the stages [I, ...): each the result of the stage before.
template <class In, class... Stages> struct StageInputs { using type = std::tuple<>; };
template <class In, class Stage> struct StageInputs<In, Stage> {
  static_assert(std::is_invocable_v<FunctionOf<Stage>&, In>,
                "wstree: the last stage of a pipeline takes what the stage before it returns");
  using type = std::tuple<In>;
};
template <class In, class Stage, class Next, class... Stages> struct StageInputs<In, Stage, Next, Stages...> {
  static_assert(std::is_invocable_v<FunctionOf<Stage>&, In>,
                "wstree: a stage of a pipeline takes what the stage before it returns");
  using Out = std::remove_cvref_t<std::invoke_result_t<FunctionOf<Stage>&, In>>;
  static_assert(!std::is_void_v<Out>, "wstree: a stage of a pipeline returns something for the next one");
  using type = decltype(std::tuple_cat(std::declval<std::tuple<In>>(),
                                       std::declval<typename StageInputs<Out, Next, Stages...>::type>()));
};

/// Items between the source and the last stage. A lock guards the choice of work; functions are called
/// without it.
template <class Source, class... Stages> class Pipeline {
  using Item = typename std::invoke_result_t<Source&>::value_type;
  using Inputs = typename StageInputs<Item, Stages...>::type;
  static constexpr std::size_t k_stages = sizeof...(Stages);

public:
  Pipeline(std::size_t tokens, Source& source, Stages&... stages)
      : tokens_(tokens), source_(source), stages_(stages...) {
    each_ordered([&](auto number) { gate<number>().parked = std::vector<core::Maybe<In<number>>>(tokens); });
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Each member calls this. Returns when no work is left, or goes_on() is false, because the call has ended
  /// early. `executed`: called for each item that a member has executed.
  template <class GoesOn, class Executed> void work(GoesOn&& goes_on, Executed&& executed) {
    struct End {
      Pipeline& pipeline;
      bool is_normal = false;
      ~End() {
        if (!is_normal) pipeline.end();
      }
    } end{*this};
    for (Next next = Next::look; next != Next::leave;) {
      if (!goes_on()) return;
      if (advance_parked(executed)) continue;
      next = what_next();
      if (next == Next::ask) ask(executed);
    }
    end.is_normal = true;
  }

private:
  template <std::size_t I> using In = std::tuple_element_t<I, Inputs>;
  /// In front of an ordered stage: items that came out of turn.
  template <class T> struct Gate {
    std::vector<core::Maybe<T>> parked; // by ticket % tokens
    std::uint64_t next = 0;
    bool is_busy = false;
  };
  template <class Tuple> struct GatesOf;
  template <class... Ts> struct GatesOf<std::tuple<Ts...>> { using type = std::tuple<Gate<Ts>...>; };

  template <std::size_t I> auto& gate() noexcept { return std::get<I>(gates_); }
  template <std::size_t I>
  static constexpr bool is_ordered_stage = is_ordered<std::tuple_element_t<I, std::tuple<Stages...>>>;
  /// The last stage first.
  template <class Visit, std::size_t I = k_stages - 1> static void each_ordered(Visit&& visit) {
    if constexpr (is_ordered_stage<I>) visit(std::integral_constant<std::size_t, I>());
    if constexpr (I != 0) each_ordered<Visit, I - 1>(std::forward<Visit>(visit));
  }

  enum class Next : unsigned char { look, ask, leave };
  /// Waits where there is nothing to do at the moment.
  Next what_next() noexcept {
    Lock lock(mutex_);
    if (is_over_ || (is_dry_ && inside_ == 0)) {
      bell_.wake_all();
      return Next::leave;
    }
    if (!is_dry_ && !is_asking_ && inside_ < tokens_) {
      is_asking_ = true;
      ++inside_;
      return Next::ask;
    }
    if (!has_parked()) bell_.wait(lock);
    return Next::look;
  }
  void end() noexcept {
    const Lock lock(mutex_);
    is_over_ = true;
    bell_.wake_all();
  }
  /// Gets the next item, and takes it as far as it goes.
  template <class Executed> void ask(Executed& executed) {
    std::optional<Item> item = source_();
    const std::uint64_t ticket = answer(item.has_value());
    if (item.has_value()) flow<0>(ticket, std::move(*item), executed);
  }
  std::uint64_t answer(bool has_item) noexcept {
    const Lock lock(mutex_);
    is_asking_ = false;
    if (!has_item) is_dry_ = true, --inside_;
    bell_.wake_all();
    return has_item ? tickets_++ : tickets_;
  }
  template <std::size_t I, class T, class Executed>
  void flow(std::uint64_t ticket, T&& value, Executed& executed) {
    if constexpr (I == k_stages) {
      leave(executed);
    } else if constexpr (!is_ordered_stage<I>) {
      execute<I>(ticket, std::forward<T>(value), executed);
    } else {
      auto& gate = this->gate<I>();
      if (enter(gate, [&] { return gate.next == ticket; }))
        return execute<I>(ticket, std::forward<T>(value), executed);
      // No other item has the slot, so it is filled without the lock, which a moved value might throw under.
      auto& slot = gate.parked[ticket % tokens_];
      ::new (slot.place()) In<I>(std::forward<T>(value));
      const Lock lock(mutex_);
      slot.set();
      if (!gate.is_busy && gate.next == ticket) bell_.wake_one();
    }
  }
  /// Returns whether the caller executes the gate's stage now.
  template <class Gate, class Turn> bool enter(Gate& gate, Turn&& is_turn) noexcept {
    const Lock lock(mutex_);
    const bool enters = !gate.is_busy && is_turn();
    gate.is_busy |= enters;
    return enters;
  }
  template <std::size_t I, class T, class Executed>
  void execute(std::uint64_t ticket, T&& value, Executed& executed) {
    auto& function = function_of(std::get<I>(stages_));
    if constexpr (I + 1 == k_stages) {
      static_cast<void>(function(std::forward<T>(value)));
      pass<I>();
      leave(executed);
    } else {
      auto result = function(std::forward<T>(value));
      pass<I>();
      flow<I + 1>(ticket, std::move(result), executed);
    }
  }
  /// The item has passed the stage: the next one may.
  template <std::size_t I> void pass() noexcept {
    if constexpr (is_ordered_stage<I>) {
      const Lock lock(mutex_);
      auto& gate = this->gate<I>();
      ++gate.next;
      gate.is_busy = false;
      if (gate.parked[gate.next % tokens_].has_value()) bell_.wake_one();
    }
  }
  template <class Executed> void leave(Executed& executed) {
    executed();
    const Lock lock(mutex_);
    --inside_;
    bell_.wake_all();
  }

  /// Returns whether an item is parked. Under the lock.
  bool has_parked() noexcept {
    bool has = false;
    each_ordered([&](auto number) {
      auto& gate = this->template gate<number>();
      has = has || (!gate.is_busy && gate.parked[gate.next % tokens_].has_value());
    });
    return has;
  }
  /// Takes an item on whose turn has come; of several that in the last stage. Returns false if there is none.
  template <class Executed> bool advance_parked(Executed& executed) {
    bool advanced = false;
    each_ordered([&](auto number) {
      if (advanced) return;
      constexpr std::size_t k_stage = number;
      auto& gate = this->template gate<k_stage>();
      if (!enter(gate, [&] { return gate.parked[gate.next % tokens_].has_value(); })) return;
      const std::uint64_t ticket = gate.next; // stays until this thread has passed
      auto& slot = gate.parked[ticket % tokens_];
      In<k_stage> value = std::move(slot.value());
      {
        const Lock lock(mutex_);
        slot.reset();
      }
      execute<k_stage>(ticket, std::move(value), executed);
      advanced = true;
    });
    return advanced;
  }

  const std::size_t tokens_;
  Source& source_;
  std::tuple<Stages&...> stages_;
  Mutex mutex_;
  Bell bell_; // something below has changed
  typename GatesOf<Inputs>::type gates_;
  std::uint64_t tickets_ = 0; // items that the source has given
  std::size_t inside_ = 0;    // items between source and end, and the question for one
  bool is_asking_ = false;
  bool is_dry_ = false;
  bool is_over_ = false;
};

} // namespace detail

/// Calls `source()` -> std::optional<T>, by one thread at a time, until it returns nothing, and takes each
/// item through the stages: a function gets the result of the function before, and the result of the last
/// function is dropped. At most `tokens` items are on their way at a time. Stages are functions, which
/// several threads call at a time, or ordered(function), which one calls at a time in the order of the
/// source. The first exception ends the call and reaches the caller; items on their way are destroyed.
template <execution_policy Policy, class Source, class... Stages>
void pipeline(const Policy& policy, std::size_t tokens, Source source, Stages... stages) {
  static_assert(sizeof...(Stages) > 0, "wstree: a pipeline has a source and one stage at least");
  static_assert(
      requires {
        source().has_value();
        *source();
      },
      "wstree: the source of a pipeline returns a std::optional, and takes no arguments");
  detail::Pipeline<Source, Stages...> items(tokens != 0 ? tokens : 1, source, stages...);
  detail::Control control;
  detail::Observed call(policy, 1);
  const auto work = [&](std::uint32_t member, std::uint32_t members) {
    detail::ObservedTiles observed(call, member, members);
    // An item is counted by the member that takes it through the last stage.
    items.work([&] { return control.goes_on(policy); },
               [&] { observed.run(1, [&] { return policy.advance(1), true; }); });
  };
  detail::on_members(call.members(detail::most_members(policy)), control, work, policy.place());
  control.finish();
}
template <class Source, class... Stages>
requires(!execution_policy<Source>) void pipeline(std::size_t tokens, Source source, Stages... stages) {
  pipeline(par(), tokens, std::move(source), std::move(stages)...);
}

} // namespace v1
} // namespace wstree
