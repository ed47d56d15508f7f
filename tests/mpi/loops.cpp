// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// loops COUNT [remote|random]: so many random loops on all ranks, each checked against a sequential reading.
// `remote`: by the operations of MPI, as if each rank had a node of its own. `random`: without the loops of
// many iterations. Valgrind needs a millisecond for a piece of one unit, and other programs make all pieces
// that short.
#include "checks.h"
#include "seed.h"

#include <wstree/mpi.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace wstree::test;
namespace mpi = wstree::mpi;

const MPI_Comm k_world = MPI_COMM_WORLD;

std::uint64_t g_gathered = 0; // bytes of the values of all ranks

/// What an iteration of a random loop costs.
struct Costs {
  explicit Costs(Random& random, std::uint64_t n)
      : steps(1 + random.below(2000)), dear(n != 0 ? random.below(n) : 0),
        width(1 + random.below(n / 4 + 1)) {}
  std::uint64_t steps, dear, width;
  void pay(std::uint64_t i) const {
    work(i >= dear && i < dear + width ? 50 * steps / (width / 8 + 1) : steps / 64);
  }
};

std::uint64_t size_of(Random& random) {
  switch (random.below(4)) {
  case 0:
    return random.below(4);
  case 1:
    return random.below(64);
  default:
    return random.below(3000);
  }
}

/// MPI_Allreduce, without its keeping the processor busy: there are more ranks than processors.
void combine(std::vector<std::uint8_t>& numbers, MPI_Op op) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_UINT8_T, op, k_world,
                 &request);
  mpi::detail::wait_for(request);
}

void each_once(const mpi::on& on, std::uint64_t n, const Costs& costs, bool in_chunks) {
  std::vector<std::uint8_t> hits(n + 1);
  if (in_chunks)
    mpi::for_each_chunk(on, n, [&](std::uint64_t begin, std::uint64_t end) {
      expect(begin < end && end <= n, "a chunk that is none");
      for (; begin < end; ++begin) ++hits[begin], costs.pay(begin);
    });
  else
    mpi::for_each(on, n, [&](std::uint64_t i) { ++hits[i], costs.pay(i); });
  combine(hits, MPI_SUM);
  for (std::uint64_t i = 0; i < n; ++i)
    expect(hits[i] == 1, "iteration " + std::to_string(i) + " of " + std::to_string(n) + " ran " +
                             std::to_string(hits[i]) + " times");
}

/// x -> a x + b modulo 2^64: composition is associative, not commutative.
struct Affine {
  Affine(std::uint64_t factor, std::uint64_t summand) : a(factor), b(summand) {} // and no default
  std::uint64_t a, b;
  friend Affine operator*(Affine f, Affine g) { return {g.a * f.a, g.a * f.b + g.b}; }
  bool operator==(const Affine&) const = default;
};
Affine step_of(std::uint64_t i) { return {2 * i + 3, i * i + 1}; }

void in_order(const mpi::on& on, std::uint64_t n, const Costs& costs, int root) {
  Affine expected(1, 0);
  for (std::uint64_t i = 0; i < n; ++i) expected = expected * step_of(i);
  const bool is_here = root < 0 || root == rank_of();
  const Affine folded = mpi::fold(
      on.root(root), n, Affine(1, 0),
      [&](Affine& f, std::uint64_t begin, std::uint64_t end) {
        for (; begin < end; ++begin) f = f * step_of(begin), costs.pay(begin);
      },
      [](Affine f, Affine g) { return f * g; });
  expect(folded == (is_here ? expected : Affine(1, 0)), "a fold of " + std::to_string(n) + " out of order");
  const Affine reduced = mpi::reduce(
      on, n, Affine(1, 0), [](Affine f, Affine g) { return f * g; },
      [&](std::uint64_t i) {
        costs.pay(i);
        return step_of(i);
      });
  expect(reduced == expected, "a reduction of " + std::to_string(n) + " out of order");
}

void texts_in_order(const mpi::on& on, std::uint64_t n, const Costs& costs) {
  std::string expected = ">";
  for (std::uint64_t i = 0; i < n; ++i) expected += std::to_string(i) + ";";
  const std::string text = mpi::reduce(
      on, n, std::string(">"), [](std::string a, const std::string& b) { return std::move(a) + b; },
      [&](std::uint64_t i) {
        costs.pay(i);
        return std::to_string(i) + ";";
      });
  expect(text == expected, "texts out of order");
}

