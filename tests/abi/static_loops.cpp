// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: WSTREE_LOOPS=static. Every iteration once, in one contiguous part of each member; the same parts
// for all loops of a region that have as many iterations; lastprivate; and that other static kinds stay as
// they are. Costs change all the time, so that the parts do.
//   --cut         the parts have to become unequal
//   --equal       the parts have to stay equal, because balancing is not asked for
#include "hits.h"
#include "kmpc_abi.h"
#include "omp_decls.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <type_traits>

namespace {

constexpr std::int32_t k_static = 34;

} // namespace

extern "C" void __kmpc_for_static_fini(kmpc::Ident*, std::int32_t);
#define STATIC_INIT(suffix, T, ST, ...)                                                                      \
  extern "C" void __kmpc_for_static_init_##suffix(kmpc::Ident*, std::int32_t, std::int32_t, std::int32_t*,   \
                                                  T*, T*, ST*, ST, ST);                                      \
  static void init(std::int32_t gtid, std::int32_t* last, T* lower, T* upper, ST step) {                     \
    static kmpc::Ident loc{__VA_ARGS__};                                                                     \
    ST stride = step;                                                                                        \
    __kmpc_for_static_init_##suffix(&loc, gtid, k_static, last, lower, upper, &stride, step, 1);             \
  }
STATIC_INIT(4, std::int32_t, std::int32_t, 0, 0x202)
STATIC_INIT(4u, std::uint32_t, std::int32_t)
STATIC_INIT(8, std::int64_t, std::int64_t, 0, 0x202)
STATIC_INIT(8u, std::uint64_t, std::int64_t, 0, 0x202)

namespace {

using check::Hits;

bool must_cut = false;
bool must_stay = false;
constexpr int k_team = 4;

unsigned long long ull(std::uint64_t value) { return value; } // to print it

std::size_t at(long i) { return static_cast<std::size_t>(i); }

/// What a member got of a loop, as numbers of iterations.
struct Part {
  std::uint64_t begin = 0, end = 0;
  bool last = false;
};

/// Takes part in `for (T i = first; n iterations; i += step)` as compiled code does.
/// `cost(k)`: of iteration k.
template <class T, class Cost>
Part walk(std::int32_t gtid, T first, std::int64_t step, std::uint64_t n, Cost&& cost) {
  using U = std::make_unsigned_t<T>;
  const auto stride = static_cast<U>(step);
  T lower = first;
  T upper = static_cast<T>(static_cast<U>(first) + static_cast<U>(n - 1) * stride);
  const T end = upper;
  std::int32_t last = 0;
  init(gtid, &last, &lower, &upper, static_cast<std::make_signed_t<T>>(step));
  if (step > 0 ? upper > end : upper < end) upper = end;
  Part part;
  part.last = last != 0;
  const auto number = [&](T value) {
    const U distance = step > 0 ? static_cast<U>(static_cast<U>(value) - static_cast<U>(first))
                                : static_cast<U>(static_cast<U>(first) - static_cast<U>(value));
    return static_cast<std::uint64_t>(distance) / static_cast<std::uint64_t>(step > 0 ? step : -step);
  };
  if (step > 0 ? lower <= upper : lower >= upper) {
    part.begin = number(lower);
    part.end = number(upper) + 1;
    if (n < 10'000) // of the others only the bounds are looked at
      for (std::uint64_t k = part.begin; k < part.end; ++k) cost(k);
    else
      cost(part.begin);
  } else {
    part.begin = part.end = n;
  }
  static kmpc::Ident loc;
  __kmpc_for_static_fini(&loc, gtid);
  return part;
}

/// Parts of one loop have to cover it once, and the one with the end has to know that.
void check_parts(const std::vector<Part>& parts, std::uint64_t n, const char* what) {
  std::vector<Part> order;
  for (const Part& part : parts) {
    if (part.begin != part.end) order.push_back(part);
    CHECK(part.last == (part.begin != part.end && part.end == n), "%s: last %d for %llu..%llu of %llu", what,
          part.last, ull(part.begin), ull(part.end), ull(n));
  }
  std::sort(order.begin(), order.end(), [](const Part& a, const Part& b) { return a.begin < b.begin; });
  std::uint64_t next = 0;
  for (const Part& part : order) {
    CHECK(part.begin == next, "%s: a part begins at %llu instead of %llu", what, ull(part.begin), ull(next));
    next = part.end;
  }
  CHECK(next == n, "%s: %llu of %llu", what, ull(next), ull(n));
}

bool are_equal(const std::vector<Part>& parts, std::uint64_t n) {
  return std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
    const std::uint64_t size = part.end - part.begin;
    return size == n / parts.size() || size == n / parts.size() + 1 || n < parts.size();
  });
}

