// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that the ranks of one node share, in which they tell each other some bytes without messages.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// A rank writes a note when it begins a call, and a packet in each exchange, of which a call has one or
/// more.
///
/// The first exchange of a call is over when all ranks *rest*: a rank rests when it has no work and has
/// written its packet, and it wakes up before it steals, so that all are through with the loop when all rest.
/// The last rank that comes to rest need not wait for any other. In later exchanges packets have the number
/// of the exchange.
///
/// A rank is never two calls, or exchanges, ahead of another one, which has to write its packet first: two
/// notes and two packets of each rank are enough.
class Board {
public:
  using Note = std::array<std::uint64_t, 5>;
  static constexpr std::size_t k_most = 2032; // bytes of a packet

private:
  struct Packet {
    std::uint64_t exchange;
    std::uint64_t bytes;
    std::byte data[k_most];
  };
  struct NotePlace {
    std::uint64_t call;
    Note note;
    std::uint64_t end_of_line[2];
  };
  struct Places {
    NotePlace notes[2];
    std::uint64_t resting; // rank 0: how often a rank has come to rest, without those that have woken up
    std::uint64_t end_of_line[7];
    Packet packets[2];
  };

public:
  static constexpr std::size_t k_bytes = sizeof(Places);

  /// `places`: those of each rank, of which the own one is all zeros. `keeps`: seconds for which a rank that
  /// waits for others keeps its processor.
  Board(const std::vector<std::byte*>& places, std::uint32_t rank, double keeps)
      : rank_(rank), keeps_(keeps) {
    for (std::byte* place : places) places_.push_back(reinterpret_cast<Places*>(place));
  }

  double keeps_processor() const noexcept { return keeps_; }
  std::uint32_t ranks() const noexcept { return static_cast<std::uint32_t>(places_.size()); }

  /// Begins a call, with its first exchange.
  void begin(const Note& note) noexcept {
    NotePlace& place = note_of(rank_, ++call_);
    place.note = note;
    noted_ = 0;
    ++exchange_;
    resting_at_end_ += ranks();
    // release, with the acquire of has_begun(): the note is there.
    number(place.call).store(call_, std::memory_order_release);
  }
  /// Returns whether a rank has begun this call.
  bool has_begun(std::uint32_t rank) const noexcept {
    return number(note_of(rank, call_).call).load(std::memory_order_acquire) == call_;
  }
  bool have_all_begun() noexcept {
    while (noted_ != places_.size() && has_begun(noted_)) ++noted_;
    return noted_ == places_.size();
  }
  /// Returns the note of a rank that has begun this call.
  const Note& note(std::uint32_t rank) const noexcept { return note_of(rank, call_).note; }

  /// The rank rests: its packet has the bytes of two spans, of k_most bytes at most.
  void rest(std::span<const std::byte> first, std::span<const std::byte> second) noexcept {
    write(first, second);
    // acq_rel, with all_rest(): the bytes of all ranks are there.
    number(places_[0]->resting).fetch_add(1, std::memory_order_acq_rel);
  }
  /// The rank has something to do again. Returns false if all ranks rest, and the call is over.
  bool wake() noexcept {
    const auto resting = number(places_[0]->resting);
    std::uint64_t seen = resting.load(std::memory_order_acquire);
    while (seen < resting_at_end_)
      if (resting.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel, std::memory_order_acquire))
        return true;
    return false;
  }
  /// Returns whether all ranks rest, or rested and are further on.
  bool all_rest() const noexcept {
    return number(places_[0]->resting).load(std::memory_order_acquire) >= resting_at_end_;
  }

  /// Begins another exchange with the bytes of two spans, of k_most bytes at most.
  void post(std::span<const std::byte> first, std::span<const std::byte> second) noexcept {
    ++exchange_;
    write(first, second);
    there_ = 0;
    // release, with the acquire of are_all_there(): the bytes are there.
    number(packet_of(rank_, exchange_).exchange).store(exchange_, std::memory_order_release);
  }
  /// Returns whether every rank has posted its packet of this exchange.
  bool are_all_there() noexcept {
    while (there_ != places_.size() &&
           number(packet_of(there_, exchange_).exchange).load(std::memory_order_acquire) == exchange_)
      ++there_;
    return there_ == places_.size();
  }
  /// Returns the packet of a rank, until the next exchange ends.
  std::span<const std::byte> packet(std::uint32_t rank) const noexcept {
    const Packet& packet = packet_of(rank, exchange_);
    return {packet.data, packet.bytes};
  }

private:
  static std::atomic_ref<std::uint64_t> number(std::uint64_t& word) noexcept {
    return std::atomic_ref<std::uint64_t>(word);
  }
  NotePlace& note_of(std::uint32_t rank, std::uint64_t call) const noexcept {
    return places_[rank]->notes[call % 2];
  }
  void write(std::span<const std::byte> first, std::span<const std::byte> second) noexcept {
    Packet& packet = packet_of(rank_, exchange_);
    packet.bytes = first.size() + second.size();
    std::memcpy(packet.data, first.data(), first.size());
    if (!second.empty()) std::memcpy(packet.data + first.size(), second.data(), second.size());
  }
  Packet& packet_of(std::uint32_t rank, std::uint64_t exchange) const noexcept {
    return places_[rank]->packets[exchange % 2];
  }

  std::vector<Places*> places_;
  std::uint32_t rank_;
  double keeps_;
  std::uint32_t noted_ = 0, there_ = 0; // ranks before these have begun the call, and posted their packets
  std::uint64_t call_ = 0, exchange_ = 0;
  std::uint64_t resting_at_end_ = 0; // of Places::resting, when all rest in this call
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
