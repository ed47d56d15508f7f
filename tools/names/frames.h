// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <elfutils/libdw.h>
#include <optional>
#include <string>
#include <vector>

namespace wstree::names {

/// The functions at an address of one compilation unit, and the line.
struct Frames {
  Dwarf_Die function{};
  std::vector<Dwarf_Die> inlined; ///< in it, the innermost last
  /// gcc gives the calls of a loop that was inlined the line of the function around it; then this is where
  /// the line of the loop has to be looked for: the first address behind the call that belongs to it.
  std::optional<Dwarf_Addr> loop_body;
};

/// Returns the inlined function below `parent` that has code at the address; the outermost.
std::optional<Dwarf_Die> inlined_child(Dwarf_Die parent, Dwarf_Addr address);

/// Returns the frames at an address of the debug information; nothing if no function of the unit has
/// code there.
std::optional<Frames> frames_at(Dwarf_Die& unit, Dwarf_Addr address);

/// Returns the linkage name, or else the name; "" if there is none.
std::string symbol_of(Dwarf_Die& function);

/// A place in the source.
struct SourceLine {
  std::string file;
  int line = 0;
};

/// Returns the line of the code at an address; lines with the number 0 stand for the line before them.
SourceLine line_at(Dwarf_Die& unit, Dwarf_Addr address);

/// Returns the line where an inlined function was called.
SourceLine call_of(Dwarf_Die& unit, Dwarf_Die& inlined);

/// Returns the line where a function is declared.
SourceLine declaration_of(Dwarf_Die& function);

} // namespace wstree::names
