// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wrong uninitialized|single|misuse: wrong uses end with one error on all ranks, and no rank waits.
#include "checks.h"

#include <wstree/mpi.hpp>

#include <omp.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace wstree::test;
namespace mpi = wstree::mpi;

const MPI_Comm k_world = MPI_COMM_WORLD;

/// `call` throws mpi::error with these words in it.
template <class Call> void expect_error(const std::string& words, Call&& call) {
  std::string said = "nothing";
  try {
    call();
  } catch (const std::exception& thrown) {
    said = thrown.what();
  }
  expect(said.find(words) != std::string::npos, "'" + said + "' instead of '" + words + "'");
}

/// `call` is refused, and what the ranks do together afterwards is right.
template <class Call> void expect_refused(const std::string& words, Call&& call) {
  expect_error(words, call);
  const std::uint64_t sum = mpi::sum(k_world, 1000, [](std::uint64_t i) { return i; });
  expect(sum == 499'500, "a loop after a wrong one: " + std::to_string(sum));
}

/// What an operator throws at the root alone, after the loop, all ranks are told.
void operator_of_the_root() {
  const auto add = [](std::uint64_t a, std::uint64_t b) {
    if (a + b == 1000) throw std::runtime_error("all of them");
    return a + b;
  };
  const auto on = mpi::on(k_world).root(ranks_of() - 1);
  const auto one = [](std::uint64_t) { return std::uint64_t{1}; };
  expect_refused("all of them", [&] { mpi::reduce(on, 1, std::uint64_t{999}, add, one); });
  expect_refused("all of them", [&] { mpi::reduce(on, 1000, std::uint64_t{0}, add, one); });
}

/// What operators throw where all ranks combine the results, on all ranks or on the last one alone, ends the
/// call on all ranks with one exception.
void operator_of_all_ranks() {
  for (const bool on_all : {true, false}) {
    const int thrower = on_all ? 0 : ranks_of() - 1;
    const auto add = [&](std::uint64_t a, std::uint64_t b) {
      if (a + b == 1000 && (on_all || rank_of() == thrower))
        throw std::runtime_error("rank " + std::to_string(rank_of()));
      return a + b;
    };
    const auto one = [](std::uint64_t) { return std::uint64_t{1}; };
    const std::string told = "rank " + std::to_string(thrower);
    expect_refused(told, [&] { mpi::reduce(k_world, 1, std::uint64_t{999}, add, one); });
    expect_refused(told, [&] { mpi::reduce(k_world, 2, std::uint64_t{998}, add, one); });
  }
}

/// A token may throw, too, while a piece is executed or a rank looks for work.
void token_that_throws() {
  struct Token {
    bool stop_requested() const {
      if (rank_of() == ranks_of() - 1) throw std::runtime_error("of the token");
      return false;
    }
  };
  const auto on = mpi::on(k_world).stop(Token());
  expect_refused("of the token", [&] { mpi::for_each(on, 1000, [](std::uint64_t) {}); });
  expect_refused("of the token", [&] { mpi::for_each(on, 0, [](std::uint64_t) {}); });
}

/// Rank 0 stops at element 3, after another rank has found a hit that is not the first: no rank is told that.
void stop_before_the_first_hit() {
  struct Token {
    bool& is_stopped;
    bool stop_requested() const { return is_stopped; }
  };
  const SharedWords words(2);
  const auto has_hit = words[0], has_stopped = words[1];
  const auto wait_until = [](const auto& flag) {
    while (flag == 0) std::this_thread::yield();
  };
  bool is_stopped = false;
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1); // in order
  const std::uint64_t share = 4096 / static_cast<std::uint64_t>(ranks_of());
  expect_refused("stopped by its stop token", [&] {
    mpi::find_first(mpi::on(k_world).stop(Token{is_stopped}), 4096, [&](std::uint64_t i) {
      if (rank_of() == 0 && i == 1) wait_until(has_hit);
      if (rank_of() == 0 && i == 3) is_stopped = true, has_stopped = 1;
      if (rank_of() != 0 && i >= share) has_hit = 1;
      if (rank_of() != 0 && i < share) wait_until(has_stopped);
      return i == 20 || i >= share;
    });
  });
  omp_set_num_threads(threads);
}

