// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that a record learns from, with a clock that the test moves.
#pragma once

#include "history.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace wstree::loop {

/// Its clock stands still unless it is told, and memory is refused when the test says so.
struct HandClockPlatform : core::StdPlatform {
  static inline std::uint64_t now = 0;
  static std::uint64_t ticks() noexcept { return now; }

  static inline std::uint64_t requests = 0;
  static inline std::uint64_t refused = ~std::uint64_t{0}; ///< the number of the request
  static inline std::int64_t blocks = 0;
  static void* allocate(std::size_t bytes) noexcept {
    if (requests++ == refused) return nullptr;
    ++blocks;
    return core::StdPlatform::allocate(bytes);
  }
  static void release(void* memory, std::size_t bytes) noexcept {
    --blocks;
    core::StdPlatform::release(memory, bytes);
  }
};

/// Ticks of each unit of a loop, and of iteration n-1 behind them.
using Profile = std::vector<double>;

inline Profile even(std::uint64_t units, double ticks) { return Profile(units + 1, ticks); }
/// `part` of the units from `begin` (of 1) on are expensive.
inline Profile step(std::uint64_t units, double begin, double part, double cheap, double expensive) {
  Profile profile = even(units, cheap);
  const auto at = [units](double where) {
    return static_cast<std::ptrdiff_t>(std::clamp(where, 0.0, 1.0) * static_cast<double>(units));
  };
  std::fill(profile.begin() + at(begin), profile.begin() + at(begin + part), expensive);
  return profile;
}

/// A loop that is executed again and again, in regions of its own: its record, and a team that does its work
/// in batches of one unit.
class RepeatedLoop {
public:
  using P = HandClockPlatform;
  using Record = LoopRecord<P>;

  RepeatedLoop(std::uint64_t units, std::uint32_t members, const core::Settings& settings = {})
      : units_(units), members_(members), shape_(units + 1, members),
        record_(Record::create({this, 0, units + 1, members}, settings), &Record::destroy) {}

  /// Executes it once.
  void run(const Profile& costs) {
    ++loop_;
    record_->enter(loop_);
    take_part(costs);
    P::now += static_cast<std::uint64_t>(all(costs) / (members_));
    record_->close(loop_ + 1);
  }
  void run(std::uint32_t times, const Profile& costs) {
    for (std::uint32_t i = 0; i < times; ++i) run(costs);
  }

  /// The members' part in execution `loop()`.
  void take_part(const Profile& costs) {
    const core::Learned<P> learned = record_->learned(loop_);
    plan_ = learned.plan;
    measured_ = learned.bins != nullptr;
    begins_.resize(members_ + 1);
    for (std::uint32_t m = 0; m <= members_; ++m)
      begins_[m] = plan_ != nullptr ? plan_->begins[m] : shape_.root_begin(m);
    if (!measured_) return;
    for (std::uint64_t u = 0; u < units_; ++u)
      if (costs[u] > 0) learned.bins->add(u, 1, static_cast<std::uint64_t>(costs[u]));
    learned.bins->add_last(static_cast<std::uint64_t>(costs[units_]));
  }

  Record& record() { return *record_; }
  std::uint64_t& loop() { return loop_; }
  /// Of the latest execution.
  const core::Plan* plan() const { return plan_; }
  bool was_measured() const { return measured_; }
  const std::vector<std::uint64_t>& begins() const { return begins_; }
  bool is_equal() const {
    for (std::uint32_t m = 0; m <= members_; ++m)
      if (begins_[m] != shape_.root_begin(m)) return false;
    return true;
  }
  /// Time of the longest part of the latest execution over a fair one, if it cost that.
  double imbalance(const Profile& costs) const {
    double longest = 0;
    for (std::uint32_t m = 0; m < members_; ++m) {
      double part = m + 1 == members_ ? costs[units_] : 0;
      for (std::uint64_t u = begins_[m]; u < begins_[m + 1]; ++u) part += costs[u];
      longest = std::max(longest, part);
    }
    return longest / std::max(all(costs) / members_, costs[units_]);
  }
  static double all(const Profile& costs) {
    double sum = 0;
    for (const double cost : costs) sum += cost;
    return sum;
  }

private:
  std::uint64_t units_;
  std::uint32_t members_;
  core::Shape shape_;
  std::unique_ptr<Record, void (*)(Record*)> record_;
  std::uint64_t loop_ = 7;
  const core::Plan* plan_ = nullptr;
  bool measured_ = false;
  std::vector<std::uint64_t> begins_;
};

} // namespace wstree::loop
