// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sequence.h"

#include <algorithm>
#include <array>
#include <utility>

namespace wstree::round {
namespace {

using core::BatchMode;
using core::Settings;
using core::Strategy;

constexpr std::uint32_t k_most_members = 8;

std::uint32_t number(Random& random, std::uint64_t least, std::uint64_t most) {
  return static_cast<std::uint32_t>(random.between(least, most));
}

Settings draw_settings(Random& random, bool plain) {
  Settings settings;
  settings.clocked = random.one_in(3);
  settings.history = !random.one_in(4);
  settings.patience = ~std::uint64_t{0} >> 1; // on a busy machine a member waits long for its slot
  if (plain) return settings;
  settings.strategy = static_cast<Strategy>(random.below(6));
  settings.batch = static_cast<BatchMode>(random.below(4));
  settings.limit = random.between(1, 9);
  if (random.coin()) settings.steal_cost = 0;
  settings.roots = random.one_in(6) ? 1 : 0;
  settings.scan_all = random.one_in(4) ? 2 : 16; // the board, in teams that have no other use for it
  return settings;
}

/// What the drawing of the parts of one sequence depends on.
struct Style {
  std::uint32_t members = 2;
  bool sizes_change = false;
  Model model = Model::tree;
  bool models_change = false;
  std::uint32_t settings = 1; ///< how many there are

