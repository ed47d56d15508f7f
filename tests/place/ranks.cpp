// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks on one machine, sets of CPUs, and the environment while hwloc looks at the machine.
#include "fake_root.h"

#include "changed_environment.h"
#include "cpu_set.h"
#include "family.h"
#include "ranks.h"
#include "seed.h"

namespace wstree::place {
namespace {

CpuSet cpus(const std::string& list) { return *parse_cpu_list(list); }

LocalRanks ranks(std::vector<std::string> entries) {
  const FakeEnvironment environment(std::move(entries));
  return find_local_ranks(environment.envp());
}

TEST(LocalRanks, AreWhatTheLauncherSays) {
  for (const std::string name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE",
                                 "SLURM_STEP_TASKS_PER_NODE", "PALS_LOCAL_SIZE", "PMI_LOCAL_SIZE",
                                 "JSM_NAMESPACE_LOCAL_SIZE", "LOCAL_WORLD_SIZE"}) {
    const auto found = ranks({"A=b", name + "=12"});
    EXPECT_EQ(found.count, 12U) << name;
    EXPECT_EQ(found.source, name);
  }
}

TEST(LocalRanks, AreOneWithoutALauncher) {
  EXPECT_EQ(ranks({}).count, 1U);
  EXPECT_EQ(ranks({}).source, "");
  EXPECT_EQ(find_local_ranks(nullptr).count, 1U);
  for (const std::string value : {"", "0", "-1", "x", "2x", "99999999999999999999", "2,3"}) {
    EXPECT_EQ(ranks({"MPI_LOCALNRANKS=" + value}).count, 1U) << value;
    EXPECT_EQ(ranks({"MPI_LOCALNRANKS=" + value}).source, "") << value;
  }
  EXPECT_EQ(ranks({"SLURM_TASKS_PER_NODE=8"}).count, 1U) << "that is the allocation, not what runs";
}

// mpirun in a job of Slurm starts its daemons as a step with one task per node.
TEST(LocalRanks, AreTheLargestOfSeveral) {
  const auto found = ranks({"SLURM_STEP_TASKS_PER_NODE=1(x2)", "OMPI_COMM_WORLD_LOCAL_SIZE=4"});
  EXPECT_EQ(found.count, 4U);
  EXPECT_EQ(found.source, "OMPI_COMM_WORLD_LOCAL_SIZE");
  EXPECT_EQ(ranks({"SLURM_STEP_TASKS_PER_NODE=8", "OMPI_COMM_WORLD_LOCAL_SIZE=4"}).count, 8U);
}

TEST(Counts, OfSlurm) {
  EXPECT_EQ(largest_of_counts("4"), 4U);
  EXPECT_EQ(largest_of_counts("4(x2),3"), 4U);
  EXPECT_EQ(largest_of_counts("3,4(x2)"), 4U);
  EXPECT_EQ(largest_of_counts("1(x16),12,2(x3)"), 12U);
  for (const auto* text : {"", ",", "4,", "x2", "4(2)", "4(x2", "(x2)", "4 3", "0"})
    EXPECT_EQ(largest_of_counts(text), std::nullopt) << text;
}

/// Ranks as a launcher starts them: this process has the number 100 and the first of the masks.
class Ranks : public testing::Test {
protected:
  static constexpr int k_launcher = 10;

  void start(const std::vector<std::string>& masks, const std::string& launcher = "0-15") {
    std::string children;
    for (std::size_t i = 0; i < masks.size(); ++i) {
      const int id = 100 + static_cast<int>(i);
      root_.write_process(std::to_string(id), id, k_launcher, masks[i]);
      children += std::to_string(id) + ' ';
    }
    root_.write_process("self", 100, k_launcher, masks.front());
    root_.write_process(std::to_string(k_launcher), k_launcher, 1, launcher);
    root_.write_children(k_launcher, k_launcher, children);
    mask_ = cpus(masks.front());
    count_ = static_cast<std::uint32_t>(masks.size());
  }
  bool share() const { return do_ranks_share(mask_, count_, 16, root_.path()); }

