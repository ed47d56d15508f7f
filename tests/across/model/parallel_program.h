// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the C++ library adds to the tree, under the model checker: scans, ordered work, events that end a
// call, and nested calls.
#pragma once

#include "engine/execution.h"
#include "engine/platform.h"

#include "wstree/parallel/nesting.h"
#include "wstree/parallel/ordered.h"
#include "wstree/parallel/scan_tiles.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wstree::detail {

/// Fibers share a thread.
template <> struct Seats<model::ModelPlatform> {
  static BasicSeat<model::ModelPlatform>*& mine() noexcept {
    return g_seats[model::Execution::now->current()];
  }
  static inline BasicSeat<model::ModelPlatform>* g_seats[model::View::k_most_threads] = {};
};

} // namespace wstree::detail

namespace wstree::model {

using P = ModelPlatform;

/// x -> a x + b, modulo 2^32, as plain data that is checked for races: to copy one is to read it.
class Affine {
public:
  Affine(std::uint32_t a, std::uint32_t b) { write(a, b); }
  static Affine of(std::uint64_t i) {
    return {static_cast<std::uint32_t>(2 * i + 3), static_cast<std::uint32_t>(i * i + 7)};
  }
  Affine(const Affine& other) { write(other.a_, other.b_); }
  Affine(Affine&& other) noexcept { write(other.a_, other.b_); }
  Affine& operator=(const Affine& other) {
    write(other.a_, other.b_);
    return *this;
  }
  /// This map, and then `next`.
  Affine then(const Affine& next) const { return {a_ * next.a_, next.a_ * b_ + next.b_}; }
  bool equals(const Affine& other) const {
    return std::uint32_t{a_} == std::uint32_t{other.a_} && std::uint32_t{b_} == std::uint32_t{other.b_};
  }

private:
  void write(std::uint32_t a, std::uint32_t b) {
    a_ = a;
    b_ = b;
  }
  P::Plain<std::uint32_t> a_{0}, b_{0};
};

struct TilesPlan {
  std::uint32_t members = 2;
  std::size_t tiles = 3;             ///< of one element each
  std::vector<std::size_t> events{}; ///< tiles in which something ends the call
};

/// Members that execute tiles as run_tiles() lets them.
class TilesProgram : public Program {
public:
  explicit TilesProgram(TilesPlan plan) : plan_(std::move(plan)) {}
  std::uint32_t threads() const override { return plan_.members; }
  void reset() override {
    tickets_.emplace();
    verdict_.emplace();
    executed_.assign(plan_.tiles, 0);
  }

protected:
  template <class Body> void execute(Body& body) {
    const par policy;
    detail::execute_tiles(*tickets_, policy, detail::Tiling(plan_.tiles, 1, 1, 1), *verdict_, body,
                          [](std::size_t, auto&& tile) { return tile(); });
    Execution::now->succeed();
  }
  void note(std::size_t tile) {
    Execution::now->succeed();
    if (Execution::now->is_told()) Execution::now->tell("executes tile " + std::to_string(tile));
    if (++executed_[tile] != 1) Execution::now->fail("tile " + std::to_string(tile) + " is executed twice");
  }
  const TilesPlan& plan() const { return plan_; }
  detail::BasicVerdict<P>& verdict() { return *verdict_; }
  const std::vector<int>& executed() const { return executed_; }

private:
  TilesPlan plan_;
  std::optional<detail::BasicTickets<P>> tickets_;
  std::optional<detail::BasicVerdict<P>> verdict_;
  std::vector<int> executed_;
};

/// Every result is the sum of all elements up to it, in order, and is written once.
class ScanProgram final : public TilesProgram {
public:
  using TilesProgram::TilesProgram;
  void reset() override {
    TilesProgram::reset();
    tiles_ = std::make_unique<Tiles[]>(plan().tiles);
    results_.assign(plan().tiles, std::nullopt);
    start_.emplace(5, 11);
  }
  void body(std::uint32_t) override {
    const par policy;
    const Sums sums{*this};
    typename Member::Shared shared{policy, sums, *start_, 0, tiles_.get(), verdict()};
    Member member(shared);
    execute(member);
  }
  void finish() override {
    Affine wanted = *start_;
    for (std::size_t i = 0; i < plan().tiles; ++i) {
      wanted = wanted.then(Affine::of(i));
      if (!results_[i].has_value() || !results_[i]->equals(wanted))
        return Execution::now->fail("result " + std::to_string(i) + " is wrong or missing");
    }
  }

private:
  struct Sums {
    using Sum = Affine;
    ScanProgram& program;
    static std::size_t elements(std::size_t begin, std::size_t end) noexcept { return end - begin; }
    Affine sum(std::size_t begin, std::size_t) const { return Affine::of(begin); }
    Affine join(const Affine& left, const Affine& right) const { return left.then(right); }
    Affine write(Affine before, std::size_t begin, std::size_t) const {
      program.note(begin);
      program.results_[begin].emplace(before.then(Affine::of(begin)));
      return *program.results_[begin];
    }
    Affine write_summed(Affine before, std::size_t begin, std::size_t end) const {
      return write(before, begin, end);
    }
  };
  using Tiles = detail::TileSums<Affine, P>;
  using Member = detail::ScanMember<par, Sums, P>;

