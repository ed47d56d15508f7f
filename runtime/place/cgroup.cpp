// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cgroup.h"

#include "system_call.h"
#include "tokens.h"

#include "wstree/core/cost.h"

#include <charconv>
#include <fcntl.h>
#include <sys/syscall.h>

namespace wstree::place {

namespace {

using config::split;
using config::without_first;

constexpr std::string_view k_default_period = "100000";

std::optional<std::int64_t> parse_positive(std::string_view text) noexcept {
  text = config::trim(text);
  std::int64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size() || number <= 0) return std::nullopt;
  return number;
}

std::string_view word_of(Controller controller) noexcept {
  return controller == Controller::cpu ? "cpu" : "cpuset";
}

bool has_word(std::string_view list, std::string_view word) noexcept {
  for (std::optional<std::string_view> rest = list; rest;) {
    const auto [head, tail] = split(*rest, ',');
    if (head == word) return true;
    rest = tail;
  }
  return false;
}

/// Takes the first field off `text`, up to a blank.
std::string_view take_field(std::string_view& text) noexcept {
  const auto end = text.find(' ');
  const std::string_view field = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : without_first(text, end + 1);
  return field;
}

/// Decodes a path as mountinfo writes it, with \040 for a blank.
PathText decode(std::string_view field) noexcept {
  PathText path;
  const auto is_octal = [](char c) noexcept { return c >= '0' && c <= '7'; };
  while (!field.empty()) {
    if (field.size() >= 4 && field[0] == '\\' && is_octal(field[1]) && is_octal(field[2]) &&
        is_octal(field[3])) {
      path.append(static_cast<char>((field[1] - '0') * 64 + (field[2] - '0') * 8 + (field[3] - '0')));
      field.remove_prefix(4);
    } else {
      path.append(field.front());
      field.remove_prefix(1);
    }
  }
  return path;
}

struct Mount {
  int version = 0;      // 0: no hierarchy that matters here
  PathText root, point; // which folder of the hierarchy is to be seen, and where
};

/// "31 23 0:28 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw": the number of fields before the
/// dash varies.
Mount parse_mount(std::string_view line, std::string_view controller) noexcept {
  Mount mount;
  for (int i = 0; i < 3; ++i) take_field(line);
  const std::string_view root = take_field(line);
  const std::string_view point = take_field(line);
  while (!line.empty() && take_field(line) != "-") {
  }
  const std::string_view type = take_field(line);
  take_field(line);
  if (type == "cgroup2") mount.version = 2;
  if (type == "cgroup" && has_word(line, controller)) mount.version = 1;
  if (mount.version != 0) {
    mount.root = decode(root);
    mount.point = decode(point);
    if (mount.root.truncated() || mount.point.truncated()) mount.version = 0;
  }
  return mount;
}

/// The process's groups in the hierarchies of both versions, as paths from the hierarchies' roots.
struct GroupPaths {
  PathText of_version[3]; // empty: in none
};

void add_group_path(std::string_view line, std::string_view controller, GroupPaths& paths) noexcept {
  const auto first = line.find(':');
  const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
  if (second == std::string_view::npos) return;
  const std::string_view controllers = line.substr(first + 1, second - first - 1);
  const int version = line.starts_with("0::") ? 2 : has_word(controllers, controller) ? 1 : 0;
  if (version != 0 && paths.of_version[version].empty())
    paths.of_version[version].append(without_first(line, second + 1));
}

/// A container may see a part of the hierarchy only, and its own group under the path that it has outside.
ControlGroup group_in(const Mount& mount, std::string_view path, const char* root) noexcept {
  ControlGroup group;
  group.version = mount.version;
  group.folder = below(root, mount.point.view());
  group.top = group.folder.size();
  const std::string_view seen = mount.root.view();
  if (seen != "/") {
    const bool is_inside = path.starts_with(seen) && (path.size() == seen.size() || path[seen.size()] == '/');
    path = is_inside ? without_first(path, seen.size()) : std::string_view();
  }
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.find("/..") == std::string_view::npos) group.folder.append(path);
  return group;
}

