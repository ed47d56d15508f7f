// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank's state for a communicator, kept between calls: a communicator and words of the library's own.
#pragma once

#include "wstree/mpi/account.h"
#include "wstree/mpi/errors.h"
#include "wstree/mpi/words.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// Returns the seconds since some moment.
inline double now() noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// False: ranks of one node use MPI's operations, too. For tests; the same on all ranks.
inline bool g_shares_words = true;

inline std::uint32_t threads_of_team() noexcept {
#ifdef _OPENMP
  return static_cast<std::uint32_t>(omp_get_max_threads());
#else
  return 1;
#endif
}

/// Attached to the communicator. Freed with it, or when MPI is finalized. One thread at a time, but for
/// static members: threads may have loops on several communicators.
class Group {
public:
  /// Returns the group of a communicator; collective when it has none yet.
  static Group& of(MPI_Comm comm) {
    static const int key = make_key();
    void* attached = nullptr;
    int is_there = 0;
    check(MPI_Comm_get_attr(comm, key, &attached, &is_there));
    if (is_there != 0) {
      auto& group = *static_cast<Group*>(attached);
      if (group.comm_ == MPI_COMM_NULL)
        throw error("wstree: MPI_Finalize has freed what loops on ranks need");
      return group;
    }
    free_before_finalize();
    auto group = std::make_unique<Group>(comm);
    check(MPI_Comm_set_attr(comm, key, group.get()));
    const std::lock_guard lock(s_mutex);
    all().push_back(group.get());
    return *group.release();
  }
  explicit Group(MPI_Comm comm) {
    int is_inter = 0;
    check(MPI_Comm_test_inter(comm, &is_inter));
    if (is_inter != 0) throw error("wstree: loops on ranks need an intracommunicator");
    check(MPI_Comm_dup(comm, &comm_));
    check(MPI_Comm_rank(comm_, &rank_));
    check(MPI_Comm_size(comm_, &ranks_));
    find_names();
    find_order();
    make_words();
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    release();
    const std::lock_guard lock(s_mutex);
    std::erase(all(), this);
  }

  MPI_Comm comm() const noexcept { return comm_; }
  std::uint32_t rank() const noexcept { return static_cast<std::uint32_t>(rank_); }
  std::uint32_t ranks() const noexcept { return static_cast<std::uint32_t>(ranks_); }
  Words& words() noexcept { return *words_; }
  /// Returns the other ranks of this node, where not all ranks are.
  const std::vector<std::uint32_t>& near() const noexcept { return near_; }
  /// Returns the seconds of an operation on another rank's word.
  double operation() const noexcept { return operation_; }
  Account& account() noexcept { return account_; }

  /// A call on the communicator, from its beginning to its end. Throws in another one.
  class Entered {
  public:
    explicit Entered(Group& group) : group_(group) {
      // acquire, with the release below: another thread may have made the previous call.
      if (group.is_busy_.exchange(true, std::memory_order_acquire))
        throw error("wstree: a loop on ranks was called inside another one of the same ranks");
    }
    ~Entered() { group_.is_busy_.store(false, std::memory_order_release); }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

  private:
    Group& group_;
  };

  /// Returns the number of the next call. Collective when the numbers have come round.
  std::uint32_t next_call() {
    if (call_ == ~std::uint32_t{0} - 1) restart();
    return ++call_;
  }
  /// Returns the seconds that all ranks together have worked in the last call with so many iterations that
  /// was noted; 0: none was. The same on all ranks.
  double seconds_of(std::uint64_t iterations) const noexcept {
    const Noted& noted = noted_[iterations % k_noted];
    return noted.iterations == iterations ? noted.seconds : 0;
  }
  /// Notes these seconds. By all ranks.
  void note_seconds(std::uint64_t iterations, double seconds) noexcept {
    noted_[iterations % k_noted] = {iterations, seconds};
  }
  std::uint64_t done() const noexcept { return done_; }
  void add_done(std::uint64_t units) noexcept { done_ += units; }

