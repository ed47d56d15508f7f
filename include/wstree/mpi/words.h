// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words of all ranks of a communicator: in memory that the ranks share, or in a window.
#pragma once

#include "wstree/mpi/board.h"
#include "wstree/mpi/errors.h"
#include "wstree/mpi/member.h"

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include <sched.h>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// The Memory of a Member. One thread of a rank at a time; made and freed by all ranks together.
class Words {
public:
  virtual ~Words() = default;
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  std::uint64_t load(std::uint32_t rank, Slot slot) {
    count(rank);
    return load_word(rank, slot);
  }
  std::uint64_t swap_if(std::uint32_t rank, Slot slot, std::uint64_t expected, std::uint64_t wanted) {
    count(rank);
    return swap_word_if(rank, slot, expected, wanted);
  }
  void add(std::uint32_t rank, Slot slot, std::uint64_t units) {
    count(rank);
    add_to_word(rank, slot, units);
  }
  void raise(std::uint32_t rank, Slot slot, std::uint64_t value) {
    count(rank);
    raise_word(rank, slot, value);
  }
  virtual void store(Slot slot, std::uint64_t value) = 0;
  /// Returns the memory by which the ranks tell each other bytes; nullptr: they are on several nodes.
  virtual Board* board() noexcept { return nullptr; }
  /// Frees the window, by all ranks.
  virtual void free() = 0;
  /// Returns the operations on the words of other ranks.
  std::uint64_t operations() const noexcept { return operations_; }

protected:
  explicit Words(int rank) : own_(static_cast<std::uint32_t>(rank)) {}
  std::uint32_t own() const noexcept { return own_; }
  static constexpr MPI_Aint k_bytes = 256; // a rank's bytes: words of two ranks are in different lines

private:
  virtual std::uint64_t load_word(std::uint32_t rank, Slot slot) = 0;
  virtual std::uint64_t swap_word_if(std::uint32_t rank, Slot slot, std::uint64_t expected,
                                     std::uint64_t wanted) = 0;
  virtual void add_to_word(std::uint32_t rank, Slot slot, std::uint64_t units) = 0;
  virtual void raise_word(std::uint32_t rank, Slot slot, std::uint64_t value) = 0;
  void count(std::uint32_t rank) noexcept { operations_ += rank != own_ ? 1 : 0; }

  std::uint32_t own_;
  std::uint64_t operations_ = 0;
};

