// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small programs for the model checker, and all their outcomes.
#pragma once

#include "engine/explorer.h"
#include "engine/platform.h"

#include <gmock/gmock.h>

#include <array>
#include <deque>
#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace wstree::model {

inline constexpr auto relaxed = std::memory_order_relaxed;
inline constexpr auto acquire = std::memory_order_acquire;
inline constexpr auto release = std::memory_order_release;
inline constexpr auto acq_rel = std::memory_order_acq_rel;
inline constexpr auto seq_cst = std::memory_order_seq_cst;

/// Variables start with 0, registers with -1.
struct Machine {
  std::array<Atomic<int>, 4> v;
  std::array<int, 6> r{-1, -1, -1, -1, -1, -1};
  Cell<int> data;
  Atomic<int>&x = v[0], &y = v[1], &z = v[2];
};
using Body = std::function<void(Machine&)>;
using Outcome = std::vector<int>;
using Outcomes = std::set<Outcome>;

class Litmus final : public Program {
public:
  explicit Litmus(std::vector<Body> bodies, int registers, int finals = 0)
      : bodies_(std::move(bodies)), registers_(registers), finals_(finals) {}
  std::uint32_t threads() const override { return static_cast<std::uint32_t>(bodies_.size()); }
  void reset() override {
    machines_.clear();
    machines_.emplace_back();
  }
  void body(std::uint32_t thread) override { bodies_[thread](machines_.back()); }
  void finish() override {
    Machine& machine = machines_.back();
    Outcome outcome(machine.r.begin(), machine.r.begin() + registers_);
    for (int i = 0; i < finals_; ++i) outcome.push_back(machine.v[static_cast<std::size_t>(i)].load(relaxed));
    outcomes.insert(outcome);
  }
  Outcomes outcomes;

private:
  std::vector<Body> bodies_;
  std::deque<Machine> machines_;
  int registers_;
  int finals_;
};

/// For programs without loops that wait: they could read what is old for ever.
inline constexpr Bounds k_all{.preemptions = Bounds::k_unbounded, .stale = Bounds::k_unbounded};

/// All outcomes: the registers, and then the values that `finals` variables have in the end.
inline Outcomes outcomes(std::vector<Body> bodies, int registers, int finals = 0,
                         const Bounds& bounds = k_all) {
  Litmus litmus(std::move(bodies), registers, finals);
  const auto result = explore(litmus, bounds);
  EXPECT_TRUE(result.exhausted) << result;
  return litmus.outcomes;
}

} // namespace wstree::model
