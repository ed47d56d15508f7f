// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of sharing cache lines, and of queueing for one.
#pragma once

#include "machine.h"
#include "prices.h"
#include "virtual_time.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wstree::simulate {

struct Traffic {
  std::uint64_t transfers = 0; ///< transfers of lines from one member to another
  Time waiting = 0;            ///< waits of all members for lines that were on their way to another member
};

/// The members that have each cache line, as in an invalidation protocol: several may have it to read, one to
/// write. A line on its way to a member that writes it is busy, and the next member that wants the line
/// queues: that makes a counter that all members share expensive. Each access returns when it ends; the state
/// changes at once.
class Caches {
public:
  Caches(const VirtualMachine& machine, const Prices& prices)
      : machine_(machine), prices_(prices), words_(machine.members / 64 + 1), loaded_(machine.members),
        kept_(machine.members) {
    grow(1U << 12);
  }

  Time read(const void* address, std::uint32_t member, Time now) {
    const Line line = find(address);
    if (has(line, member)) return now + prices_.hit;
    if (line.others == 0) {
      add(line, member);
      return now + line.fault + prices_.hit;
    }
    Time price = prices_.transfer[nearest(line, member)];
    if (now <= loaded_[member] + k_soon) price /= prices_.overlap;
    ++traffic_.transfers;
    add(line, member);
    const Time end = arrival(now, wait(line, now), price);
    keep(line, member, end);
    return loaded_[member] = end;
  }

  /// Returns the end of a read-modify-write, or of a store that has to be seen by all before its member
  /// goes on.
  Time modify(const void* address, std::uint32_t member, Time now) {
    const Line line = find(address);
    Slot& slot = slots_[line.slot];
    Kept& kept = kept_[member];
    if (kept.line == slot.line && now <= kept.until) {
      kept.line = 0;
      return now + prices_.rmw;
    }
    const Time free = wait(line, now);
    const Time end = arrival(now, free, claim(own(line, member))) + line.fault + prices_.rmw;
    slot.busy_until = end;
    if (free > now) keep(line, member, end);
    return end;
  }

  /// Returns the end of a store: the store buffer hides the time of the transfer from the member that stores,
  /// and from no other.
  Time write(const void* address, std::uint32_t member, Time now) {
    const Line line = find(address);
    const Time transfer = own(line, member);
    if (transfer != 0) {
      Time& busy = slots_[line.slot].busy_until;
      busy = (busy > now ? busy : now) + transfer;
    }
    return now + line.fault + prices_.hit;
  }

  /// Notes memory that the system has given out and no member has touched.
  void allocated(const void* block, std::size_t bytes) {
    fresh_.push_back(
        {reinterpret_cast<std::uintptr_t>(block), std::vector<bool>((bytes + k_page - 1) / k_page)});
  }

  const Traffic& traffic() const { return traffic_; }
  void forget_traffic() { traffic_ = {}; }
  /// Returns whether an access from `begin` to `end` found its line there, and so disturbed no other member.
  bool was_hit(Time begin, Time end) const { return end - begin <= prices_.hit; }

private:
  static constexpr unsigned k_line_bits = 6;
  static constexpr Time k_soon = 10 * k_ns;
  static constexpr std::size_t k_page = std::size_t{1} << 12; // page size of the virtual machine
  struct Fresh {
    std::uintptr_t begin;
    std::vector<bool> pages; // touched
  };
  struct Slot {
    std::uintptr_t line = 0; // number of the line; 0: free
    Time busy_until = 0;
    std::uint32_t holders = 0;
  };
  struct Kept {
    std::uintptr_t line = 0;
    Time until = 0;
  };
  struct Line {
    std::size_t slot;
    std::uint32_t others; // number of other members that have it
    Time fault = 0;       // time of its page's fault
  };