  /// Makes new words: a call has left the old ones in any state. Collective.
  void restart() {
    call_ = 0, done_ = 0, noted_ = {};
    words_->free();
    make_words();
  }

private:
  void make_words() {
    MPI_Comm node = MPI_COMM_NULL;
    check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node));
    int there = 0;
    check(MPI_Comm_size(node, &there));
    int is_one_node = there == ranks_ && g_shares_words ? 1 : 0;
    check(MPI_Allreduce(MPI_IN_PLACE, &is_one_node, 1, MPI_INT, MPI_MIN, comm_));
    near_.clear();
    if (is_one_node != 0) {
      words_ = std::make_unique<SharedWords>(comm_, rank_, ranks_, threads_of_team());
    } else {
      std::vector<int> ranks(static_cast<std::size_t>(there));
      check(MPI_Allgather(&rank_, 1, MPI_INT, ranks.data(), 1, MPI_INT, node));
      for (const int r : ranks)
        if (r != rank_ && there != ranks_) near_.push_back(static_cast<std::uint32_t>(r));
      words_ = std::make_unique<RemoteWords>(comm_, rank_);
      measure();
    }
    check(MPI_Comm_free(&node));
  }

  /// Measures the time of an operation, and whether an operation ends while its target computes.
  void measure() {
    constexpr int k_tries = 16;
    constexpr double k_computing = 5e-3;
    const std::uint32_t other = (rank() + 1) % ranks();
    const double start = now();
    for (int i = 0; i < k_tries; ++i) words_->load(other, Slot::done);
    operation_ = (now() - start) / k_tries;
    check(MPI_Barrier(comm_));
    double waited = 0;
    if (const double begin = now(); rank_ % 2 == 0) {
      while (now() - begin < k_computing) {
      }
    } else {
      words_->load(rank() - 1, Slot::done);
      waited = now() - begin;
    }
    double both[2] = {waited, operation_};
    check(MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_DOUBLE, MPI_MAX, comm_));
    const bool goes_on = both[0] < k_computing / 2;
    if (goes_on)
      operation_ = std::min(both[1], 1e-4);
    else
      operation_ = 2e-6; // the measured time is that of the ranks' way to this call
    if (!goes_on && rank_ == 0 && !s_has_said.exchange(true, std::memory_order_relaxed))
      std::fputs(
          "wstree: this MPI ends operations on the memory of a rank only when that rank calls MPI, so steals "
          "wait for the end of a piece; a progress thread helps (MPICH_ASYNC_PROGRESS=1)\n",
          stderr);
  }

  /// Finds the numbers of the ranks in MPI_COMM_WORLD. If some ranks are not in it, takes the communicator's
  /// numbers: these ranks have an MPI_COMM_WORLD of their own, with the same numbers.
  void find_names() {
    MPI_Group here = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
    check(MPI_Comm_group(comm_, &here));
    check(MPI_Comm_group(MPI_COMM_WORLD, &world));
    std::vector<int> ranks(static_cast<std::size_t>(ranks_)), theirs(ranks.size());
    for (int r = 0; r < ranks_; ++r) ranks[static_cast<std::size_t>(r)] = r;
    check(MPI_Group_translate_ranks(here, ranks_, ranks.data(), world, theirs.data()));
    check(MPI_Group_free(&here));
    check(MPI_Group_free(&world));
    const bool are_there = std::ranges::find(theirs, MPI_UNDEFINED) == theirs.end(); // equal on all ranks
    for (const int rank : are_there ? theirs : ranks)
      names_.world.push_back(static_cast<std::uint32_t>(rank));
    names_.rank = rank();
    names_.threads = threads_of_team();
  }

  /// Finds a number of this group that is equal on all ranks: threads may make groups at the same time, in
  /// another order on each rank.
  void find_order() {
    {
      const std::lock_guard lock(s_mutex);
      number_ = s_made++;
    }
    int here = 0;
    check(MPI_Comm_rank(MPI_COMM_WORLD, &here));
    order_ = {static_cast<std::uint32_t>(here), number_};
    check(MPI_Bcast(order_.data(), static_cast<int>(order_.size()), MPI_UINT32_T, 0, comm_));
  }

  void release() noexcept {
    if (comm_ == MPI_COMM_NULL) return;
    try {
      account_.tell(names_, number_);
    } catch (const std::bad_alloc&) { // figures are lost
    }
    words_->free();
    MPI_Comm_free(&comm_);
  }

  static int make_key() {
    int key = MPI_KEYVAL_INVALID;
    const auto free = [](MPI_Comm, int, void* group, void*) {
      delete static_cast<Group*>(group);
      return MPI_SUCCESS;
    };
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free, &key, nullptr));
    return key;
  }
  /// MPI_Finalize first frees the attributes of MPI_COMM_SELF, while operations of all ranks still work: the
  /// groups go in one order on all ranks, because each one waits for its ranks.
  static void free_before_finalize() {
    static const int key = [] {
      int made = MPI_KEYVAL_INVALID;
      const auto free = [](MPI_Comm, int, void*, void*) {
        auto& groups = all(); // no loop is open any more
        std::ranges::sort(groups, {}, &Group::order_);
        for (Group* group : groups) group->release();
        return MPI_SUCCESS;
      };
      check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free, &made, nullptr));
      check(MPI_Comm_set_attr(MPI_COMM_SELF, made, nullptr));
      return made;
    }();
    static_cast<void>(key);
  }

  static inline std::mutex s_mutex;
  static inline std::uint32_t s_made = 0; // by s_mutex
  /// Groups that are not deleted; by s_mutex. Never destroyed: a destructor that is later than those of this
  /// file may call MPI_Finalize.
  static std::vector<Group*>& all() {
    static auto* const groups = new std::vector<Group*>;
    return *groups;
  }

  // relaxed: whether a line was printed.
  static inline std::atomic<bool> s_has_said{false};

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 1;
  std::unique_ptr<Words> words_;
  std::vector<std::uint32_t> near_;
  double operation_ = 1e-7;
  std::uint32_t call_ = 0;
  std::uint64_t done_ = 0;
  struct Noted {
    std::uint64_t iterations = 0;
    double seconds = 0;
  };
  static constexpr std::uint64_t k_noted = 61;
  std::array<Noted, k_noted> noted_{};
  std::atomic<bool> is_busy_{false};
  std::uint32_t number_ = 0;             // number of this group in this process
  std::array<std::uint32_t, 2> order_{}; // rank 0 in MPI_COMM_WORLD, and its number of the group
  RankNames names_;
  Account account_;
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
