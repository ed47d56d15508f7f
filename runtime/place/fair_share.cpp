// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fair_share.h"

#include <algorithm>
#include <memory>
#include <new>

namespace wstree::place {
namespace {

/// One row of neighbouring CPUs that is a part of a larger row. Kept at the index of its first CPU: it is no
/// longer needed once the rows inside it are being divided.
struct Part {
  std::uint32_t end = 0;
  std::uint32_t chosen = 0; // before
  std::uint32_t free = 0;   // candidates
  std::uint32_t share = 0;  // to be chosen
};

class Division {
public:
  Division(const Machine& machine, std::span<Mark> marks, Part* parts) noexcept
      : machine_(machine), marks_(marks), parts_(parts) {}

  /// Chooses `share` of the candidates in [begin, end). The depth is that of the machine.
  void divide(std::uint32_t begin, std::uint32_t end, std::uint32_t share) noexcept {
    if (share == 0) return;
    if (end - begin == 1) {
      marks_[begin] = Mark::chosen;
      return;
    }
    for (std::uint32_t at = begin; at < end; at = parts_[at].end) parts_[at] = part(at, begin, end);
    give_shares(begin, end, share);
    for (std::uint32_t at = begin; at < end;) {
      const std::uint32_t next = parts_[at].end;
      divide(at, next, parts_[at].share);
      at = next;
    }
  }

private:
  /// Returns the largest domain that starts at `at`, of those inside [begin, end); one CPU if there is none.
  Part part(std::uint32_t at, std::uint32_t begin, std::uint32_t end) const noexcept {
    Part part;
    part.end = at + 1;
    for (std::size_t level = 0; level < k_levels; ++level) {
      const std::uint32_t domain = machine_.cpu(at).domain[level];
      const bool around_all = machine_.cpu(begin).domain[level] == machine_.cpu(end - 1).domain[level];
      if (domain == Cpu::k_none || around_all) continue;
      std::uint32_t last = at + 1;
      while (last < end && machine_.cpu(last).domain[level] == domain) ++last;
      part.end = std::max(part.end, last);
    }
    for (std::uint32_t cpu = at; cpu < part.end; ++cpu) {
      part.chosen += marks_[cpu] == Mark::chosen ? 1 : 0;
      part.free += marks_[cpu] == Mark::candidate ? 1 : 0;
    }
    return part;
  }

  /// Returns the CPUs that a part lacks to have `level` CPUs chosen, as far as it has free ones.
  static std::uint32_t needs(const Part& part, std::uint32_t level) noexcept {
    return level <= part.chosen ? 0 : std::min(level - part.chosen, part.free);
  }

  /// Fills the parts like connected vessels.
  void give_shares(std::uint32_t begin, std::uint32_t end, std::uint32_t share) noexcept {
    std::uint32_t level = 0; // highest that `share` suffices for
    for (std::uint32_t above = end - begin + 1; above - level > 1;) {
      const std::uint32_t middle = level + (above - level) / 2;
      std::uint32_t sum = 0;
      for (std::uint32_t at = begin; at < end; at = parts_[at].end) sum += needs(parts_[at], middle);
      (sum <= share ? level : above) = middle;
    }
    std::uint32_t open = 0; // parts that can take one more at this level
    for (std::uint32_t at = begin; at < end; at = parts_[at].end) {
      Part& part = parts_[at];
      part.share = needs(part, level);
      share -= part.share;
      open += is_open(part, level) ? 1 : 0;
    }
    // The rest goes to every so manieth of them.
    std::uint32_t i = 0;
    for (std::uint32_t at = begin; at < end; at = parts_[at].end) {
      if (!is_open(parts_[at], level)) continue;
      if (i++ * share % open < share) ++parts_[at].share;
    }
  }

  static bool is_open(const Part& part, std::uint32_t level) noexcept {
    return needs(part, level + 1) > needs(part, level);
  }

  const Machine& machine_;
  std::span<Mark> marks_;
  Part* parts_;
};

} // namespace

bool choose_fairly(const Machine& machine, std::span<Mark> marks, std::uint32_t count) noexcept {
  const std::unique_ptr<Part[]> parts(new (std::nothrow) Part[machine.cpus()]);
  if (parts == nullptr) return false;
  Division(machine, marks, parts.get()).divide(0, machine.cpus(), count);
  return true;
}

} // namespace wstree::place
