// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cgroup.h"

#include "text_file.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace wstree::cli {

namespace {

namespace fs = std::filesystem;

template <class Number> std::optional<Number> parse_whole(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  Number number{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> ratio(std::string_view quota, std::string_view period) {
  const auto granted = parse_whole<long long>(quota);
  const auto of = parse_whole<long long>(period);
  if (!granted || !of || *granted <= 0 || *of <= 0) return std::nullopt;
  return static_cast<double>(*granted) / static_cast<double>(*of);
}

bool has_word(std::string_view list, std::string_view word) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const auto end = std::min(list.find(',', begin), list.size());
    if (list.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

struct Mount {
  int version;
  std::string root, point; ///< which folder of the hierarchy is to be seen, and where
};

/// "31 23 0:28 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw": the number of fields before the dash
/// varies.
std::vector<Mount> cpu_mounts(std::string_view mounts) {
  std::vector<Mount> found;
  std::istringstream lines{std::string(mounts)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string skipped, root, point, type, source, options;
    fields >> skipped >> skipped >> skipped >> root >> point;
    while (fields >> skipped && skipped != "-") {
    }
    fields >> type >> source >> options;
    if (type == "cgroup2") found.push_back({2, root, point});
    if (type == "cgroup" && has_word(options, "cpu")) found.push_back({1, root, point});
  }
  return found;
}

/// Path of the process's group in the hierarchy that limits processor time, by version; nothing if the
/// process is in none.
std::optional<std::string> group_path(std::string_view groups, int version) {
  std::istringstream lines{std::string(groups)};
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = std::string_view(line).substr(first + 1, second - first - 1);
    if (version == 2 ? line.starts_with("0::") : has_word(controllers, "cpu")) return line.substr(second + 1);
  }
  return std::nullopt;
}

/// The group's folder. A container may see a part of the hierarchy only, and its own group under the path
/// that it has outside.
fs::path folder_of(const Mount& mount, const std::string& path) {
  const auto below = mount.root == "/" ? path
                     : path == mount.root || path.starts_with(mount.root + '/')
                         ? path.substr(mount.root.size())
                         : std::string();
  if (below.empty() || below == "/" || below.find("/..") != std::string::npos) return mount.point;
  return (fs::path(mount.point) / fs::path(below).relative_path()).lexically_normal();
}

std::optional<double> limit_in(const fs::path& folder, int version, std::string& file) {
  if (version == 2) {
    const auto text = read_text(folder / "cpu.max");
    file = (folder / "cpu.max").string();
    return text ? parse_cpu_max(*text) : std::nullopt;
  }
  const auto quota = read_text(folder / "cpu.cfs_quota_us");
  const auto period = read_text(folder / "cpu.cfs_period_us");
  file = (folder / "cpu.cfs_quota_us").string();
  return quota && period ? parse_cfs(*quota, *period) : std::nullopt;
}

} // namespace

std::optional<double> parse_cpu_max(std::string_view text) {
  const auto blank = text.find(' ');
  return ratio(text.substr(0, blank), blank == std::string_view::npos ? "100000" : text.substr(blank + 1));
}

std::optional<double> parse_cfs(std::string_view quota, std::string_view period) {
  return ratio(quota, period);
}

std::vector<ControlGroup> control_groups(std::string_view groups, std::string_view mounts) {
  std::vector<ControlGroup> result;
  for (const auto& mount : cpu_mounts(mounts)) {
    const auto known = [&](const ControlGroup& group) { return group.version == mount.version; };
    const auto path = group_path(groups, mount.version);
    if (!path || std::any_of(result.begin(), result.end(), known)) continue;
    result.push_back({mount.version, folder_of(mount, *path), mount.point});
  }
  return result;
}

Quota find_quota(const fs::path& root) {
  Quota result;
  const auto below_root = [&](const fs::path& path) { return root / path.relative_path(); };
  const auto groups = read_text(below_root("/proc/self/cgroup"));
  const auto mounts = read_text(below_root("/proc/self/mountinfo"));
  if (!groups || !mounts) {
    result.problem = below_root(groups ? "/proc/self/mountinfo" : "/proc/self/cgroup").string();
    return result;
  }
  for (const auto& group : control_groups(*groups, *mounts)) {
    std::error_code error;
    if (!fs::is_directory(below_root(group.folder), error))
      result.problem = below_root(group.folder).string();
    for (auto folder = group.folder;; folder = folder.parent_path()) {
      std::string file;
      const auto cpus = limit_in(below_root(folder), group.version, file);
      if (cpus && (!result.cpus || *cpus < *result.cpus)) {
        result.cpus = cpus;
        result.file = file;
      }
      if (folder == group.top || folder == folder.parent_path()) break;
    }
  }
  return result;
}

} // namespace wstree::cli
