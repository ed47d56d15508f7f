// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command in control groups that really limit it. They can be made by root only, and where the hierarchy
// is writable.
#include "command.h"

#include "cgroup.h"
#include "process_limits.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace wstree::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

/// A control group inside that of this process, empty again when the test ends.
class Group {
public:
  explicit Group(place::Controller controller) {
    const auto found = place::find_groups(controller);
    std::string reasons;
    for (std::uint32_t i = 0; i < found.count && folder_.empty(); ++i) {
      const auto& group = found.groups[i];
      const fs::path folder =
          fs::path(std::string(group.folder.view())) / ("wstree-test-" + std::to_string(::getpid()));
      if (::mkdir(folder.c_str(), 0755) != 0) {
        reasons += " " + folder.string() + ": " + std::strerror(errno) + ";";
        continue;
      }
      const char* file = controller == place::Controller::cpuset ? "cpuset.cpus"
                         : group.version == 2                    ? "cpu.max"
                                                                 : "cpu.cfs_quota_us";
      if (::access((folder / file).c_str(), W_OK) == 0) {
        folder_ = folder;
        version_ = group.version;
      } else {
        reasons += " the controller is not in use in " + std::string(group.folder.view()) + ";";
        ::rmdir(folder.c_str());
      }
    }
    problem_ = folder_.empty() ? "no control group can be made here:" + reasons : "";
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    if (!folder_.empty()) {
      EXPECT_EQ(::rmdir(folder_.c_str()), 0) << folder_ << ": " << std::strerror(errno);
    }
  }

  const std::string& problem() const { return problem_; }
  int version() const { return version_; }
  fs::path folder() const { return folder_; }
  void set(const std::string& file, const std::string& value) const {
    std::ofstream out(folder_ / file);
    out << value << std::flush;
    ASSERT_TRUE(out.good()) << file << ": " << value;
  }
  /// `wstree doctor --json` in it.
  json doctor(const std::map<std::string, std::string>& more) const {
    Start start{.arguments = {"-c", "echo $$ >'" + (folder_ / "cgroup.procs").string() +
                                        "' && exec " WSTREE_CLI " doctor --json"},
                .executable = "/bin/sh"};
    for (const auto& [name, value] : more) start.environment[name] = value;
    const auto result = run(start);
    EXPECT_EQ(result.err, "");
    return json::parse(result.out, nullptr, false);
  }

private:
  fs::path folder_;
  std::string problem_;
  int version_ = 0;
};

json check(const json& document, const std::string& name) {
  for (const auto& check : document["checks"])
    if (check["name"] == name) return check;
  return nullptr;
}

TEST(DoctorInAGroup, SeesTheQuota) {
  const Group group(place::Controller::cpu);
  if (!group.problem().empty()) GTEST_SKIP() << group.problem();
  if (group.version() == 2) {
    group.set("cpu.max", "150000 100000");
  } else {
    group.set("cpu.cfs_period_us", "100000");
    group.set("cpu.cfs_quota_us", "150000");
  }
  const auto document = group.doctor({{"OMP_NUM_THREADS", "3"}});
  EXPECT_THAT(check(document, "quota")["found"].get<std::string>(),
              HasSubstr("1.5 CPUs for 3 threads (" + group.folder().string() + "/"));
  EXPECT_EQ(check(document, "quota")["status"], "warn");
  EXPECT_EQ(check(document, "placement")["found"],
            "threads are not pinned (auto: 3 members, but a control group grants the time of 1.5 CPUs)");
  // A group that grants enough does not matter.
  group.set(group.version() == 2 ? "cpu.max" : "cpu.cfs_quota_us",
            group.version() == 2 ? "900000 100000" : "900000");
  EXPECT_EQ(check(group.doctor({{"OMP_NUM_THREADS", "3"}}), "quota")["status"], "ok");
}

/// What `wstree run OPTIONS -- env` does in a group with this time for each 100000. (The library there is a
/// stand-in, so the program sees the wish for a team, not its size.)
Result run_env(const Group& group, const std::string& time, const std::map<std::string, std::string>& more,
               const std::string& options = "") {
  group.set(group.version() == 2 ? "cpu.max" : "cpu.cfs_quota_us",
            group.version() == 2 ? time + " 100000" : time);
  Start start{.arguments = {"-c", "echo $$ >'" + (group.folder() / "cgroup.procs").string() +
                                      "' && exec " WSTREE_CLI " run " + options + " -- /usr/bin/env"},
              .executable = "/bin/sh"};
  for (const auto& [name, value] : more) start.environment[name] = value;
  return run(start);
}

TEST(RunInAGroup, AsksForATeamThatFitsTheQuota) {
  if (place::current_mask().count() < 2) GTEST_SKIP() << "there is one CPU only";
  const Group group(place::Controller::cpu);
  if (!group.problem().empty()) GTEST_SKIP() << group.problem();
  const auto started = [&](const std::map<std::string, std::string>& more) {
    return run_env(group, "50000", more);
  };
  const auto result = started({});
  EXPECT_THAT(result.out, HasSubstr("WSTREE_THREADS=auto\n"));
  EXPECT_THAT(result.err, HasSubstr("teams have 1 thread instead of "));
  EXPECT_THAT(result.err, HasSubstr("because the control groups grant the time of 0.5 CPUs"));
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"OMP_NUM_THREADS", "3"}, {"WSTREE_THREADS", "off"}}) {
    const auto decided = started({{name, value}});
    EXPECT_THAT(decided.out, testing::Not(HasSubstr("WSTREE_THREADS=auto")));
    EXPECT_THAT(decided.err, testing::Not(HasSubstr("teams have")));
  }
}

TEST(RunInAGroup, LetsThreadsSleepSoonIfSpinningCouldUseUpTheQuota) {
  if (place::current_mask().count() < 2) GTEST_SKIP() << "there is one CPU only";
  const Group group(place::Controller::cpu);
  if (!group.problem().empty()) GTEST_SKIP() << group.problem();
  const auto spins = testing::AnyOf(HasSubstr("GOMP_SPINCOUNT=1000\n"), HasSubstr("KMP_BLOCKTIME=1\n"));
  const auto result = run_env(group, "150000", {});
  EXPECT_THAT(result.out, testing::AllOf(HasSubstr("GOMP_SPINCOUNT=1000\n"), HasSubstr("KMP_BLOCKTIME=1\n")));
  EXPECT_THAT(result.err, testing::Not(HasSubstr("SPINCOUNT"))) << "--verbose is not given";
  EXPECT_THAT(run_env(group, "150000", {}, "--verbose").err,
              HasSubstr("GOMP_SPINCOUNT=1000 and KMP_BLOCKTIME=1, because the control groups grant the time "
                        "of 1.5 CPUs\n"));
  for (const auto* whole : {"100000", "200000"})
    EXPECT_THAT(run_env(group, whole, {}).out, testing::Not(spins));
  for (const auto& [name, value] : std::map<std::string, std::string>{{"OMP_NUM_THREADS", "2"},
                                                                      {"WSTREE_THREADS", "off"},
                                                                      {"OMP_WAIT_POLICY", "active"},
                                                                      {"GOMP_SPINCOUNT", "7"},
                                                                      {"KMP_BLOCKTIME", "7"}})
    EXPECT_THAT(run_env(group, "150000", {{name, value}}).out, testing::Not(spins)) << name;
}

} // namespace
} // namespace wstree::test
