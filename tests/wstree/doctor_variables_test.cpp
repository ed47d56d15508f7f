// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `wstree doctor` says about environment variables and CPUs.
#include "doctor/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wstree::test {
namespace {

using cli::Check;
using cli::Checks;
using cli::Status;
using testing::HasSubstr;
using Entries = std::vector<std::string>;

Checks variables(Entries entries) { return cli::check_variables(cli::Environment(std::move(entries))); }

/// The one line there is besides that on OMP_SCHEDULE=wstree.
Check about(const std::string& entry) {
  auto checks = variables({"OMP_SCHEDULE=wstree", entry});
  EXPECT_EQ(checks.size(), 2U) << entry;
  EXPECT_EQ(checks.front().status, Status::ok) << entry;
  return checks.back();
}

Check schedule(const std::string& value, const std::string& other = "A=b") {
  return variables({other, "OMP_SCHEDULE=" + value}).front();
}

TEST(DoctorSchedule, IsJudged) {
  constexpr const char *k_stays = "stay with the OpenMP runtime", *k_compares = "to compare with",
                       *k_none = "there is no such schedule", *k_own = "set OMP_SCHEDULE=wstree";
  struct Row {
    Entries values;
    Status status;
    const char *cause, *fix; // parts of these
  };
  const Row table[] = {
      {{"wstree", " WSTREE , 8", "nonmonotonic:wstree", "Monotonic:dynamiC,8", "wsrange", "wsqueue,4",
        "WSQUEUE_LOCK"},
       Status::ok,
       "",
       ""},
      {{"dynamic,4", "static", "guided", "monotonic:dynamic", "trapezoidal"}, Status::warn, k_stays, k_own},
      {{"wsfixed", "wsfixed,64", "wsguided", "wsfac2", "wstrapezoid", "wsstatic", "monotonic:wsstatic,4"},
       Status::note,
       k_compares,
       ""},
      {{"wsrtee", "WSTRE", "wstreee,8", "monotonic:wstee", "ws tre", "wtree"},
       Status::warn,
       k_none,
       "write OMP_SCHEDULE=wstree"},
      {{"wsqeue"}, Status::warn, k_none, "write OMP_SCHEDULE=wsqueue"},
      {{"wsqueuelock"}, Status::warn, k_none, "write OMP_SCHEDULE=wsqueue_lock"},
      {{"ws-range"}, Status::warn, k_none, "write OMP_SCHEDULE=wsrange"},
      {{"wsgiuded,4"}, Status::warn, k_none, "write OMP_SCHEDULE=wsguided"},
      {{"dinamic"}, Status::warn, k_none, "write OMP_SCHEDULE=dynamic"},
      {{"wsomething_else"}, Status::warn, k_none, "one of wstree, wsrange, "},
      {{"monotonic:wstree"}, Status::warn, "cannot keep the order", k_own},
      {{"monotonic:wsqueue"}, Status::warn, "cannot keep the order", "set OMP_SCHEDULE=wsqueue"},
  };
  for (const auto& [values, status, cause, fix] : table)
    for (const auto& value : values) {
      const auto check = schedule(value);
      EXPECT_EQ(check.status, status) << value;
      EXPECT_EQ(check.found, "OMP_SCHEDULE=" + value);
      EXPECT_THAT(check.cause, HasSubstr(cause)) << value;
      EXPECT_THAT(check.fix, HasSubstr(fix)) << value;
    }
  for (const auto& checks : {variables({}), variables({"OMP_SCHEDULE="})}) {
    ASSERT_EQ(checks.size(), 1U);
    EXPECT_EQ(checks[0].status, Status::ok);
    EXPECT_THAT(checks[0].found, HasSubstr("not set"));
  }
  const auto chunk = schedule("wstree,x");
  EXPECT_EQ(chunk.status, Status::warn);
  EXPECT_EQ(chunk.found, "OMP_SCHEDULE='wstree,x'");
  EXPECT_THAT(chunk.cause, HasSubstr("using wstree,1"));
  const auto left_out = schedule("wstree", "WSTREE_LOOPS=dynamic");
  EXPECT_EQ(left_out.status, Status::warn);
  EXPECT_EQ(left_out.fix, "add runtime to WSTREE_LOOPS");
}

TEST(DoctorVariables, OfTheLibrary) {
  const auto value = about("WSTREE_STRATEGY=foo");
  EXPECT_EQ(value.status, Status::warn);
  EXPECT_EQ(value.found, "WSTREE_STRATEGY='foo'");
  EXPECT_EQ(value.cause, "it is not understood; using findmax");
  EXPECT_THAT(value.fix, HasSubstr("use one of predefined, assign, "));
  const auto name = about("WSTREE_BATHC=1");
  EXPECT_EQ(name.found, "WSTREE_BATHC");
  EXPECT_EQ(name.cause, "it is not an option of this library");
  EXPECT_EQ(name.fix, "did you mean WSTREE_BATCH?");
  const auto unknown = about("WSTREE_COMPLETELY_UNKNOWN=1");
  EXPECT_EQ(unknown.status, Status::warn);
  EXPECT_FALSE(unknown.cause.empty());
  EXPECT_FALSE(unknown.fix.empty());
  EXPECT_EQ(about("WSTREE_LOOPS=fast").status, Status::warn);
  EXPECT_EQ(variables({"WSTREE_LOOPS=all", "WSTREE_STATS=1", "WSTREE_LIBRARY=x"}).size(), 1U);
}

TEST(DoctorVariables, ThatLeaveOneThread) {
  for (const auto* entry : {"OMP_NUM_THREADS=1", "OMP_NUM_THREADS= 1 , 4", "OMP_THREAD_LIMIT=1",
                            "KMP_DEVICE_THREAD_LIMIT=1", "OMP_MAX_ACTIVE_LEVELS=0", "KMP_LIBRARY=Serial"}) {
    const auto check = about(entry);
    EXPECT_EQ(check.status, Status::warn) << entry;
    EXPECT_THAT(check.cause, HasSubstr("one thread")) << entry;
    EXPECT_FALSE(check.fix.empty()) << entry;
  }
}

TEST(DoctorVariables, ThatPlaceThreadsAsWell) {
  for (const auto* entry : {"OMP_PROC_BIND=close", "GOMP_CPU_AFFINITY=0-3", "KMP_AFFINITY=compact"}) {
    const std::string variable(entry, std::string(entry).find('='));
    for (const std::string bind : {"close", "spread"}) {
      const auto check = variables({"WSTREE_BIND=" + bind, entry}).back();
      EXPECT_EQ(check.status, Status::warn) << entry;
      EXPECT_EQ(check.found, entry);
      EXPECT_THAT(check.cause, HasSubstr("in spite of WSTREE_BIND=" + bind));
      EXPECT_EQ(check.fix, "unset " + variable + " or WSTREE_BIND");
    }
    for (const auto* bind : {"WSTREE_BIND=auto", "WSTREE_BIND=none", "WSTREE_BIND="}) {
      const auto check = variables({bind, entry}).back();
      EXPECT_EQ(check.status, Status::note) << bind;
      EXPECT_THAT(check.cause, HasSubstr("the library leaves them there"));
    }
  }
  EXPECT_EQ(variables({"WSTREE_BIND=close", "OMP_PROC_BIND=false"}).size(), 1U);
}

/// Without the quota, unless a test is about it.
Checks cpus(const cli::CpuFacts& facts, Entries entries = {}) {
  return cli::check_cpus(facts, cli::Environment(std::move(entries)));
}

TEST(DoctorCpus, Enough) {
  for (const auto& checks : {cpus({4, 4}), cpus({4, 4}, {"OMP_NUM_THREADS=2"}), cpus({2, 8}),
                             cpus({2, 8}, {"OMP_NUM_THREADS=8", "OMP_THREAD_LIMIT=2"})}) {
    EXPECT_EQ(checks[0].status, Status::ok) << checks[0].found;
    EXPECT_EQ(checks[1].status, Status::ok);
  }
  EXPECT_EQ(cpus({4, 4})[0].found, "all 4 CPUs for 4 threads");
  EXPECT_EQ(cpus({2, 8})[0].found, "2 of 8 CPUs allowed, for 2 threads");
}

TEST(DoctorQuota, IsComparedWithTheTeam) {
  const auto quota = [](std::uint64_t limit, Entries entries) {
    return cpus({8, 8, {limit, place::PathText("/sys/cpu.max"), {}}}, std::move(entries))[1];
  };
  EXPECT_EQ(quota(0, {}).status, Status::ok);
  EXPECT_EQ(quota(8'000, {}).status, Status::ok);
  EXPECT_EQ(quota(1'500, {"OMP_NUM_THREADS=2"}).status, Status::note) << "fewer threads would waste time";
  const auto check = quota(1'500, {});
  EXPECT_EQ(check.status, Status::warn);
  EXPECT_EQ(check.found, "1.5 CPUs for 8 threads (/sys/cpu.max)");
  EXPECT_THAT(check.fix, HasSubstr("OMP_NUM_THREADS=2"));
  EXPECT_THAT(quota(200, {}).fix, HasSubstr("OMP_NUM_THREADS=1"));
}

cli::CpuFacts claimed(place::CpuClaims claims) {
  cli::CpuFacts facts{claims.mask, claims.mask};
  facts.usable.claims = claims;
  facts.usable.usable = place::usable_cpus(claims);
  facts.usable.rank_source = "MPI_LOCALNRANKS";
  return facts;
}

TEST(DoctorTeam, IsNamedWithWhatASmallerOneGains) {
  const auto facts = claimed({.mask = 64, .quota = 1'500});
  const auto checks = cpus(facts);
  ASSERT_EQ(checks.size(), 3U);
  EXPECT_EQ(checks[2].status, Status::warn);
  EXPECT_EQ(checks[2].found, "64 threads; the control groups grant the time of 1.5 CPUs");
  EXPECT_THAT(checks[2].cause, HasSubstr("up to 32 times less"));
  EXPECT_THAT(checks[2].fix, HasSubstr("set WSTREE_THREADS=auto"));
  EXPECT_THAT(cpus(facts, {"OMP_NUM_THREADS=8"})[2].fix, HasSubstr("unset OMP_NUM_THREADS"));
  EXPECT_EQ(cpus(facts, {"OMP_NUM_THREADS=2"})[2].status, Status::ok);
  EXPECT_EQ(cpus(facts, {"WSTREE_THREADS=auto"})[2].status, Status::ok);
}

} // namespace
} // namespace wstree::test
