// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is chosen at each point of an execution where more than one thing may happen.
#pragma once

#include "wstree/core/rng.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace wstree::model {

enum class Choice : std::uint8_t {
  thread,  ///< which thread goes on; alternative 0: the same one, if it can
  message, ///< what a load reads, or before what a store goes; alternative 0: the newest
  failure, ///< whether a weak compare-and-swap fails without a reason; alternative 0: it does not
};

/// Every execution is determined by the numbers of the alternatives taken, and alternative 0 is the one
/// without surprises: so an execution is written as the points with another alternative, "17=1 25=2".
class Choices {
public:
  virtual ~Choices() = default;
  /// One of `count` > 1 alternatives. `threads`: for Choice::thread, the thread of each.
  unsigned choose(Choice kind, unsigned count, const std::vector<std::uint8_t>& threads) {
    const unsigned chosen = decide(kind, count, threads);
    taken_.push_back(chosen);
    return chosen;
  }
  virtual void begin() { taken_.clear(); }
  /// Whether the next choice leads to where no execution has been.
  virtual bool on_new_ground() const { return false; }
  std::string text() const;

protected:
  std::size_t position() const { return taken_.size(); }

private:
  virtual unsigned decide(Choice kind, unsigned count, const std::vector<std::uint8_t>& threads) = 0;
  std::vector<unsigned> taken_;
};

/// All executions, depth first.
class AllChoices final : public Choices {
public:
  /// Returns false if there are no more.
  bool advance();
  bool on_new_ground() const override { return position() >= path_.size(); }

private:
  struct Step {
    unsigned chosen;
    unsigned count;
  };
  unsigned decide(Choice kind, unsigned count, const std::vector<std::uint8_t>& threads) override;
  std::vector<Step> path_;
};

/// A walk that often goes on with the same thread and mostly reads what is newest.
class RandomChoices final : public Choices {
public:
  explicit RandomChoices(core::Rng random) : random_(random) {}

private:
  unsigned decide(Choice kind, unsigned count, const std::vector<std::uint8_t>& threads) override;
  core::Rng random_;
};

/// Probabilistic concurrency testing (Burckhardt et al. 2010): threads have random priorities, the highest
/// runs, and at a few random points the running one falls behind all others. Finds a bug that needs `depth`
/// ordering constraints with a probability of at least 1 / (threads * length^(depth - 1)).
class PriorityChoices final : public Choices {
public:
  /// `length`: choices in an execution, about.
  PriorityChoices(core::Rng random, unsigned depth, unsigned length)
      : random_(random), depth_(depth), length_(length) {}
  void begin() override;

private:
  unsigned decide(Choice kind, unsigned count, const std::vector<std::uint8_t>& threads) override;
  core::Rng random_;
  unsigned depth_;
  unsigned length_;
  std::vector<std::size_t> drops_;
  std::vector<std::int64_t> priorities_;
  std::int64_t lowest_ = 0;
};

/// One execution from its text.
class WrittenChoices final : public Choices {
public:
  explicit WrittenChoices(std::string_view text);

private:
  unsigned decide(Choice kind, unsigned count, const std::vector<std::uint8_t>& threads) override;
  std::unordered_map<std::size_t, unsigned> at_;
};

} // namespace wstree::model
