// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cases NAME: what is checked of a few ranks on one node, each case with a number of ranks of its own.
#include "checks.h"

#include <wstree/mpi.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <omp.h>
#include <unistd.h>

namespace {

using namespace wstree::test;
namespace mpi = wstree::mpi;

std::uint64_t g_messages = 0; // collective operations

/// Two ranks, of which the second one is stopped for a second in its first iteration: the first one executes
/// nearly all of its share meanwhile, and each iteration runs once.
void suspended() {
  const int rank = rank_of();
  int other = static_cast<int>(getpid());
  MPI_Bcast(&other, 1, MPI_INT, 1, MPI_COMM_WORLD);
  const SharedWords words(1);
  const auto is_stopped = words[0];
  constexpr std::uint64_t k_iterations = 400, k_alone = 300;
  std::vector<std::uint8_t> hits(k_iterations);
  std::uint64_t executed = 0;
  std::chrono::steady_clock::time_point stopped;
  mpi::for_each(MPI_COMM_WORLD, k_iterations, [&](std::uint64_t i) {
    ++hits[i], ++executed;
    if (rank == 1) {
      while (is_stopped == 0) std::this_thread::yield();
      return;
    }
    if (executed == 1) {
      stopped = std::chrono::steady_clock::now();
      kill(other, SIGSTOP);
      is_stopped = 1;
    }
    // Never reached if the units of the stopped rank cannot be taken.
    if (executed == k_alone) {
      std::this_thread::sleep_until(stopped + std::chrono::seconds(1));
      kill(other, SIGCONT);
    }
  });
  expect(rank == 1 || executed >= k_alone, "a stopped rank keeps its share");
  expect_each_once(hits);
}

/// Two ranks, of which the second one executes an iteration for four of the first one, by count and not by
/// time: the first one takes over most of its share, and each iteration runs once.
void slowed() {
  const SharedWords words(2);
  const auto fast = words[0], slow = words[1]; // executed iterations
  // The last quarter at any speed: the first rank cannot get a piece, which is at most an eighth of the loop.
  constexpr std::uint64_t k_iterations = 4000, k_slowed = 3 * k_iterations / 4, k_times = 4;
  std::vector<std::uint8_t> hits(k_iterations);
  mpi::for_each(MPI_COMM_WORLD, k_iterations, [&](std::uint64_t i) {
    ++hits[i];
    work(1000);
    if (rank_of() == 0) {
      ++fast;
    } else {
      // Never ends if the first rank cannot take over what is left.
      while (fast < k_times * slow && fast + slow < k_slowed) std::this_thread::yield();
      ++slow;
    }
  });
  if (rank_of() == 0)
    expect(fast > k_iterations / 2 && fast + slow == k_iterations,
           "the rank that is not slowed did its share only");
  expect_each_once(hits);
}

/// A loop of 400 iterations of which each rank executes some, and other ranks some of rank 0's; and a fold on
/// the ranks of odd numbers. Prints how many iterations each rank has executed: "executed RANK LOOP
/// ITERATIONS".
void seen() {
  const int rank = rank_of();
  const SharedWords words(2);
  const auto has_begun = words[0], is_stolen = words[1]; // of rank 0's share
  constexpr std::uint64_t k_iterations = 400;
  const std::uint64_t share_of_first = k_iterations / static_cast<std::uint64_t>(ranks_of());
  std::atomic<std::uint64_t> executed{0}, folded{0};
  mpi::for_each(mpi::on(MPI_COMM_WORLD).label("seen \"ä\""), k_iterations, [&](std::uint64_t i) {
    ++executed;
    if (rank != 0 && i < share_of_first) is_stolen = 1;
    if (rank == 0) has_begun = 1;
    while (has_begun == 0 || (rank == 0 && is_stolen == 0)) std::this_thread::yield();
  });
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (rank % 2 == 1)
    mpi::fold(
        half, k_iterations, std::uint64_t{0},
        [&](std::uint64_t sum, std::uint64_t begin, std::uint64_t end) {
          folded += end - begin;
          return sum + (end - begin);
        },
        [](std::uint64_t a, std::uint64_t b) { return a + b; });
  MPI_Comm_free(&half);
  std::printf("executed %d seen %llu\n", rank, static_cast<unsigned long long>(executed.load()));
  if (rank % 2 == 1)
    std::printf("executed %d folded %llu\n", rank, static_cast<unsigned long long>(folded.load()));
  std::fflush(stdout);
}

/// A loop on a rank and one that it has spawned, both rank 0 of an MPI_COMM_WORLD of their own.
void spawned(const char* program) {
  MPI_Comm parent = MPI_COMM_NULL, both = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  const bool is_spawned = parent != MPI_COMM_NULL;
  MPI_Comm other = parent;
  char name[] = "spawned";
  char* arguments[] = {name, nullptr};
  if (!is_spawned)
    MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other, MPI_ERRCODES_IGNORE);
  MPI_Intercomm_merge(other, is_spawned ? 1 : 0, &both);
  const auto sum = mpi::sum(mpi::on(both).label("spawned"), 100, [](std::uint64_t i) { return i; });
  expect(sum == 4950, "a sum of " + std::to_string(sum));
  MPI_Comm_free(&both);
  MPI_Comm_disconnect(&other);
}