  std::unique_ptr<Tiles[]> tiles_;
  std::vector<std::optional<Affine>> results_;
  std::optional<Affine> start_;
};

/// Outcomes are taken one at a time and in the order of their tiles, also if an event ends the call: then
/// those before it.
class OrderedProgram final : public TilesProgram {
public:
  using TilesProgram::TilesProgram;
  void reset() override {
    TilesProgram::reset();
    turns_.emplace();
    taken_ = 0;
  }
  void body(std::uint32_t) override {
    const par policy;
    Work work{*this};
    detail::OrderedMember<par, Work, P> member(policy, work, *turns_, verdict());
    execute(member);
  }
  void finish() override {
    std::uint64_t wanted = plan().tiles;
    for (const std::size_t event : plan().events) wanted = std::min<std::uint64_t>(wanted, event);
    if (std::uint64_t{taken_} != wanted) Execution::now->fail("not all outcomes before the event were taken");
  }

private:
  struct Work {
    struct Outcome {
      std::size_t tile = 0;
    };
    OrderedProgram& program;

    void make(const detail::Tile& tile, Outcome& outcome) const {
      program.note(tile.number);
      outcome.tile = tile.number;
      for (const std::size_t event : program.plan().events)
        if (event == tile.number) program.verdict().fail(event);
    }
    void take(Outcome& outcome) const {
      if (program.is_event(outcome.tile)) return;
      if (std::uint64_t{program.taken_} != outcome.tile)
        Execution::now->fail("an outcome was taken out of its turn");
      program.taken_ = std::uint64_t{program.taken_} + 1;
    }
    void after(const Outcome&) const {}
  };
  bool is_event(std::size_t tile) const {
    return std::any_of(plan().events.begin(), plan().events.end(),
                       [tile](std::size_t event) { return event <= tile; });
  }

  std::optional<detail::BasicTurns<P>> turns_;
  P::Plain<std::uint64_t> taken_{0};
};

/// The event of the lowest tile is what is found, and all tiles before it were executed.
class VerdictProgram final : public TilesProgram {
public:
  using TilesProgram::TilesProgram;
  void reset() override {
    TilesProgram::reset();
    found_ = k_none;
  }
  void body(std::uint32_t) override {
    Body body{*this};
    execute(body);
  }
  void finish() override {
    std::uint64_t wanted = k_none;
    for (const std::size_t event : plan().events) wanted = std::min<std::uint64_t>(wanted, event);
    if (std::uint64_t{found_} != wanted)
      return Execution::now->fail("another event than the first was found");
    for (std::size_t i = 0; i < plan().tiles && i < wanted; ++i)
      if (executed()[i] != 1) return Execution::now->fail("a tile before the event is missing");
  }

private:
  static constexpr std::uint64_t k_none = ~std::uint64_t{0};
  struct Body {
    VerdictProgram& program;
    std::size_t tile = 0;

    std::size_t current() const { return tile; }
    bool finish() const { return false; }
    void operator()(const detail::Tile& at) {
      tile = at.number;
      program.note(tile);
      for (const std::size_t event : program.plan().events)
        if (event == tile && program.verdict().begin(tile)) {
          program.found_ = tile; // a race if two are inside
          program.verdict().settle();
        }
    }
  };
  P::Plain<std::uint64_t> found_{k_none};
};

struct NestPlan {
  std::uint32_t members = 2; ///< of the outer call, the first of which makes a nested one
  std::uint32_t inner = 2;   ///< most members of that
  std::uint32_t calls = 1;   ///< nested ones, one after the other
};

/// Guests come into a nested call while it lasts, each with a number of its own, and what they have done can
/// be seen when it ends.
class NestProgram final : public Program {
public:
  explicit NestProgram(NestPlan plan) : plan_(plan) {}
  std::uint32_t threads() const override { return plan_.members; }
  void reset() override {
    for (auto& seat : detail::Seats<P>::g_seats) seat = nullptr;
    outer_.emplace(plan_.members, &run_outer, this);
  }
  void body(std::uint32_t member) override {
    outer_->work_as(member);
    Execution::now->succeed();
  }

private:
  using Call = detail::BasicCall<P>;
  static constexpr std::uint32_t k_most = 4;
  /// Of a nested call, on the stack of its member.
  struct Inner {
    P::Plain<std::uint32_t> task{7};
    P::Plain<std::uint32_t> done[k_most];
  };

  static void run_outer(void* what, Call&, std::uint32_t member) noexcept {
    auto& program = *static_cast<NestProgram*>(what);
    Execution::now->succeed();
    if (member != 0) return;
    for (std::uint32_t call = 0; call < program.plan_.calls; ++call) program.nest(call);
  }
  void nest(std::uint32_t number) {
    Inner inner;
    inner.task = 7 + number;
    Call call(plan_.inner, &run_inner, &inner);
    call.nest(*detail::Seats<P>::mine());
    std::uint32_t done = 0;
    for (auto& each : inner.done) {
      done += each;
      each = 99; // no thread touches it any more
    }
    inner.task = 99;
    if (done < 1 || done > plan_.inner)
      Execution::now->fail("members of the nested call are missing or too many");
  }
  static void run_inner(void* what, Call&, std::uint32_t member) noexcept {
    auto& inner = *static_cast<Inner*>(what);
    Execution::now->succeed();
    if (std::uint32_t{inner.task} >= 99) Execution::now->fail("a guest came too late");
    if (std::uint32_t{inner.done[member]} != 0) Execution::now->fail("two members have one number");
    inner.done[member] = 1;
  }

  NestPlan plan_;
  std::optional<Call> outer_;
};

} // namespace wstree::model
