// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frames.h"
#include "names.h"

#include <elfutils/libdwfl.h>
#include <string>
#include <string_view>

namespace wstree::names {

/// One program or library and its debug information, at the addresses of its own symbol table.
class DebugFile {
public:
  /// As for Resolver; `debug_path` stays as it is.
  DebugFile(const std::string& path, std::string_view build_id, std::string& debug_path);
  ~DebugFile();
  DebugFile(const DebugFile&) = delete;
  DebugFile& operator=(const DebugFile&) = delete;

  Name name(Dwarf_Addr return_address);

private:
  bool is_other(std::string_view build_id);
  void open_by_id(const std::string& path, std::string_view build_id);
  Dwarf_Die* unit_at(Dwarf_Addr address, Dwarf_Addr& bias);
  void by_source(Dwarf_Addr call, Name& name);
  void by_region(Dwarf_Addr return_address, Name& name);
  void by_symbol(Dwarf_Addr return_address, Name& name);

  char* debug_path_;
  Dwfl_Callbacks callbacks_;
  Dwfl* session_;
  Dwfl_Module* module_ = nullptr; // null if there is no such file
};

} // namespace wstree::names