void misuse() {
  const auto rank = static_cast<std::uint64_t>(rank_of());
  const auto nothing = [](std::uint64_t) {};
  expect_refused("different numbers of iterations",
                 [&] { mpi::for_each(k_world, 1000 + rank % 2, nothing); });
  expect_refused("different numbers of iterations",
                 [&] { mpi::for_each(k_world, rank % 2 * 1000, nothing); });
  expect_refused("different numbers of iterations", [&] { // of which the first wave is the same
    mpi::find_first(k_world, 4096 * (1 + rank % 2), [](std::uint64_t) { return false; });
  });
  expect_refused("different algorithms", [&] {
    if (rank == 0)
      mpi::for_each(k_world, 1000, nothing);
    else
      mpi::for_each_chunk(k_world, 1000, [](std::uint64_t, std::uint64_t) {});
  });
  expect_refused("values of different types", [&] {
    if (rank == 0)
      mpi::sum(k_world, 10, [](std::uint64_t) { return 1.0F; });
    else
      mpi::sum(k_world, 10, [](std::uint64_t) { return 1.0; });
  });
  const auto listed = [](auto first) {
    mpi::reduce(
        k_world, 10, std::vector{first}, [](auto left, const auto&) { return left; },
        [=](std::uint64_t) { return std::vector{first}; });
  };
  expect_refused("values of different types", [&] { rank == 0 ? listed(1.0) : listed(std::int64_t{1}); });
  for (const int root : {ranks_of(), ranks_of() + 7, -2}) {
    expect_refused("the root of a loop on ranks is none", [&] {
      mpi::sum(mpi::on(k_world).root(root), 1000,
               [](std::uint64_t) -> int { throw std::runtime_error("begun"); });
    });
  }
  expect_refused("the root of a loop on ranks is none", [&] { // on one rank only
    mpi::sum(mpi::on(k_world).root(rank == 0 ? 0 : ranks_of()), 1000, [](std::uint64_t i) { return i; });
  });
  expect_refused("different algorithms, or with different options", [&] { // where values are large, too
    mpi::fold(
        mpi::on(k_world).root(rank == 0 ? -1 : 0), 100, std::array<char, 80'000>{},
        [](std::array<char, 80'000>&, std::uint64_t, std::uint64_t) {},
        [](const std::array<char, 80'000>& left, const std::array<char, 80'000>&) { return left; });
  });
  const double weights[] = {1, 1 + static_cast<double>(rank)};
  expect_refused("different weights",
                 [&] { mpi::for_each(mpi::on(k_world).weights(weights), 1000, nothing); });
  expect_refused("inside a parallel region", [&] {
    std::string said;
#pragma omp parallel num_threads(2) if (rank == 1)
#pragma omp master
    try {
      mpi::for_each(k_world, 1000, nothing);
    } catch (const std::exception& thrown) {
      said = thrown.what();
    }
    throw std::runtime_error(said);
  });
  expect_refused("the thread that has initialized MPI", [&] {
    std::string said = "inside a parallel region: the thread that has initialized MPI"; // on one thread
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
      try {
        mpi::for_each(k_world, 1000, nothing);
      } catch (const std::exception& thrown) {
        said = thrown.what();
      }
    }
    throw std::runtime_error(said);
  });
  expect_refused("inside another one", [&] {
    mpi::for_each(k_world, 4, [&](std::uint64_t i) {
      if (omp_get_thread_num() == 0) mpi::for_each(k_world, i, nothing);
      throw std::runtime_error("wstree: inside another one, on the other thread");
    });
  });
  expect_refused("MPI_COMM_NULL", [&] { mpi::for_each(MPI_COMM_NULL, 4, nothing); });

  // A communicator of the program's own, with another handler of errors.
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(k_world, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  mpi::for_each(own, 4, nothing);
  expect_refused("MPI says", [&] {
    mpi::detail::check(MPI_Send(nullptr, 0, MPI_INT, ranks_of() + 7, 0, mpi::detail::Group::of(own).comm()));
  });
  MPI_Comm_free(&own);
  operator_of_the_root();
  operator_of_all_ranks();
  token_that_throws();
  stop_before_the_first_hit();
}

} // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "misuse";
  bool was_told = false;
  if (how == "uninitialized") try {
      mpi::for_each(MPI_COMM_WORLD, 4, [](std::uint64_t) {});
    } catch (const mpi::error& thrown) {
      was_told = std::string(thrown.what()).find("not initialized") != std::string::npos;
    }
  int level = 0;
  MPI_Init_thread(&argc, &argv, how == "single" ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED, &level);
  expect(how != "uninitialized" || was_told, "a loop before MPI_Init() says something else");
  int key = MPI_KEYVAL_INVALID; // of what MPI_Finalize deletes after the words of loops: the latest one first
  const auto loop = [](MPI_Comm, int, void*, void*) {
    expect_error("MPI_Finalize has freed", [] { mpi::for_each(MPI_COMM_WORLD, 4, [](std::uint64_t) {}); });
    return MPI_SUCCESS;
  };
  if (how == "misuse") {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, loop, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
    misuse();
  }
  if (how == "single" && level == MPI_THREAD_SINGLE) {
    if (rank_of() == 0) omp_set_num_threads(1);
    expect_error("MPI_THREAD_FUNNELED", [] { mpi::for_each(MPI_COMM_WORLD, 4, [](std::uint64_t) {}); });
  }
  MPI_Finalize();
  bool is_late = false;
  try {
    mpi::for_each(MPI_COMM_WORLD, 4, [](std::uint64_t) {});
  } catch (const mpi::error& thrown) {
    is_late = std::string(thrown.what()).find("is finalized") != std::string::npos;
  }
  return is_late ? 0 : 1;
}
