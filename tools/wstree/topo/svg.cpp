// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "facts.h"

#include "boxes.h"
#include "support/svg.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace wstree::cli {

namespace {

using place::Level;

/// Hues of NUMA nodes or packages: pale, because members stand on them.
constexpr std::array k_hues{Paint{"#d3e4f5", "#33659c"}, Paint{"#d8edd1", "#437f34"},
                            Paint{"#e6dbf2", "#6f4b9e"}, Paint{"#fbeec5", "#8f7120"},
                            Paint{"#cfeeec", "#25807f"}, Paint{"#f6dce9", "#a24a7d"},
                            Paint{"#e4e6e8", "#5d6670"}, Paint{"#e6ebc4", "#6c7527"}};
constexpr Paint k_machine{"#fafafa", "#70777d"}, k_empty{"#ffffff", "#b4bac0"};

/// The paint of a member and of its number.
struct Shade {
  Paint paint;
  std::string_view number;
};
constexpr std::string_view k_light = "#ffffff", k_dark = "#1a1a1a";
constexpr Shade k_thief{{"#161616", "#161616"}, k_light}, k_plain{{"#44525f", "#2c363f"}, k_light};
/// Victims, nearest first.
constexpr std::array<Shade, place::k_levels> k_shades{
    Shade{{"#8f0d14", "#5c080d"}, k_light}, Shade{{"#cb2026", "#8f0d14"}, k_light},
    Shade{{"#ef6f51", "#a5392a"}, k_dark},  Shade{{"#faa283", "#b3553c"}, k_dark},
    Shade{{"#fccfbb", "#bb6d55"}, k_dark},  Shade{{"#fff0e9", "#bf8471"}, k_dark}};
/// Returns the shade of a distance: of `count` distances the nearest has the strongest shade and the farthest
/// a weak one.
const Shade& shade_of(std::size_t ring, std::size_t count) {
  constexpr std::array<std::array<std::size_t, place::k_levels>, place::k_levels> k_choice{
      {{1}, {1, 4}, {1, 3, 5}, {1, 2, 4, 5}, {0, 1, 2, 4, 5}, {0, 1, 2, 3, 4, 5}}};
  const auto rings = std::clamp<std::size_t>(count, 1, place::k_levels);
  return k_shades[k_choice[rings - 1][std::min(ring, rings - 1)]];
}

constexpr int k_margin = 16;
constexpr int k_line = 20; // height of a line of the legend

class Drawing {
public:
  Drawing(const Topo& topo, const Thief& thief)
      : topo_(topo), thief_(thief), density_(density_for(topo.machine->cpus(), topo.members)),
        shades_(topo.members, &k_plain) {
    if (!topo.pins() || thief.all) return;
    victims_ = topo.victims(thief.member);
    for (std::size_t ring = 0; ring < victims_.size(); ++ring)
      for (const auto victim : victims_[ring].members) shades_[victim] = &shade_of(ring, victims_.size());
    shades_[thief.member] = &k_thief;
  }

  std::string draw() {
    constexpr int k_least = 640; // so that the lines of text are not cut to pieces
    Box root = boxes_of(topo_, density_);
    const int right = k_margin + std::max(k_least, root.area.width);
    y_ = paper_.paragraph(k_margin, k_margin + 16, right, topo_.source + ": " + topo_.summary(),
                          {15, k_dark, "start", true});
    y_ = paper_.paragraph(k_margin, y_, right, topo_.verdict(), {13});
    place_at(root, density_, k_margin, y_ - 6);
    draw_box(root, false);
    y_ = root.area.y + root.area.height + k_line + 8;
    draw_legend();
    if (topo_.pins() && thief_.all && topo_.members > 1) draw_matrix();
    return paper_.finish("wstree topo: " + topo_.source, topo_.summary() + "; " + topo_.verdict());
  }

private:
  void draw_box(const Box& box, bool within_hue) {
    const bool is_small = !box.shows_label && box.boxes.empty();
    Paint paint = box.label.empty() ? k_machine : k_empty;
    if (box.hue != Box::k_uncoloured) {
      const auto& hue = k_hues[box.hue % k_hues.size()];
      paint = {box.starts_hue ? hue.fill : k_light, hue.stroke};
      if (!box.boxes.empty() && !box.starts_hue && within_hue) paint.fill = "none";
    }
    // A member that fills its CPU hides it.
    if (!is_small || box.chips.empty()) paper_.rectangle(box.area, paint, is_small ? 1 : 4);
    if (box.shows_label)
      paper_.text(box.area.x + density_.padding, box.area.y + density_.padding + density_.font - 2, box.label,
                  {density_.font});
    for (const auto& inner : box.boxes) draw_box(inner, within_hue || box.starts_hue);
    for (const auto& chip : box.chips) draw_chip(chip);
  }

