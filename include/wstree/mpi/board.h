// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that the ranks of one node share, in which they tell each other some bytes without messages.
#pragma once

#include "wstree/core/platform.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
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
template <class P> class BasicBoard {
public:
  using Note = std::array<std::uint64_t, 5>;
  static constexpr std::size_t k_most = 2032; // bytes of a packet

private:
  using Tag = core::Tag;
  using Number = typename P::template Atomic<std::uint64_t>;
  template <class T> using Plain = typename P::template Plain<T>;

  struct Packet {
    Number exchange;
    Plain<std::uint64_t> bytes; // the model checker watches it in the place of the data, too
    std::byte data[k_most];
  };
  struct NotePlace {
    Number call;
    Plain<Note> note;
    std::uint64_t end_of_line[2];
  };
  struct Places {
    NotePlace notes[2];
    Number resting; // rank 0: how often a rank has come to rest, without those that have woken up
    std::uint64_t end_of_line[7];
    Packet packets[2];
  };

public:
  static constexpr std::size_t k_bytes = sizeof(Places);

  /// `places`: those of each rank, k_bytes each, of which the rank writes its own one before the ranks meet.
  /// `keeps`: seconds for which a rank that waits for others keeps its processor.
  BasicBoard(const std::vector<std::byte*>& places, std::uint32_t rank, double keeps)
      : rank_(rank), keeps_(keeps) {
    new (places[rank]) Places();
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
    // [M1] release, acquire in has_begun(): the note of a rank that has begun the call is there. Guard:
    //      model_rank ranks_rest_post_2x2 (each of the orders).
    place.call.store(call_, P::order(Tag::begin_call, std::memory_order_release));
  }
  /// Returns whether a rank has begun this call.
  bool has_begun(std::uint32_t rank) const noexcept {
    return note_of(rank, call_).call.load(P::order(Tag::begin_call, std::memory_order_acquire)) ==
           call_; // M1
  }
  bool have_all_begun() noexcept {
    while (noted_ != places_.size() && has_begun(noted_)) ++noted_;
    return noted_ == places_.size();
  }
  /// Returns the note of a rank that has begun this call.
  Note note(std::uint32_t rank) const noexcept { return note_of(rank, call_).note; }

  /// The rank rests: its packet has the bytes of two spans, of k_most bytes at most.
  void rest(std::span<const std::byte> first, std::span<const std::byte> second) noexcept {
    write(first, second);
    // [M2] update release, acquire in all_rest(): a rank that sees all at rest finds their packets, and
    //      the iterations of all ranks are executed. It has read the packets of the exchange before, so
    //      that they may be overwritten when all rest. All changes of the word are read-modify-writes,
    //      which continue the release of every rank that rests. Guard: model_rank ranks_rest_2x2 (each of
    //      the orders; a load and a store).
    places_[0]->resting.fetch_add(1, P::order(Tag::come_to_rest, std::memory_order_release));
  }
  /// The rank has something to do again. Returns false if all ranks rest, and the call is over.
  bool wake() noexcept {
    // [M3] relaxed: no packet is read while the rank is awake, and its next rest releases what it does
    //      meanwhile. A rank that comes too late reads no packet before all_rest(). The read-modify-write
    //      comes before the one that completes the number, or fails. Guard: model_rank ranks_rest_2x2 (a
    //      load and a store wake up a rank when all rest).
    Number& resting = places_[0]->resting;
    std::uint64_t seen = resting.load(P::order(Tag::wake_up, std::memory_order_relaxed));
    while (seen < resting_at_end_)
      if (resting.compare_exchange_weak(seen, seen - 1, P::order(Tag::wake_up, std::memory_order_relaxed),
                                        P::order(Tag::wake_up, std::memory_order_relaxed)))
        return true;
    return false;
  }
  /// Returns whether all ranks rest, or rested and are further on.
  bool all_rest() const noexcept {
    return places_[0]->resting.load(P::order(Tag::come_to_rest, std::memory_order_acquire)) >=
           resting_at_end_; // M2
  }

  /// Begins another exchange with the bytes of two spans, of k_most bytes at most.
  void post(std::span<const std::byte> first, std::span<const std::byte> second) noexcept {
    ++exchange_;
    write(first, second);
    there_ = 0;
    // [M4] release, acquire in are_all_there(): the packet of a rank that has posted it is there, and the
    //      rank has read those of the exchange before. Guard: model_rank ranks_rest_post_2x2 (each of the
    //      orders).
    packet_of(rank_, exchange_)
        .exchange.store(exchange_, P::order(Tag::post_packet, std::memory_order_release));
  }
  /// Returns whether every rank has posted its packet of this exchange.
  bool are_all_there() noexcept {
    while (there_ != places_.size() && has_posted(there_)) ++there_;
    return there_ == places_.size();
  }
  /// Returns the packet of a rank, until the next exchange ends.
  std::span<const std::byte> packet(std::uint32_t rank) const noexcept {
    const Packet& packet = packet_of(rank, exchange_);
    return {packet.data, packet.bytes};
  }

private:
  bool has_posted(std::uint32_t rank) const noexcept {
    return packet_of(rank, exchange_).exchange.load(P::order(Tag::post_packet, std::memory_order_acquire)) ==
           exchange_; // M4
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
using Board = BasicBoard<core::StdPlatform>;

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
