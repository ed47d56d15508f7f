// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: bounds at the edge of the type, trip counts, strides, chunk arguments, both code forms of
// schedule(runtime). A table of types x strides x places in the type's range x trip counts x team sizes,
// driven through the runtime's loop entries. --long takes all team sizes up to eight, and the product with
// all kinds; otherwise those rotate.
#include "loop_oracle.h"

using namespace oracle;

namespace {

constexpr int k_largest_team = 8;
constexpr std::size_t k_loops_per_region = 256;

enum class Place { low, middle, high };

/// A loop of exactly `count` iterations at one end of the type or around its middle; `slack` moves the
/// inclusive limit as far beyond the last iteration as stride and type allow.
/// Returns false if it does not fit into the type.
bool place_loop(Type type, Wide stride, Wide count, Place place, bool slack, Loop& loop) {
  const Wide low = lowest(type), high = highest(type), step = stride > 0 ? stride : -stride;
  const Wide extent = count == 0 ? 0 : (count - 1) * step;
  if (extent > high - low) return false;
  Wide first = place == Place::low ? low : high - extent;
  if (place == Place::middle) first = low + (high - low) / 2 + 1 - extent / 2;
  const Wide last = first + extent;
  loop.type = type;
  loop.stride = stride;
  loop.lower = stride > 0 ? first : last;
  loop.upper = stride > 0 ? last : first;
  if (count == 0) {
    // Empty: the limit lies before the start, by one or, with slack, by the whole type.
    loop.lower = stride > 0 ? (slack || first == low ? high : first) : (slack || first == high ? low : first);
    loop.upper = stride > 0 ? (slack ? low : loop.lower - 1) : (slack ? high : loop.lower + 1);
  } else if (slack) {
    const Wide room = stride > 0 ? high - loop.upper : loop.upper - low;
    const Wide move = std::min(room, step - 1);
    loop.upper += stride > 0 ? move : -move;
  }
  return trips(loop) == count;
}

std::vector<Wide> strides_of(Type type) {
  const Wide low = lowest_stride(type), high = highest_stride(type);
  return {1, -1, 3, -3, high / 5, -(high / 5), high, low};
}

std::vector<Wide> chunks_of(Type type) { return {1, 0, 7, -1, highest_stride(type), lowest_stride(type)}; }

std::vector<Loop> table(Type type, int team) {
  std::vector<Loop> loops;
  std::size_t turn = static_cast<std::size_t>(team);
  const Wide counts[] = {0, 1, team - 1, team, team + 1, 1000};
  for (const Wide stride : strides_of(type))
    for (const Wide count : counts)
      for (const Place place : {Place::low, Place::middle, Place::high})
        for (const bool slack : {false, true}) {
          Loop loop;
          if (!place_loop(type, stride, count, place, slack, loop)) continue;
          const std::vector<Wide> chunks = chunks_of(type);
          for (std::size_t c = 0; c < chunks.size(); ++c)
            for (std::size_t k = 0; k < std::size(abi::k_kinds); ++k) {
              if (!check::settings.thorough && k != (turn + c) % std::size(abi::k_kinds)) continue;
              loop.chunk = chunks[c];
              loop.schedule = abi::k_kinds[k];
              loops.push_back(loop);
            }
          ++turn;
        }
  return loops;
}

void run_in_regions(const std::vector<Loop>& loops, Manner manner) {
  for (std::size_t at = 0; at < loops.size(); at += k_loops_per_region) {
    const auto from = loops.begin() + static_cast<std::ptrdiff_t>(at);
    const auto to =
        loops.begin() + static_cast<std::ptrdiff_t>(std::min(at + k_loops_per_region, loops.size()));
    ++manner.seed;
    run_region(std::vector<Loop>(from, to), manner);
  }
}

void edges_of_the_type() {
  for (const Type type : k_types)
    for (int team = 1; team <= k_largest_team; ++team) {
      if (!check::settings.thorough && team > 3 && team != 5 && team != k_largest_team) continue;
      Manner manner;
      manner.team = team;
      manner.seed = check::settings.seed;
      run_in_regions(table(type, team), manner);
    }
}

void million_iterations() {
  for (const int team : {1, 2, 4, 8})
    for (const Type type : k_types) {
      Manner manner;
      manner.team = team;
      manner.seed = check::settings.seed;
      manner.jitter = 1023;
      std::vector<Loop> loops;
      for (const Wide stride : {Wide{1}, Wide{-3}}) {
        Loop loop;
        CHECK(place_loop(type, stride, 1'000'000, stride > 0 ? Place::low : Place::high, true, loop), "%s",
              describe(loop, team).c_str());
        loops.push_back(loop);
      }
      run_region(loops, manner);
      if (!check::settings.thorough) break;
    }
}

void few_dear_iterations() {
  // Iterations of some microseconds, getting dearer or cheaper: here it can pay to start the last one early,
  // and then its thread has to stay out of the rest of the loop while the others still find all of that.
  for (int round = 0; round < check::repeat(20, 400); ++round)
    for (const int team : {2, 3, 4}) {
      Manner manner;
      manner.team = team;
      manner.seed = check::settings.seed + static_cast<std::uint64_t>(round);
      manner.body_ns = round % 2 == 0 ? 30'000 : 3'000;
      manner.rising = round % 3 != 0;
      std::vector<Loop> loops;
      for (const int count : {2, 3, 4, 5, 7, 12, 30}) loops.push_back(Loop{Type::i32, 0, count - 1, 1});
      run_region(loops, manner);
    }
}

void zero_trips_as_fortran_asks() {
  // Fortran compilers do not test for an empty loop before they call: lower 1, upper 0, both unsigned.
  Manner manner;
  manner.seed = check::settings.seed;
  for (int team = 1; team <= k_largest_team; ++team) {
    manner.team = team;
    run_region(std::vector<Loop>(40, Loop{Type::u32, 1, 0, 1, 0, abi::k_kinds[2]}), manner);
    run_region(std::vector<Loop>(40, Loop{Type::u64, 1, 0, 1}), manner);
  }
}

} // namespace

int main(int argc, char** argv) {
  // Leaving a loop early is the library's promise; libomp itself hangs after it, so a run of bare libomp
  // skips this. GCC's runtime can do it too.
#ifdef __clang__
  const bool bare = check::flag(argc, argv, "--bare");
#else
  const bool bare = false;
#endif
  omp_set_dynamic(0);
  if (bare)
    return check::run(argc, argv,
                      {{"edges_of_the_type", edges_of_the_type},
                       {"million_iterations", million_iterations},
                       {"zero_trips_as_fortran_asks", zero_trips_as_fortran_asks}});
  return check::run(argc, argv,
                    {{"edges_of_the_type", edges_of_the_type},
                     {"million_iterations", million_iterations},
                     {"few_dear_iterations", few_dear_iterations},
                     {"zero_trips_as_fortran_asks", zero_trips_as_fortran_asks}});
}