void same_bits(const mpi::on& on, std::uint64_t n, const Costs& costs) {
  const auto get = [](std::uint64_t i) {
    return (i % 7 == 3 ? -1.0 : 1.0) / static_cast<double>(i * i % 1021 + 1);
  };
  std::vector<double> values(n);
  for (std::uint64_t i = 0; i < n; ++i) values[i] = get(i);
  const auto dear = [&](std::uint64_t i) {
    costs.pay(i);
    return get(i);
  };
  for (const bool are_dear : {false, true})
    expect((are_dear ? mpi::sum(on, n, dear) : mpi::sum(on, n, get)) == wstree::sum(values),
           "a sum of " + std::to_string(n) + " has other bits");
  const auto whole = mpi::sum(on, n, [](std::uint64_t i) { return static_cast<std::uint32_t>(i); });
  expect(whole == static_cast<std::uint32_t>(n * (n - 1) / 2), "a sum of integers");
}

void first_hit(const mpi::on& on, std::uint64_t n, const Costs& costs, Random& random) {
  const std::uint64_t hit = random.below(n + 2), step = 1 + random.below(3);
  const auto found = mpi::find_first(on, n, [&](std::uint64_t i) {
    costs.pay(i);
    return i >= hit && (i - hit) % step == 0;
  });
  expect(found == std::min(hit, n), "found " + std::to_string(found) + " instead of " + std::to_string(hit));
}

void at_most_once(std::vector<std::uint8_t>& hits) {
  combine(hits, MPI_SUM);
  expect(*std::max_element(hits.begin(), hits.end()) <= 1, "a loop that has thrown ran an iteration again");
}

void first_exception(const mpi::on& on, std::uint64_t n, const Costs& costs, Random& random) {
  if (n == 0) return;
  const std::uint64_t bad = random.below(n), other = random.below(n);
  std::int64_t caught = -1;
  std::vector<std::uint8_t> hits(n);
  try {
    mpi::for_each(on, n, [&](std::uint64_t i) {
      ++hits[i], costs.pay(i);
      if (i == bad || i == other) throw std::out_of_range(std::to_string(i));
    });
  } catch (const std::out_of_range& thrown) {
    caught = std::stoll(thrown.what());
  } catch (const mpi::remote_exception& thrown) {
    caught = std::stoll(thrown.what());
    expect(thrown.rank() != rank_of() && thrown.iteration() == static_cast<std::uint64_t>(caught),
           "a wrong origin");
  }
  expect(caught == static_cast<std::int64_t>(bad) || caught == static_cast<std::int64_t>(other),
         "no exception");
  std::vector<std::uint8_t> most{static_cast<std::uint8_t>(caught), static_cast<std::uint8_t>(caught >> 8)};
  const auto mine = most;
  combine(most, MPI_MAX);
  expect(most == mine, "different exceptions on different ranks");
  at_most_once(hits);
}

/// Each third of the elements from `bad` on throws.
void exception_in_search(const mpi::on& on, std::uint64_t n, Random& random) {
  if (n == 0) return;
  const std::uint64_t bad = random.below(n);
  std::vector<std::uint8_t> hits(n);
  std::string caught;
  try {
    mpi::find_first(on, n, [&](std::uint64_t i) {
      ++hits[i];
      if (i >= bad && (i - bad) % 3 == 0) throw std::out_of_range(std::to_string(i));
      return false;
    });
  } catch (const mpi::remote_exception& thrown) {
    caught = thrown.what();
    expect(thrown.iteration() == bad, "a search threw at " + std::to_string(thrown.iteration()));
  } catch (const std::out_of_range& thrown) {
    caught = thrown.what();
  }
  expect(caught == std::to_string(bad), "a search threw '" + caught + "', not " + std::to_string(bad));
  at_most_once(hits);
}

struct Token {
  std::atomic<bool>* flag;
  bool stop_requested() const { return flag->load(); }
};

void stopped(const mpi::on& on, std::uint64_t n, const Costs& costs, Random& random) {
  if (n == 0) return;
  const std::uint64_t at = random.below(n);
  std::atomic<bool> flag{false};
  std::vector<std::uint8_t> hits(n);
  bool was_cancelled = false;
  try {
    mpi::for_each(on.stop(Token{&flag}), n, [&](std::uint64_t i) {
      ++hits[i], costs.pay(i);
      if (i == at) flag = true;
    });
  } catch (const wstree::cancelled&) {
    was_cancelled = true;
  }
  combine(hits, MPI_SUM);
  const auto most = *std::max_element(hits.begin(), hits.end()),
             least = *std::min_element(hits.begin(), hits.end());
  expect(most == 1 && (least == 0) == was_cancelled, "a loop that was stopped says the wrong thing");
}