  void draw_chip(const Chip& chip) {
    const auto& shade = *shades_[chip.member];
    const auto where = topo_.pins() ? "CPU " + to_list(topo_.cpus(chip.member)) : "not pinned";
    paper_.rectangle(chip.area, shade.paint, density_.chip_font != 0 ? 3 : 1, "member",
                     fmt::format("member {}: {}", chip.member, where));
    if (density_.chip_font == 0) return;
    paper_.text(chip.area.x + chip.area.width / 2,
                chip.area.y + chip.area.height / 2 + density_.chip_font * 3 / 8,
                fmt::format("{}", chip.member), {density_.chip_font, shade.number, "middle"});
  }

  void legend_line(const Paint& paint, std::string_view meaning) {
    paper_.rectangle({k_margin, y_ - 11, 22, 14}, paint, 3);
    paper_.text(k_margin + 30, y_, meaning, {12});
    y_ += k_line;
  }

  void draw_legend() {
    if (!topo_.pins()) {
      legend_line(k_plain.paint, "member of the team, not pinned");
      return;
    }
    if (thief_.all) {
      legend_line(k_plain.paint, "member of the team, on its place");
      return;
    }
    legend_line(k_thief.paint,
                fmt::format("member {}, when it has run out of work, looks for more at", thief_.member));
    for (std::size_t ring = 0; ring < victims_.size(); ++ring) {
      const auto& group = victims_[ring];
      legend_line(shade_of(ring, victims_.size()).paint,
                  fmt::format("{} {} with which it shares the {}", ring == 0 ? "first: the" : "then: the",
                              counted(group.members.size(), "member"), name_of(group.shared)));
    }
  }

  /// Draws the levels that members, or groups of them, share: a line for each thief, a column for
  /// each victim.
  void draw_matrix() {
    constexpr std::size_t k_most = 32;
    constexpr int k_cell = 20;
    const auto groups = topo_.groups(k_most);
    std::vector<std::string> names;
    int left = k_margin;
    std::vector<Level> seen;
    for (const auto& group : groups) {
      auto members = group.members;
      std::ranges::sort(members);
      names.push_back(to_list(members));
      left = std::max(left, k_margin + text_width(names.back(), 11) + 8);
    }
    const auto between = [&](const MemberGroup& thieves, const MemberGroup& victims) {
      Level widest = topo_.levels.front();
      for (const auto victim : victims.members) {
        const auto level = topo_.shared(thieves.members.front(), victim);
        if (topo_.rank(level) > topo_.rank(widest)) widest = level;
      }
      return widest;
    };
    for (const auto& thieves : groups)
      for (const auto& victims : groups) {
        if (&thieves == &victims && thieves.members.size() == 1) continue;
        seen.push_back(between(thieves, victims));
      }
    std::ranges::sort(seen, {}, [&](Level level) { return topo_.rank(level); });
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    const auto shade = [&](Level level) -> const Shade& {
      return shade_of(static_cast<std::size_t>(std::ranges::find(seen, level) - seen.begin()), seen.size());
    };

    y_ += 8;
    paper_.text(k_margin, y_, "What members share: a line for each thief, a column for each victim",
                {13, k_dark, "start", true});
    y_ += 12;
    for (std::size_t row = 0; row < groups.size(); ++row) {
      paper_.text(left - 6, y_ + 14, names[row], {11, k_dark, "end"});
      for (std::size_t column = 0; column < groups.size(); ++column) {
        const bool is_self = row == column && groups[row].members.size() == 1;
        paper_.rectangle({left + static_cast<int>(column) * k_cell, y_, k_cell - 1, k_cell - 1},
                         is_self ? k_thief.paint : shade(between(groups[row], groups[column])).paint, 2, "",
                         fmt::format("{} from {}", names[row], names[column]));
      }
      y_ += k_cell;
    }
    y_ += k_line;
    for (const Level level : seen)
      legend_line(shade(level).paint, fmt::format("{} in common", name_of(level)));
  }

  const Topo& topo_;
  const Thief& thief_;
  const Density& density_;
  std::vector<const Shade*> shades_; // by member
  std::vector<VictimGroup> victims_; // victims of the thief
  SvgPaper paper_{k_margin};
  int y_ = 0;
};

} // namespace

std::string topo_svg(const Topo& topo, const Thief& thief) { return Drawing(topo, thief).draw(); }

} // namespace wstree::cli