/// Expects that one of many calls sends no messages on any rank: a suspended rank makes a call longer.
void expect_no_messages(const char* what, const std::function<void()>& call) {
  constexpr int k_tries = 200;
  for (int i = 0; i < k_tries; ++i) {
    g_messages = 0;
    call();
    std::uint64_t most = 0;
    PMPI_Allreduce(&g_messages, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (most == 0) return;
  }
  expect(false, std::string(what) + " sends messages");
}

/// Guards: mpi/board.h. Brief calls of ranks on one node send no messages, and only the root gets a result
/// that was asked for there.
void brief() {
  const std::uint64_t values = 8 * 2048 * static_cast<std::uint64_t>(ranks_of());
  const auto element = [](std::uint64_t i) { return 1.0 / static_cast<double>(i + 1); };
  double expected = 0;
  expect_no_messages("a sum", [&] { expected = mpi::sum(MPI_COMM_WORLD, values, element); });
  const int root = ranks_of() - 1;
  expect_no_messages("a sum at the root", [&] {
    const double sum = mpi::sum(mpi::on(MPI_COMM_WORLD).root(root), values, element);
    expect(sum == (rank_of() == root ? expected : 0), "not only the root has the sum, or it has another one");
  });
  expect_no_messages("a loop", [&] { mpi::for_each(MPI_COMM_WORLD, 100, [](std::uint64_t) {}); });
  std::uint64_t count = 0;
  const auto same = [](std::uint64_t i) { return i; };
  expect_no_messages("a reduction", [&] {
    count = mpi::reduce(MPI_COMM_WORLD, 100, std::uint64_t{0}, std::plus<>(), same);
  });
  expect(count == 4950, "a reduction has another value");
}

void loops_on(MPI_Comm comm, std::uint64_t seed) {
  omp_set_num_threads(2);
  Random random(seed);
  for (int i = 0; i < 40; ++i) {
    const std::uint64_t n = random.below(3000), steps = random.below(300);
    std::vector<std::uint8_t> hits(n + 1);
    mpi::for_each(comm, n, [&](std::uint64_t at) { ++hits[at], work(at < n / 4 ? 4 * steps : steps / 8); });
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, hits.data(), static_cast<int>(n), MPI_UINT8_T, MPI_SUM, comm, &request);
    mpi::detail::wait_for(request);
    for (std::uint64_t at = 0; at < n; ++at) expect(hits[at] == 1, "an iteration that did not run once");
    const std::string text = mpi::reduce(
        comm, n / 10, std::string(), [](std::string a, const std::string& b) { return std::move(a) + b; },
        [&](std::uint64_t at) { return std::string(1, static_cast<char>('a' + at % 7)); });
    for (std::uint64_t at = 0; at < n / 10; ++at)
      expect(text[at] == static_cast<char>('a' + at % 7), "texts out of order");
  }
}

/// The first piece of each thread waits until the other thread's has begun: both are inside of a loop then.
void meet(MPI_Comm comm, std::atomic<int>& begun) {
  omp_set_num_threads(1);
  bool has_come = false;
  mpi::for_each(comm, 8 * static_cast<std::uint64_t>(ranks_of(comm)), [&](std::uint64_t) {
    if (has_come) return;
    has_come = true;
    ++begun;
    while (begun < 2) std::this_thread::yield();
  });
  if (!has_come) ++begun; // all was stolen
}

/// Two threads of each rank have loops on two communicators at the same time. With a lower thread level the
/// second thread gets an error on all ranks, and the first one its loops.
void threads(int level) {
  MPI_Comm first = MPI_COMM_NULL, second = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  std::atomic<int> begun{0};
  std::string said = "nothing";
  std::thread other([&] {
    if (level == MPI_THREAD_MULTIPLE) return meet(second, begun), loops_on(second, 2);
    try {
      mpi::for_each(second, 100, [](std::uint64_t) {});
    } catch (const mpi::error& thrown) {
      said = thrown.what();
    }
  });
  if (level == MPI_THREAD_MULTIPLE) meet(first, begun);
  loops_on(first, 1);
  other.join();
  expect(level == MPI_THREAD_MULTIPLE || said.find("MPI_THREAD_MULTIPLE") != std::string::npos,
         "a second thread is told " + said);
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
}

} // namespace

/// In front of the MPI's own.
extern "C" {
int MPI_Iallgather(const void* from, int count, MPI_Datatype type, void* to, int to_count,
                   MPI_Datatype to_type, MPI_Comm comm, MPI_Request* request) {
  ++g_messages;
  return PMPI_Iallgather(from, count, type, to, to_count, to_type, comm, request);
}
int MPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  ++g_messages;
  return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}
int MPI_Iallgatherv(const void* from, int count, MPI_Datatype type, void* to, const int* counts,
                    const int* places, MPI_Datatype to_type, MPI_Comm comm, MPI_Request* request) {
  ++g_messages;
  return PMPI_Iallgatherv(from, count, type, to, counts, places, to_type, comm, request);
}
}

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  int level = 0;
  MPI_Init_thread(&argc, &argv,
                  name == "threads"      ? MPI_THREAD_MULTIPLE
                  : name == "serialized" ? MPI_THREAD_SERIALIZED
                                         : MPI_THREAD_FUNNELED,
                  &level);
  if (name == "suspended") suspended();
  if (name == "slowed") slowed();
  if (name == "seen") seen();
  if (name == "spawned") spawned(argv[0]);
  if (name == "brief") brief();
  if (name == "threads" || name == "serialized") threads(level);
  MPI_Finalize();
  return 0;
}