  std::uint32_t draw_members(Random& random) const {
    return sizes_change && random.coin() ? number(random, 1, k_most_members) : members;
  }
};

std::uint32_t draw_iterations(Random& random, std::uint32_t members, bool many) {
  if (many) return random.one_in(3) ? number(random, members, 12 + members) : number(random, 20, 300);
  switch (random.below(8)) {
  case 0:
    return random.one_in(3) ? 0 : 1;
  case 1:
  case 2:
    return number(random, 1, members);
  case 3:
    return members + number(random, 0, 2);
  case 4:
    return random.one_in(8) ? number(random, 20, 200) : number(random, 8, 24);
  default:
    return number(random, 1, 8);
  }
}

Region draw_region(Random& random, const Style& style, std::uint32_t loops, bool many) {
  Region region;
  region.members = style.draw_members(random);
  Loop same;
  same.iterations = draw_iterations(random, region.members, many);
  const bool all_alike = random.coin();
  for (std::uint32_t l = 0; l < loops; ++l) {
    Loop loop = same;
    if (!all_alike) loop.iterations = draw_iterations(random, region.members, many && random.coin());
    loop.model = style.models_change && random.coin() ? static_cast<Model>(random.below(core::k_model_count))
                                                      : style.model;
    loop.settings = number(random, 0, style.settings - 1);
    loop.chunk = random.one_in(4)            ? number(random, 1, 4)
                 : loop.model == Model::tree ? 1
                                             : number(random, 0, 1);
    constexpr std::array<std::uint32_t, 4> k_costs = {0, 3, 60, 4'000};
    loop.cost = k_costs[random.below(loop.iterations > 24 ? k_costs.size() - 1 : k_costs.size())];
    region.loops.push_back(loop);
  }
  return region;
}

/// Exponents that matter today, of the marks in words, are drawn more often.
std::uint64_t draw_exponent(Random& random) {
  if (random.one_in(3)) return 8;
  if (random.one_in(16)) return random.between(9, 10);
  if (random.one_in(300)) return 14;
  return random.between(1, 8);
}

/// Regions that leave some slots out, the same ones each time.
void draw_uneven_regions(Random& random, const Style& style, Sequence& sequence, bool many) {
  const std::uint32_t longest = (sequence.ring / 2) << random.below(3);
  const std::uint32_t longer = std::max(longest, 2U);
  sequence.repeated.push_back(draw_region(random, style, longer, many));
  sequence.repeated.push_back(draw_region(random, style, number(random, 1, longer - 1), many));
}

/// A region that goes round by itself: loops in which all members have a part, then loops that leave the
/// roots of the slots alone for a few uses, then the first ones again.
Region draw_idle_region(Random& random, const Style& style, std::uint32_t ring) {
  Region region = draw_region(random, style, ring, false);
  for (Loop& loop : region.loops) loop.iterations = number(random, 2 * region.members, 6 * region.members);
  const std::vector<Loop> busy = region.loops;
  const std::uint64_t uses = (2ULL << random.below(4)) + random.below(3) - 1;
  Loop idle;
  idle.model = random.coin() ? style.model : static_cast<Model>(random.below(core::k_model_count));
  for (std::uint64_t l = (uses - 1) * ring; l > 0; --l) region.loops.push_back(idle);
  region.loops.insert(region.loops.end(), busy.begin(), busy.end());
  return region;
}

void let_ring_end(Random& random, Sequence& sequence) {
  sequence.impatient = true;
  for (Settings& each : sequence.settings) each.patience = random.below(20'000);
}

const char* name_of(Model model) {
#define WSTREE_KIND_WORD(model, word, ...) #word,
  constexpr const char* k_names[] = {WSTREE_KINDS(WSTREE_KIND_WORD)};
#undef WSTREE_KIND_WORD
  return k_names[static_cast<std::size_t>(model)];
}

std::string text_of(const std::vector<Region>& regions) {
  std::string text;
  for (const Region& region : regions) {
    text += (text.empty() ? "[" : " [") + std::to_string(region.members) + " members:";
    std::string before;
    std::uint32_t times = 0;
    const auto flush = [&] {
      if (times == 0) return;
      text += " " + before + (times > 1 ? " x" + std::to_string(times) : std::string());
    };
    for (const Loop& loop : region.loops) {
      std::string now = std::to_string(loop.iterations) + " " + name_of(loop.model);
      if (loop.chunk != 1) now += "," + std::to_string(loop.chunk);
      if (loop.settings != 0) now += " s" + std::to_string(loop.settings);
      if (loop.cost != 0) now += " of " + std::to_string(loop.cost);
      if (now != before) {
        flush();
        before = now;
        times = 0;
      }
      ++times;
    }
    flush();
    text += "]";
  }
  return text;
}

} // namespace

std::string Sequence::text() const {
  std::string text = "ring of " + std::to_string(ring) + "; " + text_of(repeated) + " ";
  if (periods != 0)
    text += std::to_string(periods) + " times";
  else
    text += "until " + std::to_string(uses) + " uses of the slots" + (fills ? " exactly" : "");
  text += ", then " + text_of(last) + "; " + std::to_string(laps) + " laps";
  constexpr std::array<const char*, k_turns> k_names = {"any", "bursts", "one ahead", "one late",
                                                        "one by one"};
  text += std::string("; turns: ") + k_names[static_cast<std::size_t>(turns)];
  if (leavers) text += "; leavers";
  if (cancels) text += "; cancels";
  if (neighbours) text += "; neighbours";
  if (impatient) text += "; impatient";
  for (std::size_t s = 0; s < settings.size(); ++s) {
    const Settings& each = settings[s];
    text += "; s" + std::to_string(s) + ": strategy " + std::to_string(static_cast<int>(each.strategy)) +
            " batch " + std::to_string(static_cast<int>(each.batch)) + ":" + std::to_string(each.limit) +
            " roots " + std::to_string(each.roots) + " scan " + std::to_string(each.scan_all) + " steal " +
            std::to_string(each.steal_cost) + (each.clocked ? " clocked" : "") +
            (each.history ? "" : " no history");
  }
  return text;
}

std::uint32_t Sequence::most_members() const {
  std::uint32_t most = 1;
  for (const auto* list : {&repeated, &last})
    for (const Region& region : *list) most = std::max(most, region.members);
  return most;
}

std::uint32_t Sequence::most_iterations() const {
  std::uint32_t most = 1;
  for (const auto* list : {&repeated, &last})
    for (const Region& region : *list)
      for (const Loop& loop : region.loops) most = std::max(most, loop.iterations);
  return most;
}

Sequence draw(std::uint64_t seed, bool brief) {
  Random random(seed);
  Sequence sequence;
  sequence.seed = seed;
  sequence.ring = !brief && random.coin() ? 8 : 2;
  if (brief) sequence.laps = 2;
  sequence.settings = {draw_settings(random, random.coin())};
  for (std::uint64_t i = random.below(3); i > 0; --i)
    sequence.settings.push_back(draw_settings(random, false));
  Style style;
  style.members = random.one_in(3) ? number(random, 2, k_most_members) : number(random, 2, 4);
  if (brief && random.one_in(16)) style.members = number(random, 9, 64);
  style.sizes_change = random.one_in(3);
  if (random.one_in(brief ? 2 : 3)) style.model = static_cast<Model>(random.below(core::k_model_count));
  style.models_change = random.one_in(3);
  style.settings = static_cast<std::uint32_t>(sequence.settings.size());
  const std::uint64_t exponent = !brief ? draw_exponent(random) : random.one_in(4) ? 8 : random.between(1, 6);
  if (exponent == 14) {
    sequence.repeated.push_back(draw_region(random, style, number(random, 1, 2), false));
    for (Loop& loop : sequence.repeated[0].loops) loop.iterations = std::min(loop.iterations, 2U);
    sequence.laps = 2;
  } else if (brief || random.coin()) {
    draw_uneven_regions(random, style, sequence, brief && random.coin());
  } else {
    for (std::uint64_t i = random.between(1, 3); i > 0; --i)
      sequence.repeated.push_back(draw_region(random, style, number(random, 1, 8), false));
  }
  const std::uint32_t loops = random.coin() ? sequence.ring : number(random, 1, 3ULL * sequence.ring);
  sequence.last.push_back(draw_region(random, style, loops, true));
  if (random.coin()) sequence.last.push_back(sequence.repeated.back());
  if (random.coin()) sequence.last.push_back(draw_idle_region(random, style, sequence.ring));
  const std::uint64_t power = std::uint64_t{1} << exponent;
  const std::uint64_t near = std::max<std::uint64_t>(power + random.below(4), 3) - 2;
  if (random.one_in(3)) {
    sequence.periods = near;
  } else {
    sequence.uses = near;
    sequence.fills = random.coin();
  }
  sequence.turns = static_cast<Turns>(random.below(k_turns));
  sequence.leavers = random.one_in(6);
  sequence.cancels = random.one_in(6);
  // In equal parts no member does the share of one that is not there.
  if (sequence.leavers || sequence.cancels)
    for (Settings& each : sequence.settings) each.history = false;
  sequence.neighbours = random.one_in(3);
  if (random.one_in(4)) let_ring_end(random, sequence);
  return sequence;
}

Sequence draw_with_ends(std::uint64_t seed) {
  Random random(seed);
  Sequence sequence;
  sequence.seed = seed;
  sequence.ring = random.coin() ? 8 : 2;
  sequence.settings = {draw_settings(random, true)};
  sequence.settings[0].history = true;
  let_ring_end(random, sequence);
  Style style;
  style.members = number(random, 2, 5);
  sequence.repeated = {draw_region(random, style, number(random, 40, 160), false)};
  sequence.last = sequence.repeated;
  sequence.periods = number(random, 4, 40);
  sequence.turns = static_cast<Turns>(random.below(k_turns));
  return sequence;
}

Sequence draw_long(std::uint64_t seed, unsigned bits, Model model) {
  Sequence sequence;
  sequence.seed = seed;
  sequence.ring = 2;
  sequence.settings[0].clocked = false;
  sequence.settings[0].steal_cost = 0;
  sequence.settings[0].batch = BatchMode::fixed;
  sequence.settings[0].limit = 1;
  const Loop little{2, Model::tree, 1, 0, 0};
  const Loop much{40, model, 1, 0, 60};
  // The second slot is left out in every other use, in all those in which marks are made young again.
  sequence.repeated = {{2, {little, little}}, {2, {little}}};
  sequence.last = {{2, {much, much}}, {2, {little}}};
  sequence.uses = (std::uint64_t{1} << bits);
  sequence.laps = 2;
  sequence.turns = Turns::any;
  return sequence;
}

std::vector<Sequence> smaller(const Sequence& sequence) {
  std::vector<Sequence> all;
  const auto add = [&](auto change) {
    Sequence made = sequence;
    if (change(made)) all.push_back(std::move(made));
  };
  add([](Sequence& s) { return s.periods > 1 && (s.periods /= 2, true); });
  add([](Sequence& s) { return s.uses > 2 && (s.uses /= 2, true); });
  add([](Sequence& s) { return s.laps > 1 && (--s.laps, true); });
  for (bool Sequence::*flag :
       {&Sequence::leavers, &Sequence::cancels, &Sequence::fills, &Sequence::neighbours})
    add([flag](Sequence& s) { return std::exchange(s.*flag, false); });
  add([](Sequence& s) { return std::exchange(s.turns, Turns::any) != Turns::any; });
  add([](Sequence& s) { // one set of settings, a simple one
    Settings simple;
    simple.clocked = false;
    simple.history = s.settings[0].history;
    simple.patience = s.settings[0].patience;
    const std::string before = s.text();
    s.settings = {simple};
    for (auto* list : {&s.repeated, &s.last})
      for (Region& region : *list)
        for (Loop& loop : region.loops) loop.settings = 0;
    return s.text() != before;
  });
  using Change = bool (*)(std::vector<Region> & list, std::size_t at);
  constexpr Change k_changes[] = {
      [](std::vector<Region>& list, std::size_t at) {
        return list.size() > 1 && (list.erase(list.begin() + static_cast<std::ptrdiff_t>(at)), true);
      },
      [](std::vector<Region>& list, std::size_t at) {
        auto& loops = list[at].loops;
        return loops.size() > 1 && (loops.resize(loops.size() / 2), true);
      },
      [](std::vector<Region>& list, std::size_t at) {
        return list[at].loops.size() > 2 && (list[at].loops.pop_back(), true);
      },
      [](std::vector<Region>& list, std::size_t at) {
        return list[at].members > 2 && (--list[at].members, true);
      },
      [](std::vector<Region>& list, std::size_t at) {
        const std::string before = text_of({list[at]});
        for (Loop& loop : list[at].loops) {
          const std::uint32_t fewer = std::max(loop.iterations / 2, std::min(loop.iterations, 3U));
          loop = {fewer, Model::tree, 1, loop.settings, 0};
        }
        return text_of({list[at]}) != before;
      }};
  for (const Change change : k_changes)
    for (const auto list : {&Sequence::repeated, &Sequence::last})
      for (std::size_t at = 0; at < (sequence.*list).size(); ++at)
        add([=](Sequence& s) { return change(s.*list, at); });
  return all;
}

} // namespace wstree::round
