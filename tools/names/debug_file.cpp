// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debug_file.h"

#include "function_name.h"
#include "region_function.h"

#include <charconv>
#include <cstdio>
#include <dwarf.h>
#include <vector>

namespace wstree::names {

namespace {

std::string_view name_of_file(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string place(const SourceLine& line) {
  return std::string(name_of_file(line.file)).append(":").append(std::to_string(line.line));
}

std::string hexadecimal(const unsigned char* bytes, int size) {
  std::string text;
  for (int i = 0; i < size; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
    text += digits;
  }
  return text;
}

/// Returns the bytes; nothing if `digits` are no hexadecimal digits.
std::vector<unsigned char> bytes_of(std::string_view digits) {
  std::vector<unsigned char> bytes(digits.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char* const begin = digits.data() + 2 * i;
    if (std::from_chars(begin, begin + 2, bytes[i], 16).ptr != begin + 2) return {};
  }
  return bytes;
}

/// Returns the line of an inlined loop whose calls have no lines of their own: the line of the first code
/// behind the call, or the place where the loop calls the function that is inlined there.
SourceLine body_line(Dwarf_Die& unit, Frames& frames, const SourceLine& otherwise) {
  Dwarf_Die& loop = frames.inlined.back();
  auto body = inlined_child(loop, *frames.loop_body);
  auto line = body ? call_of(unit, *body) : line_at(unit, *frames.loop_body);
  if (line.line == 0) line = declaration_of(loop);
  return line.line != 0 ? line : otherwise;
}

void by_frames(Dwarf_Die& unit, Frames& frames, SourceLine& line, Name& name) {
  if (frames.loop_body) line = body_line(unit, frames, line);
  // clang inlines parts into each other that have no names of their own. They are left out.
  while (!frames.inlined.empty() && function_name(symbol_of(frames.inlined.back())).empty())
    frames.inlined.pop_back();
  Dwarf_Die& innermost = frames.inlined.empty() ? frames.function : frames.inlined.back();
  name.function = function_name(symbol_of(innermost));
  if (frames.inlined.empty()) return;
  if (const auto caller = call_of(unit, innermost); caller.line != 0) name.inlined_in = place(caller);
}

} // namespace

DebugFile::DebugFile(const std::string& path, std::string_view build_id, std::string& debug_path)
    : debug_path_(debug_path.empty() ? nullptr : debug_path.data()), callbacks_{dwfl_build_id_find_elf,
                                                                                dwfl_standard_find_debuginfo,
                                                                                dwfl_offline_section_address,
                                                                                &debug_path_},
      session_(dwfl_begin(&callbacks_)) {
  if (session_ == nullptr) return;
  dwfl_report_begin(session_);
  module_ = dwfl_report_elf(session_, path.c_str(), path.c_str(), -1, 0, true);
  dwfl_report_end(session_, nullptr, nullptr);
  if (module_ == nullptr || is_other(build_id)) open_by_id(path, build_id);
}

DebugFile::~DebugFile() {
  if (session_ != nullptr) dwfl_end(session_);
}

Name DebugFile::name(Dwarf_Addr return_address) {
  Name name;
  if (module_ == nullptr || return_address == 0) return name;
  by_source(return_address - 1, name);
  by_region(return_address, name);
  if (name.line == 0) by_symbol(return_address, name);
  return name;
}

bool DebugFile::is_other(std::string_view build_id) {
  const unsigned char* bytes = nullptr;
  GElf_Addr address = 0;
  const int size = dwfl_module_build_id(module_, &bytes, &address);
  return !build_id.empty() && size > 0 && hexadecimal(bytes, size) != build_id;
}

/// The file is gone, or it was built again: a folder or a server of debug files may have the old one.
void DebugFile::open_by_id(const std::string& path, std::string_view build_id) {
  module_ = nullptr;
  const auto id = bytes_of(build_id);
  if (id.empty()) return;
  dwfl_report_begin(session_);
  constexpr Dwarf_Addr k_end = Dwarf_Addr{1} << 40;
  Dwfl_Module* const module = dwfl_report_module(session_, path.c_str(), 0, k_end);
  const bool reported =
      module != nullptr && dwfl_module_report_build_id(module, id.data(), id.size(), 0) == 0;
  dwfl_report_end(session_, nullptr, nullptr);
  GElf_Addr bias = 0;
  if (reported && dwfl_module_getelf(module, &bias) != nullptr) module_ = module;
}

/// With the difference between addresses of the file and those of its debug information.
Dwarf_Die* DebugFile::unit_at(Dwarf_Addr address, Dwarf_Addr& bias) {
  if (Dwarf_Die* const unit = dwfl_module_addrdie(module_, address, &bias)) return unit;
  // clang writes no .debug_aranges, in which libdw looks the address up.
  for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module_, unit, &bias)) != nullptr;)
    if (dwarf_haspc(unit, address - bias) > 0) return unit;
  return nullptr;
}

void DebugFile::by_source(Dwarf_Addr call, Name& name) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = unit_at(call, bias);
  if (unit == nullptr) return;
  const Dwarf_Addr address = call - bias;
  auto line = line_at(*unit, address);
  if (line.line == 0) return;
  Dwarf_Die detailed = *unit, split{};
  Dwarf_Half version = 0;
  std::uint8_t type = 0;
  // With -gsplit-dwarf the functions are in a file of their own.
  if (dwarf_cu_info(unit->cu, &version, &type, nullptr, &split, nullptr, nullptr, nullptr) == 0 &&
      type == DW_UT_skeleton && split.addr != nullptr)
    detailed = split;
  if (auto frames = frames_at(detailed, address)) by_frames(*unit, *frames, line, name);
  name.file = line.file;
  name.line = static_cast<std::uint32_t>(line.line);
  if (!name.function.empty()) return;
  if (const char* const symbol = dwfl_module_addrname(module_, call)) name.function = function_name(symbol);
}

/// gcc gives the call that opens a region the line of an earlier statement, and the first code of the
/// region's function the line of the directive. If several functions may be the region's, it is the one in
/// the line of the call, or else the likeliest.
void DebugFile::by_region(Dwarf_Addr return_address, Name& name) {
  SourceLine chosen;
  Dwarf_Addr function = 0;
  for (const auto candidate : region_functions(module_, return_address)) {
    Dwarf_Addr bias = 0;
    Dwarf_Die* const unit = unit_at(candidate, bias);
    const auto line = unit != nullptr ? line_at(*unit, candidate - bias) : SourceLine{};
    const bool is_the_call = line.file == name.file && line.line == static_cast<int>(name.line);
    if (line.line == 0 || (chosen.line != 0 && !is_the_call)) continue;
    chosen = line;
    function = candidate;
    if (is_the_call) break;
  }
  if (chosen.line == 0) return;
  name.file = chosen.file;
  name.line = static_cast<std::uint32_t>(chosen.line);
  const auto around = function_name(dwfl_module_addrname(module_, function));
  if (around != name.function) name.inlined_in.clear();
  name.function = around;
}

void DebugFile::by_symbol(Dwarf_Addr return_address, Name& name) {
  GElf_Off offset = 0;
  GElf_Sym symbol{};
  const char* text =
      dwfl_module_addrinfo(module_, return_address - 1, &offset, &symbol, nullptr, nullptr, nullptr);
  if (text == nullptr) return;
  name.symbol = symbol_name(text);
  name.function = function_name(text);
  name.offset = offset + 1;
}

} // namespace wstree::names