PathText file_in(const ControlGroup& group, std::string_view name) noexcept {
  PathText path = group.folder;
  path.append('/').append(name);
  return path;
}

std::optional<std::uint64_t> limit_in(const ControlGroup& group, PathText& file) noexcept {
  if (group.version == 2) {
    file = file_in(group, "cpu.max");
    const auto text = read_short_line(file);
    return text ? parse_cpu_max(text->view()) : std::nullopt;
  }
  file = file_in(group, "cpu.cfs_quota_us");
  const auto quota = read_short_line(file);
  const auto period = read_short_line(file_in(group, "cpu.cfs_period_us"));
  return quota && period ? parse_cfs(quota->view(), period->view()) : std::nullopt;
}

bool is_folder(PathText path) noexcept {
  if (path.truncated()) return false;
  const long folder =
      config::system_call(SYS_openat, AT_FDCWD, path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) config::system_call(SYS_close, folder);
  return folder >= 0;
}

} // namespace

std::optional<std::uint64_t> parse_cpu_max(std::string_view text) noexcept {
  const auto [quota, period] = split(config::trim(text), ' ');
  return parse_cfs(quota, period.value_or(k_default_period));
}

std::optional<std::uint64_t> parse_cfs(std::string_view quota, std::string_view period) noexcept {
  const auto granted = parse_positive(quota);
  const auto of = parse_positive(period);
  if (!granted || !of) return std::nullopt;
  return std::max<std::uint64_t>(
      core::scaled(static_cast<std::uint64_t>(*granted), k_whole_cpu, static_cast<std::uint64_t>(*of)), 1);
}

bool ControlGroup::go_up() noexcept {
  if (folder.size() <= top) return false;
  const auto slash = folder.view().rfind('/');
  folder.resize_down(slash == std::string_view::npos || slash < top ? top : slash);
  return true;
}

ControlGroups find_groups(Controller controller, const char* root) noexcept {
  ControlGroups found;
  const std::string_view word = word_of(controller);
  GroupPaths paths;
  {
    const PathText file = below(root, "/proc/self/cgroup");
    LineReader lines(file);
    if (!lines.is_open()) found.problem = file;
    while (const auto line = lines.next()) add_group_path(*line, word, paths);
  }
  const PathText file = below(root, "/proc/self/mountinfo");
  LineReader lines(file);
  if (!lines.is_open() && found.problem.empty()) found.problem = file;
  while (const auto line = lines.next()) {
    const Mount mount = parse_mount(*line, word);
    if (mount.version == 0) continue;
    const bool is_known = found.count != 0 && found.groups[0].version == mount.version;
    const std::string_view path = paths.of_version[mount.version].view();
    if (path.empty() || is_known || found.count == found.groups.size()) continue;
    found.groups[found.count++] = group_in(mount, path, root);
  }
  return found;
}

Quota find_quota(const char* root) noexcept {
  Quota quota;
  ControlGroups found = find_groups(Controller::cpu, root);
  quota.problem = found.problem;
  for (std::uint32_t i = 0; i < found.count; ++i) {
    ControlGroup& group = found.groups[i];
    if (!is_folder(group.folder)) quota.problem = group.folder;
    do {
      PathText file;
      const auto time = limit_in(group, file);
      if (!time || (quota.time != 0 && *time >= quota.time)) continue;
      quota.time = *time;
      quota.file = file;
    } while (group.go_up());
  }
  return quota;
}

std::optional<CpuSet> find_cpuset(const char* root) noexcept {
  ControlGroups found = find_groups(Controller::cpuset, root);
  for (std::uint32_t i = 0; i < found.count; ++i) {
    ControlGroup& group = found.groups[i];
    do { // a group of version 2 has no such file if the controller is not in use there
      LineReader lines(
          file_in(group, group.version == 2 ? "cpuset.cpus.effective" : "cpuset.effective_cpus"));
      const auto line = lines.next();
      const auto set = line ? parse_cpu_list(*line) : std::nullopt;
      if (set && !set->empty()) return set;
    } while (group.go_up());
  }
  return std::nullopt;
}

} // namespace wstree::place
