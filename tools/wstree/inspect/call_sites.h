// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace wstree::cli {

/// A call of an OpenMP runtime's entry point that begins a loop or a region.
struct CallSite {
  std::uint64_t offset = 0; ///< return address of the call, as in the symbol table
  std::string function;
};

struct FileSites {
  std::filesystem::path file;
  std::string build_id; ///< in hexadecimal digits; empty if there is none
  std::vector<CallSite> sites;
  bool known = true; ///< false: the file is for a processor whose calls this program cannot read
};

/// Returns whether a function begins a loop that the library may serve, or a region.
bool begins_loop(const std::string& function);

/// Returns the places where gcc computes a thread's part of a static loop: code that calls for the number of
/// threads and at once for that of the thread. A program that does so by itself looks alike.
FileSites static_sites(const std::filesystem::path& file);

/// Returns the call sites of one file, by their addresses. Finds calls through the tables that link files at
/// load time, not those through pointers.
FileSites call_sites(const std::filesystem::path& file);

} // namespace wstree::cli
