// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `wstree doctor` says about the placement of threads.
#include "command.h"
#include "machines.h"

#include "doctor/checks.h"
#include "doctor/cpu_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wstree::test {
namespace {

using cli::Check;
using cli::Status;
using config::Bind;
using testing::HasSubstr;
using testing::StartsWith;

/// On 4 cores with two hardware threads each.
class DoctorPlacement : public testing::Test {
protected:
  void SetUp() override {
    std::string_view why;
    facts_.machine = place::Machine::load(
        {.kind = place::MachineSource::Kind::synthetic, .text = "core:4 pu:2", .within = nullptr}, why);
    ASSERT_NE(facts_.machine, nullptr) << why;
  }
  Check check(unsigned team, Bind bind = Bind::auto_) const {
    const auto check = cli::check_placement(facts_, team, bind);
    EXPECT_EQ(check.name, "placement");
    EXPECT_EQ(check.status == Status::note, !check.cause.empty()) << check.found;
    return check;
  }

  cli::PlacementFacts facts_;
};

TEST(DoctorKinds, TellsFastCpusFromSlowOnes) {
  const TemporaryFolder folder;
  const auto file = folder.write("machine.xml", k_slow_and_fast, k_data);
  std::string_view why;
  const auto machine =
      place::Machine::load({.kind = place::MachineSource::Kind::xml_file, .text = file.c_str()}, why);
  ASSERT_NE(machine, nullptr) << why;
  const auto both = cli::check_kinds(*machine, 2);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->status, Status::note);
  EXPECT_EQ(both->found, "1 fast and 1 slow, of 2 kinds, for 2 threads");
  EXPECT_THAT(both->fix, HasSubstr("OMP_NUM_THREADS=1 OMP_PLACES={1} OMP_PROC_BIND=close"));
  EXPECT_EQ(cli::check_kinds(*machine, 1)->status, Status::ok);
}

TEST_F(DoctorPlacement, LeavesTeamsAlone) {
  const auto small = check(2);
  EXPECT_THAT(small.found, StartsWith("threads are not pinned (auto: 2 members on 4 cores, "));
  EXPECT_THAT(small.fix, HasSubstr("WSTREE_BIND=close"));
  EXPECT_EQ(small.status, Status::note);
  EXPECT_EQ(check(9).status, Status::note);
  facts_.limits.quota = 2'000;
  EXPECT_THAT(check(4).found, HasSubstr("the time of 2 CPUs"));
  EXPECT_EQ(check(4).status, Status::note);
  facts_.limits.ranks_share_mask = true;
  facts_.limits.local_ranks = 2;
  facts_.limits.rank_source = "MPI_LOCALNRANKS";
  EXPECT_THAT(check(4).found, HasSubstr("2 ranks on this machine share CPUs, by MPI_LOCALNRANKS"));
  EXPECT_THAT(check(4).fix, HasSubstr("--bind-to"));
  EXPECT_EQ(check(4).status, Status::note);
}

TEST_F(DoctorPlacement, WarnsWhereTheRuntimePutsThreadsOnOneCpu) {
  const auto found = [&](std::vector<std::string> entries) {
    const auto bound = cli::check_bound_cpus(facts_, 2, cli::Environment(std::move(entries)));
    return bound ? bound->found : std::string();
  };
  EXPECT_EQ(found({"OMP_PLACES={0}"}), "") << "the runtime does not bind";
  facts_.limits.runtime_binds = true;
  EXPECT_EQ(found({"OMP_PLACES={0}"}), "OMP_PLACES={0} binds 2 threads to 1 CPU");
  EXPECT_EQ(found({"OMP_PROC_BIND=close", "OMP_PLACES={0},{0}"}),
            "OMP_PLACES={0},{0} binds 2 threads to 1 CPU");
  EXPECT_EQ(found({"OMP_PROC_BIND=primary", "OMP_PLACES=threads"}),
            "OMP_PLACES=threads binds 2 threads to 1 CPU");
  EXPECT_EQ(found({"GOMP_CPU_AFFINITY=0 0"}), "GOMP_CPU_AFFINITY=0 0 binds 2 threads to 1 CPU");
  for (const auto* enough : {"OMP_PLACES=cores", "OMP_PLACES={0:2}", "GOMP_CPU_AFFINITY=0-3",
                             "OMP_PROC_BIND=true", "OMP_PLACES=none such"})
    EXPECT_EQ(found({enough}), "") << enough;
}

/// The line of the command itself.
nlohmann::json placement(std::map<std::string, std::string> more) {
  Start start{.arguments = {"doctor", "--json"}};
  start.environment.merge(more);
  const auto document = nlohmann::json::parse(run(start).out);
  for (const auto& check : document["checks"])
    if (check["name"] == "placement") return check;
  return nullptr;
}

TEST(DoctorCommand, SaysWhatWouldBeDoneHere) {
  EXPECT_EQ(placement({{"WSTREE_BIND", "none"}})["found"], "threads are not pinned (none: as asked for)");
  EXPECT_EQ(placement({{"OMP_NUM_THREADS", "1"}})["found"], "threads are not pinned (auto: a team of one)");
  EXPECT_EQ(placement({{"OMP_NUM_THREADS", "2"}, {"OMP_PLACES", "cores"}})["found"],
            "threads are not pinned (auto: OMP_PLACES is set)");
  EXPECT_THAT(placement({{"OMP_NUM_THREADS", "2"}, {"WSTREE_BIND", "close"}})["found"].get<std::string>(),
              StartsWith("threads are pinned (close: 2 members on "));
}

} // namespace
} // namespace wstree::test
