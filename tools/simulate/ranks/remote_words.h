// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words of ranks behind a network, in virtual time.
#pragma once

#include "clock.h"
#include "network.h"

#include "wstree/mpi/member.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace wstree::simulate {

/// A word, which serves one operation at a time.
class RemoteWord {
public:
  /// Executes `change(value)` when the network gets to it, and returns the value before.
  template <class Change> std::uint64_t operate(const Network& network, Change&& change) {
    VirtualClock& clock = *VirtualClock::running;
    clock.pass(network.latency / 2);
    const Time begin = std::max<Time>(VirtualClock::now, free_);
    free_ = begin + network.service;
    clock.pass(begin - VirtualClock::now);
    const std::uint64_t old = value_;
    change(value_);
    clock.pass(network.latency - network.latency / 2);
    return old;
  }

private:
  std::uint64_t value_ = 0;
  Time free_ = 0;
};

/// The Memory of mpi::detail::Member. The own words are as far as all others: MPI's operations.
class RemoteWords {
public:
  using Slot = mpi::detail::Slot;

  RemoteWords(const Network& network, std::uint32_t ranks)
      : network_(network), words_(ranks * mpi::detail::k_slots) {}

  std::uint64_t load(std::uint32_t rank, Slot slot) {
    return at(rank, slot).operate(network_, [](std::uint64_t&) {});
  }
  std::uint64_t swap_if(std::uint32_t rank, Slot slot, std::uint64_t expected, std::uint64_t wanted) {
    return at(rank, slot).operate(network_, [=](std::uint64_t& value) {
      value = value == expected ? wanted : value;
    });
  }
  void add(std::uint32_t rank, Slot slot, std::uint64_t units) {
    at(rank, slot).operate(network_, [=](std::uint64_t& value) { value += units; });
  }
  void raise(std::uint32_t rank, Slot slot, std::uint64_t bound) {
    at(rank, slot).operate(network_, [=](std::uint64_t& value) { value = std::max(value, bound); });
  }
  void store_of(std::uint32_t rank, Slot slot, std::uint64_t wanted) {
    at(rank, slot).operate(network_, [=](std::uint64_t& value) { value = wanted; });
  }

private:
  RemoteWord& at(std::uint32_t rank, Slot slot) {
    return words_[rank * mpi::detail::k_slots + static_cast<std::uint32_t>(slot)];
  }
  const Network& network_;
  std::vector<RemoteWord> words_;
};

} // namespace wstree::simulate