  /// Finds or adds the line in an open hash table: a simulation is little else than these look-ups.
  Line find(const void* address) {
    const auto line = reinterpret_cast<std::uintptr_t>(address) >> k_line_bits;
    std::size_t at = place(line);
    while (slots_[at].line != line) {
      if (slots_[at].line == 0) {
        if (++used_ * 2 > slots_.size()) {
          grow(slots_.size() * 4);
          return find(address);
        }
        slots_[at].line = line;
        return {at, 0, fresh_.empty() ? 0 : first_touch(line)};
      }
      at = (at + 1) & (slots_.size() - 1);
    }
    return {at, slots_[at].holders};
  }
  std::size_t place(std::uintptr_t line) const {
    return static_cast<std::size_t>(line * 0x9E3779B97F4A7C15ULL >> shift_);
  }
  void grow(std::size_t size) {
    std::vector<Slot> slots(size);
    std::vector<std::uint64_t> bits(size * words_);
    slots.swap(slots_);
    bits.swap(bits_);
    shift_ = 64 - static_cast<unsigned>(std::countr_zero(size));
    used_ = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].line == 0) continue;
      std::size_t at = place(slots[i].line);
      while (slots_[at].line != 0) at = (at + 1) & (size - 1);
      slots_[at] = slots[i];
      for (std::size_t w = 0; w < words_; ++w) bits_[at * words_ + w] = bits[i * words_ + w];
      ++used_;
    }
  }

  bool has(const Line& line, std::uint32_t member) const {
    return (bits_[line.slot * words_ + member / 64] >> member % 64 & 1U) != 0;
  }
  void add(const Line& line, std::uint32_t member) {
    bits_[line.slot * words_ + member / 64] |= 1ULL << member % 64;
    ++slots_[line.slot].holders;
  }
  /// Returns when a line arrives that is requested at `now` and can leave at `free`. The request is one half
  /// of the transfer, and travels while others still use the line.
  static Time arrival(Time now, Time free, Time transfer) {
    return std::max(now + transfer / 2, free) + (transfer - transfer / 2);
  }
  /// Returns the time at which the line is free for the next member.
  Time wait(const Line& line, Time now) {
    const Time free = slots_[line.slot].busy_until;
    if (free <= now) return now;
    traffic_.waiting += free - now;
    return free;
  }
  void keep(const Line& line, std::uint32_t member, Time end) {
    if (++fetched_ % prices_.keep == 0) kept_[member] = {slots_[line.slot].line, end + k_soon};
  }
  /// Makes `member` the only one that has the line; returns the time of the transfer.
  Time own(const Line& line, std::uint32_t member) {
    if (line.others == 0) {
      add(line, member);
      return 0;
    }
    if (line.others == 1 && has(line, member)) return 0;
    const Time price = prices_.transfer[farthest(line, member)];
    ++traffic_.transfers;
    for (std::size_t w = 0; w < words_; ++w) bits_[line.slot * words_ + w] = 0;
    slots_[line.slot].holders = 0;
    add(line, member);
    return price;
  }
  /// Returns the time of a read-modify-write for a line whose transfer takes `transfer`.
  Time claim(Time transfer) const {
    return prices_.claim == 0 ? transfer : transfer * prices_.claim / std::max<Time>(prices_.transfer[0], 1);
  }
  std::uint32_t nearest(const Line& line, std::uint32_t member) const {
    for (std::uint32_t level = 0; level < machine_.farthest(); ++level)
      if (count(line, member, level) != 0) return level;
    return machine_.farthest();
  }
  std::uint32_t farthest(const Line& line, std::uint32_t member) const {
    for (std::uint32_t level = 0; level < machine_.farthest(); ++level)
      if (count(line, member, level) == line.others) return level;
    return machine_.farthest();
  }
  /// Returns how many members in `member`'s domain have the line.
  std::uint32_t count(const Line& line, std::uint32_t member, std::uint32_t level) const {
    const std::uint32_t size = machine_.domain_sizes[level];
    const std::uint32_t begin = member / size * size;
    const std::uint32_t end = std::min(begin + size, machine_.members);
    const std::uint64_t* bits = &bits_[line.slot * words_];
    std::uint32_t sum = 0;
    for (std::uint32_t w = begin / 64; w * 64 < end; ++w) {
      std::uint64_t word = bits[w];
      if (w * 64 < begin) word &= ~0ULL << begin % 64;
      if (end - w * 64 < 64) word &= (1ULL << end % 64) - 1;
      sum += static_cast<std::uint32_t>(std::popcount(word));
    }
    return sum;
  }
  /// Returns the time that the first access to a page adds, if the memory is new.
  Time first_touch(std::uintptr_t line) {
    for (Fresh& fresh : fresh_) {
      const std::uintptr_t address = line << k_line_bits;
      if (address < fresh.begin || address >= fresh.begin + fresh.pages.size() * k_page) continue;
      const std::size_t page = (address - fresh.begin) / k_page;
      if (fresh.pages[page]) return 0;
      fresh.pages[page] = true;
      return prices_.fault;
    }
    return 0;
  }

  VirtualMachine machine_;
  Prices prices_;
  std::size_t words_;        // words of bits per line
  std::vector<Time> loaded_; // when the latest transfer to a load of each member ended
  std::vector<Slot> slots_;
  std::vector<std::uint64_t> bits_; // the members that have the line
  std::vector<Kept> kept_;          // the line that a member may use once more
  std::vector<Fresh> fresh_;
  std::uint64_t fetched_ = 0;
  std::size_t used_ = 0;
  unsigned shift_ = 0;
  Traffic traffic_;
};

} // namespace wstree::simulate
