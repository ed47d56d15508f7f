// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "programs.h"

#include "support/text_file.h"
#include "support/user_text.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <unistd.h>

namespace wstree::cli::bench {

namespace {

namespace fs = std::filesystem;

constexpr const char* k_facts = "bench.conf";
constexpr const char* k_release = "19-release";

/// Returns the folders of the programs, relative to the folder of the executable, as the library is found.
std::vector<fs::path> usual_folders() {
  std::error_code error;
  const auto bin = fs::read_symlink("/proc/self/exe", error).parent_path();
  std::vector<fs::path> folders{(bin / WSTREE_BENCH_FROM_BIN).lexically_normal()};
  if (bin.string().ends_with("/" WSTREE_BUILD_FOLDER))
    folders.insert(folders.begin(), (bin / WSTREE_BENCH_FROM_BUILD).lexically_normal());
  return folders;
}

bool is_executable(const fs::path& path) { return ::access(path.c_str(), X_OK) == 0; }

std::map<std::string, std::string> read_facts(const std::string& text) {
  std::map<std::string, std::string> facts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const auto end = line.find('='); end != std::string::npos)
      facts[line.substr(0, end)] = line.substr(end + 1);
  return facts;
}

/// Returns the folder of the builds of tools/libomp.
fs::path libomp_builds() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const auto folder = variable("WSTREE_LIBOMP_DIR"); !folder.empty()) return folder;
  if (const auto cache = variable("WSTREE_CACHE"); !cache.empty()) return fs::path(cache) / "libomp";
  const auto cache = variable("XDG_CACHE_HOME");
  return (cache.empty() ? fs::path(variable("HOME")) / ".cache" : fs::path(cache)) / "wstree" / "libomp";
}

std::string describe(const fs::path& folder) {
  const auto file = folder / "libomp.so.5";
  return fmt::format("{} ({} build)", file.string(), is_debug_libomp(file) ? "debug" : "release");
}

bool holds_libomp(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "libomp.so.5", error);
}

} // namespace

std::string Programs::fact(const std::string& name) const {
  const auto found = facts.find(name);
  return found == facts.end() ? std::string() : found->second;
}

fs::path Programs::program(const std::string& name, const std::string& runtime) const {
  return folder / (runtime == "libgomp" ? name + "-libgomp" : name);
}

Programs find_programs(const std::optional<std::string>& folder) {
  const auto folders = folder ? std::vector{fs::absolute(*folder).lexically_normal()} : usual_folders();
  Programs programs;
  for (const auto& candidate : folders) {
    const auto text = read_text(candidate / k_facts);
    if (!text) continue;
    programs.facts = read_facts(*text);
    for (const auto& runtime : parts_of(programs.fact("runtimes"), ',')) {
      programs.folder = candidate;
      const auto loops = programs.program("loops", runtime);
      if (!is_executable(loops)) {
        programs.problem = fmt::format("'{}' is missing; build the target 'bench'", loops.string());
        programs.folder.clear();
        return programs;
      }
      programs.runtimes.push_back(runtime);
    }
    if (!programs.folder.empty()) return programs;
  }
  std::vector<std::string> tried;
  for (const auto& candidate : folders) tried.push_back((candidate / k_facts).string());
  programs.problem =
      fmt::format("the programs that measure were not found (looked for {}); build the target 'bench' with "
                  "clang or g++ on this machine, or name their folder with --bench",
                  fmt::join(tried, ", "));
  return programs;
}

Libomp find_libomp(const std::optional<std::string>& build, const Programs& programs) {
  if (build == "system") return {{}, "the linker's choice", {}, {}};
  const auto folder = libomp_builds() / build.value_or(k_release);
  if (holds_libomp(folder)) return {folder, describe(folder), {}, {}};
  constexpr auto k_make = "tools/libomp {} of the source tree makes it";
  if (build) {
    const auto make = fmt::format(k_make, *build);
    return {{},
            {},
            {},
            fmt::format("--libomp {}: there is no {}/libomp.so.5; {}", *build, folder.string(), make)};
  }
  Libomp other;
  if (const fs::path linked = programs.fact("linked_libomp"); !linked.empty() && holds_libomp(linked))
    other = {linked, describe(linked), {}, {}};
  else
    other = {{}, "the linker's choice", {}, {}};
  other.remark = fmt::format("there is no release build of libomp in {}; {}; measured instead: {}",
                             folder.string(), fmt::format(k_make, k_release), other.description);
  return other;
}

bool is_debug_libomp(const fs::path& file) {
  const auto content = read_text(file);
  return content && content->find("__kmp_dispatch_next: T#") != std::string::npos;
}

} // namespace wstree::cli::bench
