// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frames.h"

#include <algorithm>
#include <dwarf.h>

namespace wstree::names {

namespace {

/// Calls `visit(child)` for each child, until it returns true; whether it did.
template <class Visit> bool any_child(Dwarf_Die& parent, Visit visit) {
  Dwarf_Die child{};
  if (dwarf_child(&parent, &child) != 0) return false;
  do {
    if (visit(child)) return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

bool may_hold_functions(int tag) {
  switch (tag) {
  case DW_TAG_namespace:
  case DW_TAG_module:
  case DW_TAG_structure_type:
  case DW_TAG_class_type:
  case DW_TAG_union_type:
  case DW_TAG_subprogram: // Fortran's contained procedures
  case DW_TAG_lexical_block:
    return true;
  default:
    return false;
  }
}

bool find_function(Dwarf_Die& parent, Dwarf_Addr address, Dwarf_Die& function) {
  return any_child(parent, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_subprogram && dwarf_haspc(&child, address) > 0) {
      function = child;
      return true;
    }
    return may_hold_functions(tag) && find_function(child, address, function);
  });
}

/// Appends the inlined functions with code at the address, the innermost last.
void add_inlined(Dwarf_Die parent, Dwarf_Addr address, std::vector<Dwarf_Die>& inlined) {
  any_child(parent, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    const bool is_inlined = tag == DW_TAG_inlined_subroutine;
    if ((!is_inlined && tag != DW_TAG_lexical_block) || dwarf_haspc(&child, address) <= 0) return false;
    if (is_inlined) inlined.push_back(child);
    add_inlined(child, address, inlined);
    return true;
  });
}

/// Calls `visit(begin, end)` for each part of the code.
template <class Visit> void each_part(Dwarf_Die& die, Visit visit) {
  Dwarf_Addr base = 0, begin = 0, end = 0;
  for (std::ptrdiff_t offset = 0; (offset = dwarf_ranges(&die, offset, &base, &begin, &end)) > 0;)
    visit(begin, end);
}

/// A part of a function's code: code that is executed seldom lies apart from the rest.
struct Part {
  Dwarf_Addr begin = 0, end = 0;
};
/// Returns the part of the function that holds the address.
Part part_at(Dwarf_Die& function, Dwarf_Addr address) {
  Part part;
  each_part(function, [&](Dwarf_Addr begin, Dwarf_Addr end) {
    if (begin <= address && address < end) part = {begin, end};
  });
  return part;
}

/// Returns the end of the code in a part of the function around it; 0: it has none there.
Dwarf_Addr end_in(Dwarf_Die& die, const Part& part) {
  Dwarf_Addr last = 0;
  each_part(die, [&](Dwarf_Addr begin, Dwarf_Addr end) {
    if (part.begin <= begin && end <= part.end) last = std::max(last, end);
  });
  return last;
}

/// Returns the first address behind `address` in the code of an inlined function.
std::optional<Dwarf_Addr> first_behind(Dwarf_Die& die, Dwarf_Addr address) {
  std::optional<Dwarf_Addr> first;
  each_part(die, [&](Dwarf_Addr begin, Dwarf_Addr) {
    if (begin > address && (!first || begin < *first)) first = begin;
  });
  return first;
}

/// Appends the inlined functions that begin before the address and end behind it, in the same part of the
/// function: the code at the address can only be theirs, though it lacks their line. A function that the loop
/// calls is excluded: its entry lies in the loop, behind the address.
void add_around(Dwarf_Die parent, Dwarf_Addr address, const Part& part, std::vector<Dwarf_Die>& inlined) {
  any_child(parent, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_lexical_block) {
      const auto before = inlined.size();
      add_around(child, address, part, inlined);
      return inlined.size() != before;
    }
    Dwarf_Attribute attribute{};
    Dwarf_Addr entry = 0;
    if (tag != DW_TAG_inlined_subroutine || dwarf_attr(&child, DW_AT_entry_pc, &attribute) == nullptr ||
        dwarf_entrypc(&child, &entry) != 0 || entry < part.begin || entry > address ||
        end_in(child, part) <= address)
      return false;
    inlined.push_back(child);
    add_around(child, address, part, inlined);
    return true;
  });
}

} // namespace

std::optional<Frames> frames_at(Dwarf_Die& unit, Dwarf_Addr address) {
  Frames frames;
  if (!find_function(unit, address, frames.function)) return std::nullopt;
  add_inlined(frames.function, address, frames.inlined);
  const auto certain = frames.inlined.size();
  add_around(certain == 0 ? frames.function : frames.inlined.back(), address,
             part_at(frames.function, address), frames.inlined);
  if (frames.inlined.size() > certain) frames.loop_body = first_behind(frames.inlined.back(), address);
  return frames;
}

std::optional<Dwarf_Die> inlined_child(Dwarf_Die parent, Dwarf_Addr address) {
  std::vector<Dwarf_Die> inlined;
  add_inlined(parent, address, inlined);
  return inlined.empty() ? std::nullopt : std::optional(inlined.front());
}

std::string symbol_of(Dwarf_Die& function) {
  Dwarf_Attribute attribute{};
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
    if (dwarf_attr_integrate(&function, name, &attribute) == nullptr) continue;
    if (const char* text = dwarf_formstring(&attribute)) return text;
  }
  return {};
}

SourceLine line_at(Dwarf_Die& unit, Dwarf_Addr address) {
  Dwarf_Lines* lines = nullptr;
  std::size_t count = 0;
  Dwarf_Line* const found = dwarf_getsrc_die(&unit, address);
  if (found == nullptr || dwarf_getsrclines(&unit, &lines, &count) != 0) return {};
  SourceLine result;
  for (std::size_t i = 0; i < count; ++i) {
    Dwarf_Line* const row = dwarf_onesrcline(lines, i);
    Dwarf_Addr begin = 0;
    if (dwarf_lineaddr(row, &begin) != 0 || begin > address) continue;
    bool is_end = false;
    int line = 0;
    if (dwarf_lineendsequence(row, &is_end) == 0 && is_end) {
      result = {};
    } else if (dwarf_lineno(row, &line) == 0 && line != 0) {
      const char* file = dwarf_linesrc(row, nullptr, nullptr);
      result = {file != nullptr ? file : "", line};
    }
    if (row == found && line != 0) break;
  }
  return result;
}

SourceLine call_of(Dwarf_Die& unit, Dwarf_Die& inlined) {
  Dwarf_Attribute attribute{};
  Dwarf_Word file = 0, line = 0;
  Dwarf_Files* files = nullptr;
  if (dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_line, &attribute), &line) != 0) return {};
  if (dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_file, &attribute), &file) != 0 ||
      dwarf_getsrcfiles(&unit, &files, nullptr) != 0)
    return {};
  const char* name = dwarf_filesrc(files, file, nullptr, nullptr);
  return {name != nullptr ? name : "", static_cast<int>(line)};
}

SourceLine declaration_of(Dwarf_Die& function) {
  SourceLine result;
  if (const char* file = dwarf_decl_file(&function)) result.file = file;
  if (dwarf_decl_line(&function, &result.line) != 0) result.line = 0;
  return result;
}

} // namespace wstree::names
