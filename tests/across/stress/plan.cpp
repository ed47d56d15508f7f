// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan.h"

#include <algorithm>
#include <array>

namespace stress {
namespace {

using wstree::core::BatchMode;
using wstree::core::Strategy;

Settings draw_settings(Random& random) {
  Settings settings;
  settings.strategy = static_cast<Strategy>(random.below(6));
  settings.batch = static_cast<BatchMode>(random.below(4));
  settings.limit = random.coin() ? random.between(1, 4) : random.between(1, 64);
  if (random.coin()) settings.steal_cost = 0; // fight for every unit
  if (random.one_in(4)) settings.shortest_target = random.below(200);
  if (random.one_in(4)) settings.longest_target = settings.shortest_target + random.below(5'000);
  if (random.one_in(4)) settings.tail_batch = random.below(2'000);
  if (random.one_in(4)) settings.near_enough = random.below(20'000);
  settings.patience = ~std::uint64_t{0}; // members are held for as long as it takes
  settings.roots = random.one_in(3) ? 1 : 0;
  settings.clocked = random.coin();
  return settings;
}

std::uint64_t draw_iterations(Random& random, std::uint32_t members) {
  if (random.one_in(24)) return 0;
  switch (random.below(8)) {
  case 0:
  case 1:
    return random.between(1, 2ULL * members);
  case 2:
    return random.between(1, 400);
  case 3:
    if (random.one_in(12)) return random.between(1'000, 20'000);
    [[fallthrough]];
  default:
    return random.between(1, 100);
  }
}

Cost draw_cost(Random& random, std::uint64_t iterations) {
  return iterations <= 400 ? static_cast<Cost>(random.below(4)) : Cost::nothing;
}

LoopPlan draw_loop(Random& random, std::uint32_t members) {
  LoopPlan loop;
  loop.settings = draw_settings(random);
  loop.model = random.one_in(3) ? static_cast<Model>(random.below(wstree::core::k_model_count)) : Model::tree;
  loop.iterations = draw_iterations(random, members);
  const bool chunked = random.one_in(4);
  loop.chunk = chunked ? random.between(1, 9) : loop.model == Model::tree ? 1 : random.below(2);
  if (random.one_in(200)) {
    loop.iterations = random.between(1ULL << 27, (1ULL << random.between(28, 62)));
    loop.chunk = loop.iterations / random.between(50, 400);
  }
  loop.cost = draw_cost(random, loop.iterations);
  loop.cancelled = random.one_in(12);
  return loop;
}

const char* model_name(Model model) {
#define WSTREE_KIND_WORD(model, word, ...) #word,
  constexpr const char* k_names[] = {WSTREE_KINDS(WSTREE_KIND_WORD)};
#undef WSTREE_KIND_WORD
  return k_names[static_cast<std::size_t>(model)];
}

Weather draw_weather(Random& random, std::uint32_t members) {
  Weather weather;
  weather.yields = 2 + 100 / members;
  constexpr std::array<std::uint32_t, 6> k_gaps = {0, 3, 10, 30, 100, 400};
  weather.gap = k_gaps[random.below(k_gaps.size())];
  if (random.coin())
    weather.hot_tag = static_cast<int>(random.below(static_cast<std::size_t>(Tag::absent) + 1));
  if (random.one_in(12)) weather.refuse_one_in = static_cast<std::uint32_t>(random.between(1, 4));
  return weather;
}

void draw_leavers(Random& random, RegionPlan& plan) {
  plan.leaves_before.assign(plan.members, plan.loops.size());
  if (!random.one_in(8)) return;
  for (std::uint32_t m = 0; m < plan.members; ++m)
    if (m != plan.keeper && random.coin()) plan.leaves_before[m] = random.below(plan.loops.size() + 1);
}

/// What the library remembers, and sometimes what it does not.
void make_memorable(Random& random, LoopPlan& loop, bool history) {
  loop.settings.history = history;
  if (random.one_in(8)) return;
  loop.model = Model::tree;
  loop.chunk = std::max<std::uint64_t>(loop.chunk, 1);
  loop.settings.strategy = Strategy::find_max;
  loop.settings.batch = BatchMode::timed;
  loop.settings.roots = 0;
}

/// The first loops again and again, as in a region with the time steps inside.
void make_rounds(Random& random, RegionPlan& plan) {
  const std::uint64_t round = random.between(1, std::min<std::uint64_t>(plan.loops.size(), 6));
  plan.loops.resize(round);
  const std::uint64_t count = random.between(round, 120);
  for (std::uint64_t i = round; i < count; ++i) {
    plan.loops.push_back(plan.loops[i - round]);
    plan.loops.back().nests = false;
  }
}

} // namespace

std::string LoopPlan::text() const {
  return std::string(model_name(model)) + ", " + std::to_string(iterations) + " iterations, chunk " +
         std::to_string(chunk) + ", strategy " + std::to_string(static_cast<int>(settings.strategy)) +
         ", batch " + std::to_string(static_cast<int>(settings.batch)) + ":" +
         std::to_string(settings.limit) + ", roots " + std::to_string(settings.roots) +
         (settings.history ? "" : ", no history") + (cancelled ? ", cancelled" : "") +
         (nests ? ", nests" : "");
}

std::uint32_t RegionPlan::leavers(std::size_t loop) const {
  return static_cast<std::uint32_t>(
      std::count_if(leaves_before.begin(), leaves_before.end(), [=](std::size_t l) { return l <= loop; }));
}

TeamSizes draw_sizes(Random& random, std::uint32_t most_members) {
  TeamSizes sizes;
  switch (random.below(8)) {
  case 0:
    sizes = {2, 64};
    break;
  case 1:
    sizes = {8, 24};
    break;
  case 2:
  case 3:
    sizes = {2, 8};
    break;
  default:
    sizes = {2, 3};
  }
  return {std::min(sizes.least, most_members), std::min(sizes.most, most_members)};
}

RegionPlan draw_region(std::uint64_t seed, const TeamSizes& sizes, bool may_nest) {
  Random random(seed);
  RegionPlan plan;
  plan.seed = seed;
  plan.members = static_cast<std::uint32_t>(random.between(sizes.least, sizes.most));
  plan.keeper = static_cast<std::uint32_t>(random.below(plan.members));
  plan.together = plan.members <= 3 && random.coin();
  plan.near = random.one_in(4);
  const std::uint64_t count = random.one_in(10) ? random.between(20, 300) : random.between(1, 20);
  for (std::uint64_t i = 0; i < count; ++i) plan.loops.push_back(draw_loop(random, plan.members));
  draw_leavers(random, plan);
  if (may_nest && plan.members <= 4 && random.one_in(6))
    plan.loops[random.below(plan.loops.size())].nests = true;
  if (!random.one_in(3)) plan.weather = draw_weather(random, plan.members);
  return plan;
}

RegionPlan draw_remembered(std::uint64_t seed, const TeamSizes& sizes, bool may_nest) {
  RegionPlan plan = draw_region(seed, sizes, may_nest);
  Random random(round_seed(seed, 3, 0));
  plan.region = random.next() | 1;
  const bool history = !random.one_in(4);
  for (std::uint32_t i = 0; i < plan.loops.size(); ++i) {
    plan.loops[i].location = i;
    make_memorable(random, plan.loops[i], history);
  }
  if (random.coin()) make_rounds(random, plan);
  draw_leavers(random, plan);
  return plan;
}

RegionPlan draw_again(const RegionPlan& first, std::uint64_t seed) {
  RegionPlan plan = first;
  Random random(seed);
  plan.seed = seed;
  if (random.one_in(8)) plan.members = static_cast<std::uint32_t>(random.between(2, first.members));
  plan.keeper = static_cast<std::uint32_t>(random.below(plan.members));
  if (random.one_in(10)) plan.loops.resize(random.between(1, plan.loops.size()));
  if (random.one_in(8)) {
    LoopPlan& other = plan.loops[random.below(plan.loops.size())];
    if (!other.huge()) other.iterations = draw_iterations(random, plan.members);
  }
  const bool changed = random.one_in(4);
  for (LoopPlan& loop : plan.loops) {
    if (changed && random.coin()) loop.cost = draw_cost(random, loop.iterations);
    loop.cancelled = random.one_in(24);
  }
  draw_leavers(random, plan);
  plan.weather = random.one_in(3) ? Weather{} : draw_weather(random, plan.members);
  return plan;
}

} // namespace stress
