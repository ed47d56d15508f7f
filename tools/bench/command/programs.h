// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs that measure, which belong to this command as the library does.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wstree::cli::bench {

struct Programs {
  std::filesystem::path folder; ///< empty if there are none
  std::vector<std::string> runtimes;
  std::map<std::string, std::string> facts; ///< facts that their build has written down in bench.conf
  std::string problem;                      ///< one line for the user, if there are none

  /// Returns a line of bench.conf; "" if the line is missing.
  [[nodiscard]] std::string fact(const std::string& name) const;
  /// Returns the build of the program for that runtime.
  [[nodiscard]] std::filesystem::path program(const std::string& name, const std::string& runtime) const;
};

/// Returns the programs in `folder`, else those of the installation or of the build tree of this command.
Programs find_programs(const std::optional<std::string>& folder);

/// A libomp for the programs.
struct Libomp {
  std::filesystem::path folder; ///< empty: the folder that the linker finds
  std::string description;      ///< file and kind of build, as far as known
  std::string remark;           ///< one line for the user if another libomp should be measured
  std::string problem;          ///< one line if the requested libomp is not there
};

/// Finds libomp. `build`: of tools/libomp, or "system"; nothing: the release build if there is one, else the
/// libomp with which the programs were linked.
Libomp find_libomp(const std::optional<std::string>& build, const Programs& programs);

/// Returns whether a libomp has debugging code, which formats trace text for every chunk.
bool is_debug_libomp(const std::filesystem::path& file);

} // namespace wstree::cli::bench