/// All ranks are on one node: the processor's own atomic operations. MPI does not say that these are atomic
/// towards its own operations, so they are only used where no rank needs the latter.
class SharedWords final : public Words {
public:
  /// `threads`: of this rank's team.
  SharedWords(MPI_Comm comm, int rank, int ranks, std::uint32_t threads) : Words(rank) {
    void* mine = nullptr;
    std::vector<std::byte*> places;
    MPI_Info info = MPI_INFO_NULL;
    check(MPI_Info_create(&info));
    check(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    check(MPI_Win_allocate_shared(k_bytes + MPI_Aint{Board::k_bytes}, 1, info, comm, &mine, &window_));
    check(MPI_Info_free(&info));
    for (int r = 0; r < ranks; ++r) {
      MPI_Aint size = 0;
      int unit = 0;
      void* base = nullptr;
      check(MPI_Win_shared_query(window_, r, &size, &unit, &base));
      words_.push_back(static_cast<std::uint64_t*>(base));
      places.push_back(static_cast<std::byte*>(base) + k_bytes);
    }
    std::memset(words_[own()], 0, k_bytes);
    board_.emplace(places, own(), has_processors(comm, ranks, threads) ? k_keeps_long : k_keeps_processor);
    check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
    check(MPI_Win_sync(window_));
    check(MPI_Barrier(comm));
    check(MPI_Win_sync(window_));
  }
  // acq_rel: writes of a rank for the iterations that it leaves to another one, into memory that both share,
  // come before that rank's execution of them.
  std::uint64_t load_word(std::uint32_t rank, Slot slot) override {
    return at(rank, slot).load(std::memory_order_acquire);
  }
  std::uint64_t swap_word_if(std::uint32_t rank, Slot slot, std::uint64_t expected,
                             std::uint64_t wanted) override {
    at(rank, slot)
        .compare_exchange_strong(expected, wanted, std::memory_order_acq_rel, std::memory_order_acquire);
    return expected;
  }
  void add_to_word(std::uint32_t rank, Slot slot, std::uint64_t units) override {
    at(rank, slot).fetch_add(units, std::memory_order_acq_rel);
  }
  void raise_word(std::uint32_t rank, Slot slot, std::uint64_t value) override {
    std::uint64_t seen = load_word(rank, slot);
    while (seen < value &&
           !at(rank, slot)
                .compare_exchange_weak(seen, value, std::memory_order_acq_rel, std::memory_order_acquire)) {
    }
  }
  void store(Slot slot, std::uint64_t value) override {
    at(own(), slot).store(value, std::memory_order_release);
  }
  Board* board() noexcept override { return &*board_; }
  void free() override {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }

private:
  /// Returns whether there is a processor for each thread of all ranks, as far as the ranks may use them.
  static bool has_processors(MPI_Comm comm, int ranks, std::uint32_t threads) {
    cpu_set_t usable;
    CPU_ZERO(&usable);
    if (sched_getaffinity(0, sizeof usable, &usable) != 0) CPU_ZERO(&usable); // more than 1024 processors
    check(MPI_Allreduce(MPI_IN_PLACE, &usable, sizeof usable, MPI_BYTE, MPI_BOR, comm));
    check(MPI_Allreduce(MPI_IN_PLACE, &threads, 1, MPI_UINT32_T, MPI_MAX, comm));
    return static_cast<std::uint64_t>(CPU_COUNT(&usable)) >= std::uint64_t{threads} * ranks;
  }
  std::atomic_ref<std::uint64_t> at(std::uint32_t rank, Slot slot) const {
    return std::atomic_ref<std::uint64_t>(words_[rank][static_cast<std::uint32_t>(slot)]);
  }
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<std::uint64_t*> words_;
  std::optional<Board> board_;
};

/// One-sided operations of MPI, which are atomic towards each other, on the own words too.
class RemoteWords final : public Words {
public:
  RemoteWords(MPI_Comm comm, int rank) : Words(rank) {
    check(MPI_Win_allocate(k_bytes, 1, MPI_INFO_NULL, comm, &words_, &window_));
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    check(MPI_Comm_get_errhandler(comm, &handler));
    check(MPI_Win_set_errhandler(window_, handler));
    check(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window_));
    for (std::uint32_t i = 0; i < k_slots; ++i) words_[i] = 0;
    check(MPI_Win_unlock(rank, window_));
    check(MPI_Barrier(comm));
    check(MPI_Win_lock_all(0, window_));
  }
  std::uint64_t load_word(std::uint32_t rank, Slot slot) override { return fetch(rank, slot, 0, MPI_NO_OP); }
  std::uint64_t swap_word_if(std::uint32_t rank, Slot slot, std::uint64_t expected,
                             std::uint64_t wanted) override {
    std::uint64_t old = 0;
    check(MPI_Compare_and_swap(&wanted, &expected, &old, MPI_UINT64_T, static_cast<int>(rank), place(slot),
                               window_));
    check(MPI_Win_flush(static_cast<int>(rank), window_));
    return old;
  }
  void add_to_word(std::uint32_t rank, Slot slot, std::uint64_t units) override {
    fetch(rank, slot, units, MPI_SUM);
  }
  void raise_word(std::uint32_t rank, Slot slot, std::uint64_t value) override {
    fetch(rank, slot, value, MPI_MAX);
  }
  void store(Slot slot, std::uint64_t value) override { fetch(own(), slot, value, MPI_REPLACE); }
  void free() override {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }

private:
  static MPI_Aint place(Slot slot) noexcept { return static_cast<MPI_Aint>(slot) * 8; }
  std::uint64_t fetch(std::uint32_t rank, Slot slot, std::uint64_t value, MPI_Op op) {
    std::uint64_t old = 0;
    check(MPI_Fetch_and_op(&value, &old, MPI_UINT64_T, static_cast<int>(rank), place(slot), op, window_));
    check(MPI_Win_flush(static_cast<int>(rank), window_));
    return old;
  }
  MPI_Win window_ = MPI_WIN_NULL;
  std::uint64_t* words_ = nullptr;
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
