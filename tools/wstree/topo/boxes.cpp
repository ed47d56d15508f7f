// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boxes.h"

#include <algorithm>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

using place::Cpu;
using place::Level;
using place::Machine;

constexpr Density k_roomy{34, 20, 11, 6, 7, 11, Level::core, true};
constexpr Density k_tight{26, 16, 10, 3, 4, 10, Level::l3, false};
constexpr Density k_dense{9, 9, 0, 1, 2, 10, Level::l3, false};

std::uint32_t domain_of(const Machine& machine, std::uint32_t cpu, Level level) {
  return machine.cpu(cpu).domain[static_cast<std::size_t>(level)];
}

class Builder {
public:
  Builder(const Topo& topo, const Density& density)
      : machine_(*topo.machine), density_(density), levels_(topo.levels.rbegin() + 1, topo.levels.rend()),
        hue_level_(machine_.domains(Level::numa) > 1 ? Level::numa : Level::package) {}

  Box build() const {
    Box root;
    root.end = machine_.cpus();
    fill(root, 0);
    return root;
  }

private:
  void fill(Box& box, std::size_t depth) const {
    for (std::uint32_t cpu = box.begin; cpu < box.end;) {
      const auto inner =
          std::find_if(levels_.begin() + static_cast<std::ptrdiff_t>(depth), levels_.end(),
                       [&](Level level) { return domain_of(machine_, cpu, level) != Cpu::k_none; });
      Box part;
      part.begin = cpu;
      part.end = cpu + 1;
      part.hue = box.hue;
      if (inner == levels_.end()) {
        part.label = fmt::format("CPU {}", machine_.cpu(cpu).os);
        part.shows_label = density_.cpu_labels;
      } else {
        describe(part, *inner, box.end);
        fill(part, static_cast<std::size_t>(inner - levels_.begin()) + 1);
      }
      cpu = part.end;
      box.boxes.push_back(std::move(part));
    }
    unite(box);
  }

  void describe(Box& part, Level level, std::uint32_t limit) const {
    const auto number = domain_of(machine_, part.begin, level);
    while (part.end < limit && domain_of(machine_, part.end, level) == number) ++part.end;
    part.label = fmt::format("{} {}", name_of(level), number);
    part.shows_label = level >= density_.first_label;
    if (level == hue_level_) {
      part.hue = number;
      part.starts_hue = true;
    }
  }

  /// Unites a box with the single box in it, around which it would only take room.
  static void unite(Box& box) {
    if (box.label.empty() || box.boxes.size() != 1) return;
    Box inner = std::move(box.boxes.front());
    if (inner.shows_label || !box.shows_label) box.label += " · " + inner.label;
    box.shows_label = box.shows_label || inner.shows_label;
    box.hue = inner.hue;
    box.starts_hue = box.starts_hue || inner.starts_hue;
    box.boxes = std::move(inner.boxes);
  }

  const Machine& machine_;
  const Density& density_;
  std::vector<Level> levels_; // from the outside inwards
  Level hue_level_;
};

/// Puts a member into the innermost box that holds all of its place.
void seat(Box& root, const Topo& topo, std::uint32_t member) {
  Box* home = &root;
  if (topo.pins()) {
    const auto p = topo.layout->place(member);
    std::uint32_t first = topo.places->cpu(p, 0), last = first;
    for (std::uint32_t i = 0; i < topo.places->cpus(p); ++i) {
      first = std::min(first, topo.places->cpu(p, i));
      last = std::max(last, topo.places->cpu(p, i));
    }
    const auto holds = [&](const Box& box) { return box.begin <= first && last < box.end; };
    for (auto inner = std::ranges::find_if(home->boxes, holds); inner != home->boxes.end();
         inner = std::ranges::find_if(home->boxes, holds))
      home = &*inner;
  }
  home->chips.push_back({member, {}});
}

/// Flattens or removes boxes of single CPUs, if the member around them has several CPUs.
void flatten(Box& box, const Density& density) {
  for (auto& inner : box.boxes) flatten(inner, density);
  const bool is_bare = std::ranges::all_of(
      box.boxes, [](const Box& inner) { return inner.boxes.empty() && inner.chips.empty(); });
  if (box.label.empty() || box.chips.empty() || !is_bare) return;
  if (!density.cpu_labels) box.boxes.clear();
  for (auto& inner : box.boxes) inner.is_flat = true;
}

/// Returns the number of columns that make `count` tiles about `aspect` times as wide as high, with few
/// left empty.
int columns_for(std::size_t count, int width, int height, double aspect) {
  constexpr double k_empty = 8; // cost of a tile left empty
  int best = 1;
  double least = 1e9;
  for (std::size_t columns = 1; columns <= count; ++columns) {
    const auto rows = (count + columns - 1) / columns;
    const double shape = static_cast<double>(columns) * width / (static_cast<double>(rows) * height);
    const double empty = static_cast<double>(rows * columns - count) / static_cast<double>(count);
    const double cost = std::abs(std::log(shape / aspect)) + k_empty * empty;
    if (cost < least) {
      least = cost;
      best = static_cast<int>(columns);
    }
  }
  return best;
}