  FakeRoot root_;
  CpuSet mask_;
  std::uint32_t count_ = 0;
};

TEST_F(Ranks, ShareIfTheirMasksOverlap) {
  const std::pair<std::vector<std::string>, bool> table[] = {
      {{"0-15", "0-15", "0-15", "0-15"}, true}, // mpirun --bind-to none
      {{"0,8", "1,9", "2,10", "3,11"}, false},  // --bind-to core, two hardware threads each
      {{"0-7", "8-15"}, false},                 // --bind-to numa
      {{"0-7", "8-15", "0-7", "8-15"}, true},   // --bind-to socket: the arithmetic alone would not see it
      {{"0-3", "3-6"}, true},
  };
  for (const auto& [masks, do_share] : table) {
    start(masks);
    EXPECT_EQ(share(), do_share) << masks[1];
  }
}

TEST_F(Ranks, MayHaveOtherProcessesBesideThem) {
  start({"0-3", "4-7", "0-15"});
  count_ = 2;
  EXPECT_FALSE(share());
}

// taskset -c 0-3 mpirun --bind-to none: the mask is small, but all ranks have it.
TEST_F(Ranks, InTheLaunchersOwnMaskShare) {
  start({"0-3", "0-3"}, "0-3");
  EXPECT_TRUE(share());
  root_.write_children(k_launcher, k_launcher, "");
  EXPECT_TRUE(share()) << "nor does the arithmetic take it for their own";
}

TEST_F(Ranks, ThatThreadsOfTheLauncherStartedAreFound) {
  start({"0-7", "0-7"});
  root_.write_children(k_launcher, k_launcher, "100 ");
  root_.write_children(k_launcher, k_launcher + 1, "101");
  EXPECT_TRUE(share());
  start({"0-7", "8-15"});
  root_.write_children(k_launcher, k_launcher, "");
  root_.write_children(k_launcher, k_launcher + 1, "101 100");
  EXPECT_FALSE(share());
}

TEST_F(Ranks, BehindScriptsAreFound) { // mpirun sh -c ./solver
  for (const auto* other : {"0-7", "8-15"}) {
    start({"0-7", other});
    root_.write_process("self", 300, 200, "0-7");
    root_.write_process("200", 200, 100, "0-7");
    root_.write_children(200, 200, "300");
    root_.write_children(100, 100, "200");
    EXPECT_EQ(share(), std::string(other) == "0-7");
  }
}

TEST_F(Ranks, OfWhichOneIsSeenNeedAsMuchForEachOfTheOthers) {
  struct Row {
    const char* mask;
    std::uint32_t count;
    const char* launcher;
    bool do_share;
  };
  for (const auto& [mask, count, launcher, do_share] : {
           Row{"0-3", 4, "0-15", false},
           {"0-3", 5, "0-15", true},
           {"0-7", 4, "0-15", true}, // --bind-to socket with two ranks on each
           {"0-3", 2, "0-7", false},
           {"0-3", 3, "0-7", true},
           {"0-15", 2, "0-15", true}, // not bound
           {"0", 2, "0", true},
           {"0-3", 2, "4-15", true}, // not the launcher has moved it
       }) {
    start({mask}, launcher);
    count_ = count;
    EXPECT_EQ(share(), do_share) << count << " ranks on " << mask << " of " << launcher;
  }
}

TEST_F(Ranks, AreJudgedByTheirControlGroupWhereTheLauncherIsOutOfSight) {
  start({"0-3"});
  count_ = 2;
  root_.write_process("self", 1, 0, "0-3");
  EXPECT_FALSE(share()) << "of 16 CPUs";
  root_.write("proc/self/cgroup", "0::/job\n");
  root_.write("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n");
  for (const auto& [cpus, do_share] : {std::pair{"0-3\n", true}, {"0-7\n", false}, {"0-6\n", true}}) {
    root_.write("sys/fs/cgroup/job/cpuset.cpus.effective", cpus);
    EXPECT_EQ(share(), do_share) << cpus;
  }
}

TEST(RanksOfOne, DoNotShare) { EXPECT_FALSE(do_ranks_share(cpus("0-15"), 1, 8, "/nonexistent")); }

TEST(Family, SeesItsChildren) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  if (child == 0) { // lives until the other end is closed
    ::close(pipe[1]);
    char byte;
    [[maybe_unused]] const auto end = ::read(pipe[0], &byte, 1);
    ::_exit(0);
  }
  ASSERT_GT(child, 0);
  const auto children = children_of(static_cast<std::uint32_t>(::getpid()), "");
  ::close(pipe[1]);
  ::close(pipe[0]);
  ::waitpid(child, nullptr, 0);
  if (!children.complete) GTEST_SKIP() << "this kernel has no list of children";
  EXPECT_TRUE(children.has(static_cast<std::uint32_t>(child)));
  EXPECT_FALSE(children.has(1));
}

std::string list(std::initializer_list<std::uint32_t> cpus) {
  CpuSet set;
  for (const std::uint32_t cpu : cpus) set.add(cpu);
  return std::string(to_list(set).view());
}

