// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "figures.h"

#include "inspect/statistics.h"
#include "message.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <glob.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>

namespace wstree::cli {

namespace {

namespace fs = std::filesystem;
using config::StatsFormat;

/// Returns a pattern of glob(7) that matches all names for which the file name pattern of the library
/// may stand.
std::string to_glob(std::string_view pattern) {
  std::string result;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    const char next = c == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (std::strchr("phre", next) != nullptr && next != '\0') {
      result += '*';
      ++i;
    } else {
      if (next == '%') ++i;
      if (std::strchr("*?[\\", c) != nullptr) result += '\\';
      result += c;
    }
  }
  return result;
}

void add_matches(const std::string& pattern, std::vector<fs::path>& paths) {
  glob_t matches{};
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &matches) == 0) {
    for (std::size_t i = 0; i < matches.gl_pathc; ++i) paths.emplace_back(matches.gl_pathv[i]);
  }
  globfree(&matches);
}

/// Names that are taken get a number behind them.
std::vector<fs::path> all_matches(std::string_view pattern) {
  std::vector<fs::path> paths;
  add_matches(to_glob(pattern), paths);
  add_matches(to_glob(pattern) + ".[0-9]*", paths);
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool has_loops(const std::string& report) {
  if (!report.starts_with('{')) {
    // The text form has one indented line for each loop.
    std::istringstream lines(report);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("  ")) return true;
    }
    return false;
  }
  const auto parsed = nlohmann::json::parse(report, nullptr, false);
  return parsed.is_object() && parsed.contains("loops") && parsed["loops"].is_array() &&
         !parsed["loops"].empty();
}

/// Returns the longest region that was not served, and the reason; empty: the reports have none.
std::string first_refusal(const std::vector<std::string>& reports) {
  names::Resolver resolver;
  for (const auto& report : reports)
    if (const auto statistics = read_statistics(report, resolver);
        statistics && !statistics->unserved.empty())
      return statistics->unserved.front().name + ": " + statistics->unserved.front().reason;
  return {};
}

/// Returns whether the path is a descriptor, a pipe or a device: its output cannot be read back.
bool is_stream(const fs::path& path) {
  struct stat status {};
  const auto text = path.string();
  return text.starts_with("/dev/") || text.starts_with("/proc/") ||
         (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode));
}

} // namespace

Figures::Figures(std::string_view wish) {
  const auto stats = config::parse_stats(wish);
  if (!stats && !wish.empty()) {
    const auto& option = text_of(config::Option::stats);
    say("{}='{}' is not understood (accepted: {}); using {}", option.name, wish, option.accepted,
        option.default_value);
  }
  if (!stats || stats->path.empty()) {
    shown_ = stats ? stats->format : StatsFormat::off;
    make_folder(); // for JSON: debug information names the loops, and text has no room for its places
    return;
  }
  if (is_stream(stats->path)) {
    problem_ =
        fmt::format("the figures are read back, which '{}' does not allow; name a file or leave out the path",
                    stats->path);
    return;
  }
  format_ = stats->format;
  pattern_ = fs::absolute(stats->path).string(); // the program may change its folder
  present_ = all_matches(pattern_);
  if (pattern_.size() > config::k_max_path) {
    problem_ = fmt::format("'{}' is too long for a path of figures (at most {} bytes)", pattern_,
                           config::k_max_path);
  }
}

Figures::~Figures() { remove_folder(); }

std::string Figures::setting() const { return fmt::format("{}={}", to_text(format_), pattern_); }

bool Figures::settle(const Ending& ending) {
  if (shown_ != StatsFormat::off) missing_ = why_missing(ending);
  const auto reports = take();
  const bool served = std::any_of(reports.begin(), reports.end(), has_loops);
  // A helper of the program without loops does not show that the program has none.
  if (shown_ != StatsFormat::off && (served || missing_.empty())) show(reports);
  if (!served) refusal_ = first_refusal(reports);
  return served;
}

std::string Figures::why_missing(const Ending& ending) const {
  const auto paths = written();
  if (!WIFSIGNALED(ending.wait_status))
    return paths.empty() ? "no figures came: no OpenMP loop ran, or the program ended without running exit "
                           "handlers (_exit, exec)"
                         : "";
  const auto own = std::to_string(ending.process);
  const bool has_own =
      std::any_of(paths.begin(), paths.end(), [&](const fs::path& path) { return path.stem() == own; });
  const int signal = WTERMSIG(ending.wait_status);
  return has_own ? ""
                 : fmt::format("the program was ended by signal {} ({}) before it could write figures",
                               signal, ::strsignal(signal));
}

void Figures::show(const std::vector<std::string>& reports) const {
  if (shown_ == StatsFormat::json) {
    for (const auto& report : reports) std::fwrite(report.data(), 1, report.size(), stderr);
    return;
  }
  names::Resolver resolver;
  // Among many processes, those with loops are shown; of the others, one is enough.
  std::vector<Statistics> shown;
  std::vector<Statistics> without;
  for (const auto& report : reports)
    if (auto statistics = read_statistics(report, resolver))
      (statistics->loops.empty() ? without : shown).push_back(std::move(*statistics));
  const bool several = shown.size() > 1;
  if (shown.empty() && !without.empty()) shown.push_back(std::move(without.front()));
  for (const auto& one : shown) {
    const auto text = statistics_text(one, terminal_of(stderr), several);
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
}

std::vector<std::string> Figures::take() {
  std::vector<std::string> reports;
  for (const auto& path : written()) reports.push_back(contents(path));
  remove_folder();
  return reports;
}

void Figures::make_folder() {
  std::error_code error;
  auto name = (fs::temp_directory_path(error) / "wstree-XXXXXX").string();
  if (error || ::mkdtemp(name.data()) == nullptr) {
    problem_ =
        fmt::format("a folder for figures is needed, and '{}' cannot be created: {}; set TMPDIR to a folder "
                    "that can be written to",
                    name, error ? error.message() : std::strerror(errno));
    return;
  }
  folder_ = name;
  for (const char c : name) pattern_ += c == '%' ? std::string("%%") : std::string(1, c);
  pattern_ += "/%p"; // every process that the program starts may write one
}

void Figures::remove_folder() {
  std::error_code ignored; // nothing can be done about it, and the run is over
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
  folder_.clear();
}

std::vector<fs::path> Figures::written() const {
  auto paths = all_matches(pattern_);
  std::erase_if(paths, [&](const fs::path& path) {
    return std::binary_search(present_.begin(), present_.end(), path);
  });
  return paths;
}

} // namespace wstree::cli
