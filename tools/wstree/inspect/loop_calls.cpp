// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop_calls.h"

#include "support/output_of.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <utility>

namespace wstree::cli {

namespace {

bool starts_others(std::string_view name) {
  static constexpr std::array k_names{"dlopen",      "dlmopen",      "system", "popen",
                                      "posix_spawn", "posix_spawnp", "fexecve"};
  return std::find(k_names.begin(), k_names.end(), name) != k_names.end() || name.starts_with("execv") ||
         name.starts_with("execl") || name.starts_with("_gfortran_execute_command_line") ||
         name.starts_with("_gfortran_system");
}

/// Returns whether the library starts other programs only where its callers call a function
/// of starts_others().
bool starts_on_request(const std::filesystem::path& library) {
  return library.filename().string().starts_with("libgfortran.so");
}

} // namespace

LoopCalls& LoopCalls::operator|=(const LoopCalls& other) {
  forms.insert(other.forms.begin(), other.forms.end());
  llvm |= other.llvm;
  gcc |= other.gcc;
  runtime_inside |= other.runtime_inside;
  starts_others |= other.starts_others;
  may_be_static |= other.may_be_static;
  cuts_its_own |= other.cuts_its_own;
  sets_schedule |= other.sets_schedule;
  known &= other.known;
  return *this;
}

LoopCalls loop_calls(const ElfFile& file) {
  LoopCalls calls;
  bool asks_for_number = false;
  bool asks_for_threads = false;
  calls.known = file.for_each_import([&](std::string_view name) {
    if (const auto form = loop_form(name)) calls.forms.insert(*form);
    calls.llvm |= name.starts_with("__kmpc_");
    calls.gcc |= name.starts_with("GOMP_");
    calls.starts_others |= starts_others(name);
    calls.sets_schedule |= name == "omp_set_schedule" || name.starts_with("omp_set_schedule_");
    asks_for_number |= name == "omp_get_thread_num";
    asks_for_threads |= name == "omp_get_num_threads";
  });
  calls.may_be_static = calls.gcc && asks_for_number && asks_for_threads;
  if (calls.may_be_static && !calls.forms.contains(LoopForm::runtime))
    file.for_each_definition(
        [&](std::string_view name) { calls.cuts_its_own |= name.find("._loopfn.") != name.npos; });
  // Looked at last, because the table of a big program is long.
  if (!calls.llvm && !calls.gcc) {
    file.for_each_definition(
        [&](std::string_view name) { calls.runtime_inside |= loop_form(name).has_value(); });
  }
  return calls;
}

std::vector<FileCalls> loop_calls_by_file(const ElfFile& program, const std::filesystem::path& path) {
  std::vector<FileCalls> files{{path, loop_calls(program)}};
  for (const auto& library : loaded_libraries(program.loader(), path)) {
    const auto file = ElfFile::open(library);
    if (!file) continue;
    LoopCalls of_library = loop_calls(*file);
    // A shared runtime defines functions that others import, as it should; its dlopen is not the program's.
    if (std::exchange(of_library.runtime_inside, false) || starts_on_request(library))
      of_library.starts_others = false;
    files.push_back({library, std::move(of_library)});
  }
  return files;
}

LoopCalls sum(const std::vector<FileCalls>& files) {
  LoopCalls calls;
  for (const auto& file : files) calls |= file.calls;
  return calls;
}

std::vector<std::filesystem::path> loaded_libraries(const std::string& loader,
                                                    const std::filesystem::path& program) {
  // "<tab>libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f...)", or without the arrow if the file names
  // the path.
  std::vector<std::filesystem::path> libraries;
  Environment environment;
  std::istringstream listing(
      output_of({loader, "--list", std::filesystem::absolute(program).string()}, environment));
  constexpr std::string_view k_arrow = " => ";
  for (std::string line; std::getline(listing, line);) {
    const auto address = line.rfind(" (0x");
    if (address == std::string::npos || line.front() != '\t') continue;
    const auto arrow = line.find(k_arrow);
    const auto path = line.substr(arrow == std::string::npos ? 1 : arrow + k_arrow.size());
    const auto name = path.substr(0, path.rfind(" (0x"));
    if (name.find('/') != std::string::npos && name != loader) libraries.emplace_back(name);
  }
  return libraries;
}

} // namespace wstree::cli