TEST(CpuSet, IsWrittenAsTheKernelDoes) {
  EXPECT_EQ(list({}), "");
  EXPECT_EQ(list({0}), "0");
  EXPECT_EQ(list({0, 1}), "0-1");
  EXPECT_EQ(list({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(list({63, 64, 66, 8190, 8191}), "63-64,66,8190-8191");
}

TEST(CpuSet, IsReadAsTheKernelWritesIt) {
  const auto read = [](std::string_view text) {
    const auto set = parse_cpu_list(text);
    return set ? std::string(to_list(*set).view()) : std::string("not understood");
  };
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read("\n"), "");
  EXPECT_EQ(read("0-3,8\n"), "0-3,8");
  EXPECT_EQ(read("5,1,2"), "1-2,5");
  EXPECT_EQ(read("0-3,2-5"), "0-5");
  EXPECT_EQ(read("8191"), "8191");
  for (const char* wrong : {"8192", "0-8192", "3-1", "-1", "1-", ",", "1,", ",1", "1,,2", "1 2", "a", "1a",
                            "+1", "0x1", "99999999999999999999"})
    EXPECT_EQ(read(wrong), "not understood") << wrong;
}

/// All operations against std::set.
TEST(CpuSet, IsASet) {
  std::mt19937_64 random(test::seed());
  for (std::uint64_t round = test::scaled(200); round > 0; --round) {
    CpuSet sets[2];
    std::set<std::uint32_t> models[2];
    const std::uint32_t range = round % 2 == 0 ? 130 : CpuSet::k_cpus;
    for (int step = 0; step < 60; ++step) {
      const std::uint32_t cpu = static_cast<std::uint32_t>(random() % range);
      const auto which = static_cast<std::size_t>(random() % 2);
      if (random() % 4 != 0) {
        sets[which].add(cpu);
        models[which].insert(cpu);
      } else {
        sets[which].remove(cpu);
        models[which].erase(cpu);
      }
      ASSERT_EQ(sets[which].has(cpu), models[which].contains(cpu));
    }
    std::set<std::uint32_t> both, either = models[0];
    for (const std::uint32_t cpu : models[1])
      if (!either.insert(cpu).second) both.insert(cpu);
    CpuSet kept = sets[0], joined = sets[0];
    kept.keep(sets[1]);
    joined.add(sets[1]);
    const auto equal = [](const CpuSet& set, const std::set<std::uint32_t>& model) {
      auto next = model.begin();
      for (std::uint32_t cpu = set.next(0); cpu < CpuSet::k_cpus; cpu = set.next(cpu + 1), ++next)
        if (next == model.end() || *next != cpu) return false;
      return next == model.end() && set.count() == model.size() && set.empty() == model.empty();
    };
    EXPECT_TRUE(equal(sets[0], models[0]));
    EXPECT_TRUE(equal(kept, both));
    EXPECT_TRUE(equal(joined, either));
    EXPECT_EQ(sets[0].overlaps(sets[1]), !both.empty());
    EXPECT_EQ(sets[0].is_within(sets[1]), both.size() == models[0].size());
    EXPECT_TRUE(kept.is_within(sets[0]));
    const auto text = to_list(joined);
    if (!text.view().ends_with("...")) {
      EXPECT_EQ(parse_cpu_list(text.view()), joined);
    }
  }
}

std::string value(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? text : "none";
}

TEST(ChangedEnvironment, KeepsTheUsersValuesAndIsPutBack) {
  constexpr const char *k_plugins = "HWLOC_PLUGINS_PATH", *k_errors = "HWLOC_HIDE_ERRORS";
  for (const std::string of_the_user : {"none", "/mine"}) {
    ::setenv("WSTREE_TEST_A", "a", 1);
    if (of_the_user != "none") ::setenv(k_plugins, of_the_user.c_str(), 1);
    char** const before = environ;
    {
      const ChangedEnvironment changed;
      EXPECT_EQ(value(k_plugins), of_the_user == "none" ? "/nonexistent" : of_the_user);
      EXPECT_EQ(value(k_errors), "2");
      EXPECT_EQ(value("WSTREE_TEST_A"), "a");
    }
    EXPECT_EQ(environ, before);
    {
      const ChangedEnvironment changed;
      ::setenv("WSTREE_TEST_NEW", "new", 1);
    }
    EXPECT_EQ(value("WSTREE_TEST_NEW"), "new");
    EXPECT_EQ(value("WSTREE_TEST_A"), "a");
    EXPECT_EQ(value(k_plugins), of_the_user);
    EXPECT_EQ(value(k_errors), "none");
    for (const char* const name : {"WSTREE_TEST_A", "WSTREE_TEST_NEW", k_plugins}) ::unsetenv(name);
  }
}

TEST(ChangedEnvironment, MayBeEmpty) {
  char** const before = environ;
  char* none[] = {nullptr};
  for (char** const empty : {static_cast<char**>(none), static_cast<char**>(nullptr)}) { // after clearenv()
    environ = empty;
    {
      const ChangedEnvironment changed;
      EXPECT_EQ(value("HWLOC_HIDE_ERRORS"), "2");
    }
    EXPECT_EQ(environ, empty);
  }
  environ = before;
}

} // namespace
} // namespace wstree::place
