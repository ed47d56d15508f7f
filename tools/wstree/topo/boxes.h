// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine as boxes within boxes: their contents, and their places on a drawing.
#pragma once

#include "facts.h"
#include "support/svg.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wstree::cli {

/// Sizes in pixels. The more there is to show, the smaller and the less of it has a name.
struct Density {
  int chip_width, chip_height; ///< size of a member
  int chip_font;               ///< 0: members have no numbers
  int gap, padding;
  int font;                 ///< font of the labels of boxes
  place::Level first_label; ///< boxes of this level and above have labels
  bool cpu_labels;
};
const Density& density_for(std::uint32_t cpus, std::uint32_t members);

struct Chip {
  std::uint32_t member = 0;
  Rectangle area;
};

/// A domain of the machine, or several of the same CPUs in one, or a single CPU.
struct Box {
  static constexpr std::uint32_t k_uncoloured = ~std::uint32_t{0};

  std::string label; ///< "package 0 · NUMA node 0"
  bool shows_label = false;
  std::uint32_t hue = k_uncoloured; ///< the number of its NUMA node or package
  bool starts_hue = false;          ///< while the box around it has none
  bool is_flat = false;             ///< no room for members
  std::uint32_t begin = 0, end = 0; ///< CPUs, as indices of the machine
  std::vector<Box> boxes;
  std::vector<Chip> chips; ///< members whose place is all of this, and not within one of the boxes
  Rectangle area;          ///< once it is arranged
  // Layout of the boxes and the chips in it:
  Rectangle tile;
  int columns = 1, chip_columns = 1;
};

/// Returns the machine with its team. Areas have sizes, but no places yet.
Box boxes_of(const Topo& topo, const Density& density);
/// Gives everything its place, the upper left corner of `root` being at (x, y).
void place_at(Box& root, const Density& density, int x, int y);

} // namespace wstree::cli