/// Loops of all four types and both directions with `n` iterations in one region, again and again.
void one_number(std::uint64_t n, std::int64_t step, int regions) {
  constexpr int k_loops = 6;
  int unequal = 0;
  for (int region = 0; region < regions; ++region) {
    const int threads = region % 20 < 17 ? k_team : 1 + region % 5;
    std::vector<std::vector<Part>> parts(k_loops, std::vector<Part>(k_team + 1));
    int members = 0;
#pragma omp parallel num_threads(threads)
    {
      const auto me = static_cast<std::size_t>(omp_get_thread_num());
#pragma omp single
      members = omp_get_num_threads();
      kmpc::Ident loc;
      const std::int32_t gtid = kmpc::__kmpc_global_thread_num(&loc);
      const bool turned = region / 60 % 2 != 0;
      const auto cost = [&](std::uint64_t k) { check::spin((k < n / 2) == turned ? 200'000 / n : 10); };
      // libomp gives a member without a part the bounds behind the end, which has to exist.
      const int room = n < k_team + 1 ? 1 : 0;
      const auto low4 = std::numeric_limits<std::int32_t>::min() + room;
      const auto low8 = std::numeric_limits<std::int64_t>::min() + room;
      const auto high4 = std::numeric_limits<std::uint32_t>::max() - static_cast<unsigned>(room);
      const auto high8 = std::numeric_limits<std::uint64_t>::max() - static_cast<unsigned>(room);
      const auto last = static_cast<std::int64_t>((n - 1) * static_cast<std::uint64_t>(step));
      parts[0][me] = walk<std::int32_t>(gtid, low4, step, n, cost);
      parts[1][me] = walk<std::uint32_t>(gtid, high4, -step, n, cost);
      parts[2][me] = walk<std::int64_t>(gtid, low8, step, n, cost);
      parts[3][me] = walk<std::uint64_t>(gtid, high8 - static_cast<std::uint64_t>(last), step, n, cost);
      parts[4][me] = walk<std::int64_t>(gtid, low8 + last, -step, n, cost);
      parts[5][me] = walk<std::uint32_t>(gtid, 1, step, n, cost);
    }
    for (auto& each : parts) {
      each.resize(static_cast<std::size_t>(members));
      check_parts(each, n, "loop");
    }
    for (const auto& each : parts)
      for (std::size_t m = 0; m < each.size(); ++m)
        CHECK(each[m].begin == parts[0][m].begin && each[m].end == parts[0][m].end,
              "member %zu of %d, region %d, n %llu: other iterations than in the loop before", m, members,
              region, ull(n));
    if (!are_equal(parts[0], n)) ++unequal;
  }
  CHECK(!must_stay || unequal == 0, "the parts of %llu iterations were unequal in %d regions", ull(n),
        unequal);
  if (must_cut && n >= 16 && n < 10'000)
    CHECK(unequal > 0, "the parts of %llu iterations stayed equal in %d regions", ull(n), regions);
}

void types_and_edges() {
  for (const std::uint64_t n : {1ull, 2ull, 3ull, 4ull, 5ull, 7ull, 16ull, 61ull, 1'000ull})
    for (const std::int64_t step : {1, 3}) one_number(n, step, check::repeat(n >= 16 ? 200 : 40, 1'000));
  one_number((std::uint64_t{1} << 32) - 1, 1, check::repeat(40, 400));
  one_number((std::uint64_t{1} << 30) - 1, 4, check::repeat(40, 400));
}

void same_assignment() {
  constexpr int k_n = 96;
  std::vector<int> owner(k_n), value(k_n), mine(k_n);
  const int regions = check::repeat(4'000, 100'000);
  for (int region = 0; region < regions; ++region) {
    const int threads = region % 50 < 45 ? k_team : 2 + region % 3;
    const bool turned = region / 700 % 2 != 0;
    int wrong = 0;
    int last = -1;
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
    {
      const int me = omp_get_thread_num();
#pragma omp for nowait
      for (int i = 0; i < k_n; ++i) {
        owner[at(i)] = me;
        value[at(i)] = region + i;
        check::spin((i < k_n / 2) == turned ? 3'000 : 10);
      }
      // No barrier: these are the member's own.
#pragma omp for nowait
      for (long i = k_n - 1; i >= 0; --i) {
        // Logical iteration k is the one that counts, also where the variable goes down.
        mine[static_cast<std::size_t>(k_n - 1 - i)] = me;
      }
#pragma omp for schedule(static) nowait
      for (unsigned long i = 7; i < 7 + k_n; ++i) {
        const std::size_t k = i - 7;
        if (owner[k] != me || mine[k] != me || value[k] != region + static_cast<int>(k)) ++wrong;
      }
#pragma omp for lastprivate(last)
      for (short i = 0; i < k_n; ++i) {
        last = i;
        if (owner[at(i)] != me) ++wrong;
      }
    }
    CHECK(wrong == 0, "region %d: %d iterations went to another member than in the loop before", region,
          wrong);
    CHECK(last == k_n - 1, "region %d: lastprivate %d", region, last);
  }
}

/// Loops that the runtime cuts, with as many iterations as one that we could:
/// they have to get the same parts.
void static_loops_of_the_runtime() {
  constexpr int k_n = 96;
  std::vector<int> owner(k_n);
  for (int region = 0; region < check::repeat(400, 5'000); ++region) {
    int ordered = 0, dependent = 0;
#pragma omp parallel num_threads(k_team) reduction(+ : ordered, dependent)
    {
      const int me = omp_get_thread_num();
#pragma omp for nowait
      for (int i = 0; i < k_n; ++i) {
        owner[at(i)] = me;
        check::spin(i < k_n / 2 ? 3'000 : 10);
      }
#pragma omp for ordered nowait
      for (int i = 0; i < k_n; ++i)
        if (owner[at(i)] != me) ++ordered;
#pragma omp barrier
#pragma omp for nowait
      for (int i = 1; i < k_n; ++i) {
        owner[at(i)] = me;
        check::spin(i < k_n / 2 ? 3'000 : 10);
      }
#pragma omp for ordered(1) schedule(static) nowait
      for (int i = 1; i < k_n; ++i) {
        if (owner[at(i)] != me) ++dependent;
#pragma omp ordered depend(sink : i - 1)
#pragma omp ordered depend(source)
      }
    }
    CHECK(ordered == 0 && dependent == 0, "region %d: %d iterations of an ordered, %d of a doacross loop",
          region, ordered, dependent);
  }
}

void other_kinds() {
  constexpr int k_n = 100;
  for (int region = 0; region < check::repeat(150, 2'000); ++region) {
    std::vector<int> chunked(k_n);
    Hits teams(k_n);
    int members = 0;
#pragma omp parallel num_threads(k_team)
    {
#pragma omp single
      members = omp_get_num_threads();
#pragma omp for schedule(static, 3)
      for (int i = 0; i < k_n; ++i) {
        chunked[at(i)] = omp_get_thread_num();
        check::spin(static_cast<unsigned>(i) * 10);
      }
    }
    for (int i = 0; i < k_n; ++i) CHECK(chunked[at(i)] == i / 3 % members, "static,3: iteration %d", i);
    // Equal parts of equal parts, whatever they cost.
    std::vector<int> sizes(64);
#pragma omp teams distribute parallel for num_teams(2) thread_limit(2)
    for (int i = 0; i < k_n; ++i) {
      teams.touch(i);
      __atomic_fetch_add(&sizes[static_cast<std::size_t>(omp_get_team_num() * 8 + omp_get_thread_num())], 1,
                         __ATOMIC_RELAXED);
      check::spin(static_cast<unsigned>(i) * 20);
    }
    teams.must_be_one_each("teams distribute parallel for");
    int least = k_n, most = 0;
    for (const int size : sizes)
      if (size != 0) {
        least = std::min(least, size);
        most = std::max(most, size);
      }
    CHECK(most - least <= 1, "distribute: parts of %d to %d iterations", least, most);
  }
}

/// A region with uneven loops in it; inside of others, and on several roots, it meets itself.
void uneven_region(int n, bool turned) {
  std::vector<int> owner(static_cast<std::size_t>(n), -1);
  int wrong = 0;
#pragma omp parallel num_threads(2) reduction(+ : wrong)
  {
    const int me = omp_get_thread_num();
#pragma omp for nowait
    for (int i = 0; i < n; ++i) {
      if (__atomic_exchange_n(&owner[at(i)], me, __ATOMIC_RELAXED) != -1) ++wrong;
      check::spin((i < n / 2) == turned ? 4'000 : 10);
    }
#pragma omp for
    for (int i = 0; i < n; ++i)
      if (owner[at(i)] != me) ++wrong;
  }
  CHECK(wrong == 0 && std::count(owner.begin(), owner.end(), -1) == 0, "%d of %d iterations are wrong", wrong,
        n);
}

void nested_and_roots() {
  for (const int levels : {2, 1}) { // inside of others, or serialised there
    omp_set_max_active_levels(levels);
    for (int round = 0; round < check::repeat(levels == 2 ? 150 : 50, levels == 2 ? 3'000 : 500); ++round) {
#pragma omp parallel for num_threads(2)
      for (int i = 0; i < 4; ++i) uneven_region(40 + i % 2, round / 40 % 2 != 0);
    }
  }
  std::vector<std::thread> roots;
  for (int r = 0; r < 2; ++r)
    roots.emplace_back([r] {
      for (int round = 0; round < check::repeat(200, 3'000); ++round)
        uneven_region(40 + r, round / 30 % 2 != 0);
    });
  for (auto& root : roots) root.join();
}

void cancelled() {
  if (omp_get_cancellation() == 0) return;
  constexpr int k_n = 200;
  for (int round = 0; round < check::repeat(200, 3'000); ++round) {
    Hits hits(k_n), after(k_n);
#pragma omp parallel num_threads(k_team)
    {
#pragma omp for
      for (int i = 0; i < k_n; ++i) {
        hits.touch(i);
        check::spin(static_cast<unsigned>(i) * 60);
        if (round % 3 == 0 && i == k_n / 3) {
#pragma omp cancel for
        }
#pragma omp cancellation point for
      }
#pragma omp for
      for (int i = 0; i < k_n; ++i) after.touch(i);
    }
    if (round % 3 != 0) hits.must_be_one_each("no cancelled loop");
    for (std::size_t i = 0; i < k_n; ++i) CHECK(hits[i] <= 1, "iteration %zu ran twice", i);
    after.must_be_one_each("the loop after a cancelled one");
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  must_cut = check::flag(argc, argv, "--cut");
  must_stay = check::flag(argc, argv, "--equal");
  return check::run(argc, argv,
                    {CASE(types_and_edges), CASE(same_assignment), CASE(static_loops_of_the_runtime),
                     CASE(other_kinds), CASE(nested_and_roots), CASE(cancelled)});
}
