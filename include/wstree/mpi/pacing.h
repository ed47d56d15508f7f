// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of units that a rank takes for its team at a time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// Pieces last long against an operation on another rank's word and against the ends of pieces, where members
/// of the team wait for each other, and short against the units left, which other ranks can steal.
class Pacing {
public:
  /// `operation`: seconds of one operation on a rank's word. `least`: units of a piece. `cost`: seconds for a
  /// unit in an earlier execution; 0: there was none.
  Pacing(std::uint32_t members, double operation, std::uint64_t least, double cost = 0) noexcept
      : members_(members), least_(least), shortest_(std::max(50e-6, 50 * operation)),
        longest_(std::max(2e-3, 500 * operation)), grown_(std::max<std::uint64_t>(members, least)),
        cost_(cost) {
    if (cost <= 0) return;
    grown_ = std::max(grown_, units_in(shortest_)); // it may have changed
    seen_ = 1e18;
  }

  /// Returns the units of the next piece where `left` are left in the rank's range.
  std::uint64_t want(std::uint64_t left) const noexcept {
    if (cost_ <= 0) return grown_;
    std::uint64_t longest = units_in(std::max(longest_, joined()));
    if (members_ > 1) longest = std::max<std::uint64_t>(longest, std::uint64_t{32} * members_);
    const std::uint64_t shortest = std::max<std::uint64_t>(units_in(std::max(shortest_, joined())), members_);
    return std::max(std::min({std::max(left / 4, shortest), longest, grown_}), least_);
  }
  /// Returns the seconds after which a piece of so many units has turned out far longer than expected: chunks
  /// that have not begun are given back, so that other ranks can take it.
  double patience(std::uint64_t units) const noexcept {
    return 2 * std::max({longest_, joined(), static_cast<double>(units) * cost_});
  }
  /// The team has executed so many units in so many seconds, without the wait for its last member, and one
  /// of its members did not come back for `chunk` seconds.
  void ran(std::uint64_t units, double seconds, double chunk) noexcept {
    if (units == 0) return;
    chunk_ = std::max(chunk_ * 7 / 8, chunk);
    // A piece counts as much as all before it, or more if it has more units: the first ones are small, and
    // may have been dear by chance.
    const auto now = static_cast<double>(units), before = std::min(seen_, now);
    cost_ = (cost_ * before + std::max(seconds, 1e-9)) / (before + now);
    seen_ += now;
    grown_ = std::max<std::uint64_t>(units, members_) * 64;
  }
  /// Returns the seconds that the team at work needs for a unit; 0: not known.
  double cost() const noexcept { return cost_; }
  /// Returns the seconds of the shortest piece.
  double shortest() const noexcept { return shortest_; }

private:
  static constexpr double k_chunks = 8;

  /// Returns the seconds of a piece at whose end members wait little for the member with the longest chunk.
  double joined() const noexcept { return members_ > 1 ? k_chunks * chunk_ : 0; }
  std::uint64_t units_in(double seconds) const noexcept {
    return static_cast<std::uint64_t>(std::min(seconds / cost_, 4e9));
  }

  std::uint32_t members_;
  std::uint64_t least_;
  double shortest_;
  double longest_;
  std::uint64_t grown_; // no piece is more than 64 times as large as the last one
  double cost_ = 0;
  double seen_ = 0;  // units from which the cost is known
  double chunk_ = 0; // seconds of the longest chunk of the last pieces
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