/// First the least sizes from the inside outwards, then places from the outside inwards; boxes side by side
/// are equally large.
class Arranger {
public:
  Arranger(const Density& density, int cpu_label) : density_(density), cpu_label_(cpu_label) {}

  void measure(Box& box) const {
    constexpr double k_wide = 1.7;
    int width = box.shows_label ? text_width(box.label, density_.font) : 0;
    if (box.shows_label && box.boxes.empty()) width = cpu_label_;
    int height = header(box);
    Rectangle& tile = box.tile;
    for (auto& inner : box.boxes) {
      measure(inner);
      tile.width = std::max(tile.width, inner.area.width);
      tile.height = std::max(tile.height, inner.area.height);
    }
    if (!box.boxes.empty()) {
      box.columns =
          columns_for(box.boxes.size(), tile.width + density_.gap, tile.height + density_.gap, k_wide);
      width = std::max(width, box.columns * (tile.width + density_.gap) - density_.gap);
      height += rows(box.boxes.size(), box.columns) * (tile.height + density_.gap) - density_.gap;
    }
    if (has_chips(box)) {
      const auto count = std::max<std::size_t>(box.chips.size(), 1); // a CPU without members has room for one
      if (!box.boxes.empty()) height += density_.gap;
      box.chip_columns = std::max(1, (width + density_.gap) / step_x());
      if (box.boxes.empty() && box.chip_columns < 2)
        box.chip_columns = columns_for(count, step_x(), step_y(), 1);
      box.chip_columns = std::min(box.chip_columns, static_cast<int>(count));
      width = std::max(width, box.chip_columns * step_x() - density_.gap);
      height += rows(count, box.chip_columns) * step_y() - density_.gap;
    }
    box.area.width = width + 2 * padding(box);
    box.area.height = height + 2 * padding(box);
  }

  /// Places the content of a box; `box.area` is its final area, at least as large as measured.
  void place(Box& box) const {
    const int left = box.area.x + padding(box);
    const int width = box.area.width - 2 * padding(box);
    int y = box.area.y + padding(box) + header(box);
    if (!box.boxes.empty()) {
      // Small cells keep their size, for they are all the same all over the drawing.
      const bool stretches = box.boxes.front().shows_label;
      const int step = stretches ? (width + density_.gap) / box.columns : box.tile.width + density_.gap;
      for (std::size_t i = 0; i < box.boxes.size(); ++i) {
        const auto at = static_cast<int>(i);
        box.boxes[i].area = {left + at % box.columns * step,
                             y + at / box.columns * (box.tile.height + density_.gap), step - density_.gap,
                             box.tile.height};
        place(box.boxes[i]);
      }
      y += rows(box.boxes.size(), box.columns) * (box.tile.height + density_.gap);
    }
    // Chips of a CPU stand in the middle below its label.
    const int used = box.chip_columns * step_x() - density_.gap;
    const int first = box.boxes.empty() ? left + (width - used) / 2 : left;
    for (std::size_t i = 0; i < box.chips.size(); ++i) {
      const auto at = static_cast<int>(i);
      box.chips[i].area = {first + at % box.chip_columns * step_x(), y + at / box.chip_columns * step_y(),
                           density_.chip_width, density_.chip_height};
    }
    if (!box.boxes.empty() && box.chips.size() == 1) box.chips.front().area.width = width;
  }

private:
  int step_x() const { return density_.chip_width + density_.gap; }
  int step_y() const { return density_.chip_height + density_.gap; }
  int header(const Box& box) const { return box.shows_label ? density_.font + 5 : 0; }
  /// Returns the padding of a box. A cell that shows nothing but members needs no border of its own.
  int padding(const Box& box) const { return box.boxes.empty() && !box.shows_label ? 0 : density_.padding; }
  static bool has_chips(const Box& box) { return !box.chips.empty() || (box.boxes.empty() && !box.is_flat); }
  static int rows(std::size_t count, int columns) {
    return (static_cast<int>(count) + columns - 1) / columns;
  }

  const Density& density_;
  int cpu_label_; // width of the widest one, so that cores with small and with large numbers look the same
};

int widest_cpu_label(const Box& box, int font) {
  if (box.boxes.empty()) return text_width(box.label, font);
  int widest = 0;
  for (const auto& inner : box.boxes) widest = std::max(widest, widest_cpu_label(inner, font));
  return widest;
}

} // namespace

const Density& density_for(std::uint32_t cpus, std::uint32_t members) {
  constexpr std::uint32_t k_few = 64, k_many = 512;
  const auto most = std::max(cpus, members);
  return most <= k_few ? k_roomy : most <= k_many ? k_tight : k_dense;
}

Box boxes_of(const Topo& topo, const Density& density) {
  Box root = Builder(topo, density).build();
  for (std::uint32_t member = 0; member < topo.members; ++member) seat(root, topo, member);
  flatten(root, density);
  Arranger(density, widest_cpu_label(root, density.font)).measure(root);
  return root;
}

void place_at(Box& root, const Density& density, int x, int y) {
  root.area.x = x;
  root.area.y = y;
  Arranger(density, 0).place(root);
}

} // namespace wstree::cli
