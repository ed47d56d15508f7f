// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of code locations in the source. Reads the symbols and the DWARF of programs and libraries
// through libdw, which also finds debug information outside of the file: in a separate one
// (.gnu_debuglink, the build-id folders of /usr/lib/debug, DEBUGINFOD_URLS), and in one that several
// files share (.gnu_debugaltlink).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace wstree::names {

/// The name of a code location. Unknown parts are empty or 0.
struct Name {
  std::string file; ///< as the debug information has it, mostly an absolute path
  std::uint32_t line = 0;
  std::string function;     ///< demangled, without parameters: "heat::Grid::step", "lambda in main"
  std::string inlined_in;   ///< "step.cpp:88": where the function was inlined
  std::string symbol;       ///< symbol of a place without line: "assemble._omp_fn.0", demangled
  std::uint64_t offset = 0; ///< offset of the place behind the beginning of `symbol`

  [[nodiscard]] bool empty() const { return line == 0 && symbol.empty(); }
};

/// The words of text_of() in front of the place where a function was inlined.
inline constexpr std::string_view k_inlined_in = " inlined in ";

/// Returns "solver.c:120 assemble()", "kernel.h:12 kernel() inlined in step.cpp:88",
/// "assemble._omp_fn.0+0x21", or "".
std::string text_of(const Name& name);

/// Files are opened when they are first needed and stay open.
class Resolver {
public:
  /// `debug_path`: folders of separate debug files in the form of debuginfo_path of elfutils;
  /// empty: its default.
  explicit Resolver(std::string debug_path = {});
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  /// Returns the name of the call that returns to `offset`: an address of the file, as in its symbol table.
  /// `build_id`: in hexadecimal digits, empty if there is none; a file at `module` with a different id is
  /// not used.
  Name name(const std::string& module, std::string_view build_id, std::uint64_t offset);

private:
  struct Files;
  std::unique_ptr<Files> files_;
};

} // namespace wstree::names