void replicated_or_fetched(const mpi::on& on, std::uint64_t n, const Costs& costs) {
  std::vector<std::uint8_t> is_here(n);
  const auto ranks = static_cast<std::uint64_t>(ranks_of()), rank = static_cast<std::uint64_t>(rank_of());
  for (std::uint64_t i = n * rank / ranks; i < n * (rank + 1) / ranks; ++i) is_here[i] = 1;
  const auto fetch = [&](std::uint64_t begin, std::uint64_t end) {
    for (; begin < end; ++begin) is_here[begin] = 1;
  };
  mpi::for_each(on.on_steal(fetch), n, [&](std::uint64_t i) {
    expect(is_here[i] == 1, "an iteration before its data");
    costs.pay(i);
  });
}

/// Sums of blocks travel, and not values.
void few_bytes() {
  constexpr std::uint64_t k_values = 1'000'000, k_most = 2'000'000;
  g_gathered = 0;
  mpi::sum(k_world, k_values, [](std::uint64_t i) { return 1.0 / static_cast<double>(i + 1); });
  expect(g_gathered < k_most, "ranks send each other " + std::to_string(g_gathered) + " bytes");
}

/// More iterations than units.
void large() {
  constexpr std::uint64_t k_iterations = (std::uint64_t{1} << 40) + 12'345;
  const std::uint64_t all = mpi::fold(
      k_world, k_iterations, std::uint64_t{0},
      [&](std::uint64_t sum, std::uint64_t begin, std::uint64_t end) {
        return sum + (end - begin) * (begin + end - 1);
      },
      [](std::uint64_t a, std::uint64_t b) { return a + b; });
  expect(all == k_iterations * (k_iterations - 1), "iterations of a large loop are lost");
}

void one(Random& random, mpi::costs& remembered, std::uint64_t number) {
  const std::uint64_t n = size_of(random);
  const Costs costs(random, n);
  static const double k_weights[] = {1, 0, 3, 0.5, -2};
  mpi::on on(k_world);
  if (random.below(3) == 0) on = on.chunk(1 + random.below(8));
  if (random.below(3) == 0) on = on.weights(std::span(k_weights, 1 + random.below(5)));
  if (random.below(4) == 0) on = on.label("random");
  if (random.below(4) == 0)
    work(random.below(20000) * static_cast<std::uint64_t>(rank_of())); // a rank that is late
  switch (random.below(10)) {
  case 0:
  case 1:
    return each_once(on, n, costs, false);
  case 2:
    return each_once(on, n, costs, true);
  case 3:
    return in_order(on, n, costs, static_cast<int>(random.below(2)) - 1);
  case 4:
    return texts_in_order(on, n / 16, costs);
  case 5:
    return same_bits(on, number % 512 == 7 ? (1 << 20) + random.below(10000) : n << random.below(5), costs);
  case 6:
    return random.below(2) == 0 ? first_hit(on, n, costs, random) : exception_in_search(on, 4 * n, random);
  case 7:
    return first_exception(on, n, costs, random);
  case 8:
    return random.below(2) == 0 ? stopped(on, n, costs, random)
                                : each_once(on.remember(remembered), n, costs, true);
  default:
    return replicated_or_fetched(mpi::on(k_world), n, costs);
  }
}

} // namespace

/// In front of the MPI's own.
extern "C" int MPI_Iallgatherv(const void* from, int count, MPI_Datatype type, void* to, const int* counts,
                               const int* places, MPI_Datatype to_type, MPI_Comm comm, MPI_Request* request) {
  for (int r = 0; r < ranks_of(comm); ++r) g_gathered += static_cast<std::uint64_t>(counts[r]);
  return PMPI_Iallgatherv(from, count, type, to, counts, places, to_type, comm, request);
}

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  const std::uint64_t count = argc > 1 ? std::stoull(argv[1]) : 100;
  const std::string how = argc > 2 ? argv[2] : "";
  mpi::detail::g_shares_words = how != "remote";
  std::uint64_t seed = rank_of() == 0 ? wstree::test::seed() : 0;
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, k_world);
  Random random(seed);
  mpi::costs remembered;
  if (how != "random") large(), few_bytes();
  for (std::uint64_t i = 0; i < count; ++i) one(random, remembered, i);
  if (rank_of() == 0)
    std::printf("%llu loops on %d ranks of %d threads\n", static_cast<unsigned long long>(count), ranks_of(),
                omp_get_max_threads());
  MPI_Finalize();
  return 0;
}
