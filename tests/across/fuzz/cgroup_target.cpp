// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control groups: the files of a system's root, any of them missing or with any content.
#include "support/files.h"
#include "support/target.h"

#include "cgroup.h"

#include <string>

namespace wstree::fuzz::cgroup_target {
namespace {

using namespace place;

void check_groups(Controller controller, const std::string& root) {
  auto found = find_groups(controller, root.c_str());
  require(found.count <= 2, "there are two versions");
  require(found.count < 2 || found.groups[0].version != found.groups[1].version, "a version is there once");
  require(found.problem.empty() || found.problem.view().starts_with(root),
          "what cannot be read is below the root");
  for (std::uint32_t i = 0; i < found.count; ++i) {
    ControlGroup& group = found.groups[i];
    require(group.version == 1 || group.version == 2, "there are two versions");
    require(group.folder.view().starts_with(root), "a group is below the root", group.folder.view());
    require(group.top >= root.size() && group.top <= group.folder.size(), "the outermost one is around it",
            group.folder.view());
    require(group.folder.view().substr(group.top).find("/..") == std::string_view::npos,
            "a group is not above its mount");
    for (std::size_t before = group.folder.size() + 1; group.folder.size() < before;) {
      before = group.folder.size();
      if (!group.go_up()) break;
      require(group.folder.size() < before && group.folder.size() >= group.top, "the way up ends at the top",
              group.folder.view());
    }
  }
}

void check_numbers(std::string_view text) {
  const auto newline = text.find('\n');
  const auto first = text.substr(0, newline);
  const auto second = newline == std::string_view::npos ? std::string_view() : text.substr(newline + 1);
  for (const auto cpus : {parse_cpu_max(first), parse_cfs(first, second)})
    require(!cpus || *cpus > 0, "a quota is a number above 0", text);
}

void body(std::string_view input) {
  const Folder& folder = Folder::emptied();
  check_numbers(folder.fill(input));
  const std::string& root = folder.path();
  check_groups(Controller::cpu, root);
  check_groups(Controller::cpuset, root);
  const auto quota = find_quota(root.c_str());
  require((quota.time > 0) == !quota.file.empty(), "a quota comes from a file", quota.file.view());
  require(quota.file.empty() || quota.file.view().starts_with(root), "below the root", quota.file.view());
  const auto set = find_cpuset(root.c_str());
  require(!set || !set->empty(), "a set of CPUs that is known is not empty");
}

const Registration registration("cgroup", body);

} // namespace
} // namespace wstree::fuzz::cgroup_target
