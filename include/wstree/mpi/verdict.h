// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ranks' agreement on a call: all make the same call, and may make it. Each rank finds out while the loop
// runs, before the call returns.
#pragma once

#include "wstree/mpi/board.h"
#include "wstree/mpi/errors.h"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// Why a rank cannot make a call.
enum class WrongUse : std::uint64_t { none, no_such_root, in_region, needs_funneled };

/// Arguments that have to be equal on all ranks.
struct Agreed {
  std::uint64_t iterations;     // iterations of the whole call, which may have several loops
  std::uint64_t kind;           // which algorithm, with which options
  std::uint64_t value_form = 0; // form_of()
  std::uint64_t cut = 0;
};

/// Throws where not even the other ranks can be told.
inline void check_that_mpi_works(MPI_Comm comm) {
  int is = 0;
  MPI_Initialized(&is);
  if (is == 0) throw error("wstree: MPI is not initialized: a loop on ranks comes after MPI_Init_thread()");
  MPI_Finalized(&is);
  if (is != 0) throw error("wstree: MPI is finalized: a loop on ranks comes before MPI_Finalize()");
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level));
  int is_main = 0;
  check(MPI_Is_thread_main(&is_main));
  if (is_main == 0 && level < MPI_THREAD_MULTIPLE)
    throw error("wstree: loops on ranks are called by the thread that has initialized MPI, or need "
                "MPI_Init_thread() with MPI_THREAD_MULTIPLE");
  if (comm == MPI_COMM_NULL)
    throw error("wstree: loops on ranks need a communicator, and this is MPI_COMM_NULL");
}

/// `root`: -1 for none.
inline WrongUse wrong_use_here(int root, std::uint32_t ranks) {
  WrongUse wrong = root < -1 || root >= static_cast<int>(ranks) ? WrongUse::no_such_root : WrongUse::none;
#ifdef _OPENMP
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level));
  if (omp_in_parallel() != 0)
    wrong = WrongUse::in_region;
  else if (level == MPI_THREAD_SINGLE && omp_get_max_threads() > 1)
    wrong = WrongUse::needs_funneled;
#endif
  return wrong;
}

/// Notes on the board; or one MPI_Iallreduce, where numbers are equal if their largest is, and so is that of
/// their complements.
class Verdict {
public:
  /// `board`: nullptr: by messages.
  Verdict(MPI_Comm comm, Board* board, const Agreed& agreed, WrongUse here)
      : comm_(comm), board_(board), mine_{static_cast<std::uint64_t>(here), agreed.iterations, agreed.kind,
                                          agreed.value_form, agreed.cut} {
    if (board_ != nullptr) {
      board_->begin(mine_);
      return;
    }
    widen(mine_, sent_);
    check(MPI_Iallreduce(sent_, all_, k_numbers, MPI_UINT64_T, MPI_MAX, comm, &request_));
  }
  ~Verdict() {
    if (request_ != MPI_REQUEST_NULL) MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }
  Verdict(const Verdict&) = delete;
  Verdict& operator=(const Verdict&) = delete;

  /// Returns whether it is known that the ranks do not agree.
  bool is_known_wrong() {
    if (board_ != nullptr) {
      if (is_agreed_) return false;
      const bool have_all_begun = board_->have_all_begun();
      for (std::uint32_t r = 0; r < board_->ranks(); ++r)
        if (board_->has_begun(r) && board_->note(r) != mine_) return true;
      is_agreed_ = have_all_begun && mine_[0] == 0;
      return mine_[0] != 0;
    }
    if (request_ != MPI_REQUEST_NULL) {
      int is_there = 0;
      check(MPI_Test(&request_, &is_there, MPI_STATUS_IGNORE));
      if (is_there == 0) return false;
    }
    return is_wrong();
  }
  /// Waits for all ranks, and returns the error, or nothing.
  std::string wait() {
    if (board_ != nullptr) {
      if (is_agreed_) return {};
      wait_until([&] { return board_->have_all_begun(); }, comm_, board_->keeps_processor());
      for (std::uint32_t r = 0; r < board_->ranks(); ++r) widen(board_->note(r), all_);
    }
    wait_for(request_);
    if (!is_wrong()) return {};
    switch (static_cast<WrongUse>(all_[0])) {
    case WrongUse::no_such_root:
      return "wstree: the root of a loop on ranks is none of the ranks, on this rank or another one";
    case WrongUse::in_region:
      return "wstree: a loop on ranks was called inside a parallel region or a loop, on this rank or another "
             "one";
    case WrongUse::needs_funneled:
      return "wstree: loops on ranks with several threads need MPI_Init_thread() with MPI_THREAD_FUNNELED, "
             "and this rank "
             "or another one has MPI_THREAD_SINGLE";
    case WrongUse::none:
      break;
    }
    if (!equal(1)) return "wstree: the ranks call a loop with different numbers of iterations";
    if (!equal(3)) return "wstree: the ranks call different algorithms, or with different options";
    if (!equal(5)) return "wstree: the ranks call an algorithm with values of different types";
    return "wstree: the ranks call a loop with different weights or costs";
  }

private:
  static constexpr int k_numbers = 9;

  /// Puts numbers and complements into `numbers` where they are larger.
  static void widen(const Board::Note& note, std::uint64_t (&numbers)[k_numbers]) noexcept {
    numbers[0] = std::max(numbers[0], note[0]);
    for (std::size_t i = 1; i < note.size(); ++i) {
      numbers[2 * i - 1] = std::max(numbers[2 * i - 1], note[i]);
      numbers[2 * i] = std::max(numbers[2 * i], ~note[i]);
    }
  }
  bool equal(int at) const noexcept { return all_[at] == ~all_[at + 1]; }
  bool is_wrong() const noexcept { return all_[0] != 0 || !equal(1) || !equal(3) || !equal(5) || !equal(7); }

  MPI_Comm comm_;
  Board* board_;
  Board::Note mine_;
  bool is_agreed_ = false; // all ranks have begun the call, with equal notes
  std::uint64_t sent_[k_numbers] = {};
  std::uint64_t all_[k_numbers] = {};
  MPI_Request request_ = MPI_REQUEST_NULL;
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
