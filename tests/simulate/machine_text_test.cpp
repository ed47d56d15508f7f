// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machines of `wstree simulate`, as a user describes them.
#include "command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace wstree::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

Result on_machine(const std::string& machine, const std::string& workers = "4") {
  return wstree({"simulate", "--schedule", "wsfixed", "--workload", "UNIFORM", "--iterations", "64", "--work",
                 "0.1", "--workers", workers, "--rounds", "1", "--machine", machine});
}

/// Behind "machine: " in the output.
std::string shown(const std::string& machine) {
  const auto result = on_machine(machine);
  EXPECT_EQ(result.status(), 0) << result.err;
  const auto begin = result.out.find("machine: ") + 9;
  return result.out.substr(begin, result.out.find('\n', begin) - begin);
}

double time_on(const std::string& machine, const std::string& workers) {
  const auto result = wstree({"simulate", "--schedule", "wsfixed", "--workload", "UNIFORM", "--work", "0.1",
                              "--workers", workers, "--json", "--machine", machine});
  return json::parse(result.out, nullptr, false)["results"][0]["time_ns"].get<double>();
}

constexpr const char* k_rest =
    ",hit=1,rmw=8,pinned=1,overlap=2,keep=4,fault=500,tick=12,dispatch=18,skew=1000";

TEST(Machines, NamedOnesHaveTheTransfersThatWerePublished) {
  EXPECT_EQ(shown("milan"), std::string("milan,l3:8=23,package:48=107,far=197") + k_rest);
  EXPECT_EQ(shown("icelake"), std::string("icelake,package:32=51,far=108") + k_rest);
  EXPECT_EQ(shown("cascadelake"), std::string("cascadelake,package:24=47,far=134") + k_rest);
  EXPECT_EQ(shown("graviton3"), std::string("graviton3,package:64=46,far=101.2") + k_rest);
  EXPECT_EQ(shown("generic"), std::string("generic,near=45,domain=8,far=110") + k_rest);
}

TEST(Machines, WhatIsShownMeansTheSameMachine) {
  for (const auto* machine : {"milan,l3=30,package:24=100,far=300", "generic,domain=0,near=1.5",
                              "domain=1,noise=4000000/5000", "speeds=1000/600,enter=3,region=7,skew=0",
                              "6P+8E,throttle=8000000/400/3,bursts=300000/100000/500/2,smt=600,memory=700/4",
                              "l3:4=20,numa:16=60.25,far=200,hit=0.8"}) {
    const auto once = shown(machine);
    EXPECT_EQ(shown(once), once) << machine;
  }
}

TEST(Machines, OnesWithUnequalCoresHaveTheirSpeeds) {
  EXPECT_EQ(shown("4little+4big"), std::string("4little+4big,package:8=45,far=110") + k_rest +
                                       ",speeds=370/370/370/370/1000/1000/1000/1000");
  EXPECT_GT(time_on("throttle=1/500/1", "1"), 1.8 * time_on("generic", "1"));
  EXPECT_GT(time_on("bursts=1000/500/500/1", "1"), 1.25 * time_on("generic", "1"));
  EXPECT_GT(time_on("smt=600", "2"), 1.4 * time_on("generic", "2"));
  EXPECT_LT(time_on("memory=1000/8,speeds=500", "4"), 1.3 * time_on("generic", "4"))
      << "slow cores wait as long";
  EXPECT_GT(time_on("memory=1000/2", "4"), 1.3 * time_on("memory=1000/4", "4")) << "and wait for each other";
}

TEST(Machines, WhatIsNotUnderstoodIsNamed) {
  const std::vector<std::pair<std::string, std::string>> faults{
      {"far=9,fur=3",
       "--machine 'fur=3' is not understood (accepted: a list that may begin with one of generic, "},
      {"rome", "--machine 'rome' is not understood (accepted: a list that may begin with one of generic, "},
      {"throttle=5",
       "--machine 'throttle=5' is not understood (accepted for throttle: see `wstree help simulate`)"},
      {"bursts=1000/2000/500/1", "--machine 'bursts=1000/2000/500/1' is not understood"},
      {"smt=0", "--machine 'smt=0' is not understood"},
      {"memory=1001/1", "--machine 'memory=1001/1' is not understood"},
      {"far", "--machine 'far' is not understood (accepted for far: a number from 0 to 10000)"},
      {"overlap=0", "--machine 'overlap=0' is not understood (accepted for overlap: a number from 1"},
      {"near=1.0001", "--machine 'near=1.0001' is not understood"},
      {"milan,l3=x", "--machine 'l3=x' is not understood (accepted for l3: a number from 0 to 10000)"},
      {"icelake,l3=3", "--machine 'l3=3' is not understood (accepted: a list"},
      {"l3:0=3", "--machine 'l3:0=3' is not understood (accepted for a level: LEVEL:MEMBERS=NUMBER, from 1"},
      {"l3:8=20,package:12=30",
       "--machine: package of 12 members cannot consist of l3 of 8 (accepted: multiples)"},
      {"a:2=1,b:4=1,c:8=1,d:16=1,e:32=1,f:64=1", "--machine: 6 levels are too many (accepted: up to 5)"},
      {"noise=1000/900",
       "--machine 'noise=1000/900' is not understood (accepted for noise: 0, or EVERY/LASTS"},
      {"speeds=1000/0", "--machine 'speeds=1000/0' is not understood (accepted for speeds: a list"},
      {"package:0", "--machine: the machine 'package:0' is not known: "},
  };
  for (const auto& [machine, message] : faults) {
    const auto result = on_machine(machine);
    EXPECT_EQ(result.status(), 125) << machine;
    EXPECT_EQ(result.out, "") << machine;
    EXPECT_THAT(result.err, StartsWith("wstree: " + message));
  }
}

TEST(Machines, ThisOneCanBeMeasured) {
  const auto measured = wstree({"simulate", "--calibrate"});
  EXPECT_EQ(measured.status(), 0) << measured.err;
  EXPECT_THAT(measured.out, HasSubstr("\nmeasured, in ns:\n"));
  const auto text = measured.out.substr(0, measured.out.find('\n'));
  EXPECT_THAT(text, StartsWith("generic,"));
  if (!measured.err.empty()) {
    EXPECT_THAT(measured.err, HasSubstr("this machine is too busy to be measured"));
    EXPECT_EQ(on_machine(text).status(), 125) << text;
    return;
  }
  EXPECT_EQ(shown(text), text);
  EXPECT_THAT(shown("here,skew=5"), testing::AllOf(StartsWith("here,"), HasSubstr(",skew=5")));
}

} // namespace
} // namespace wstree::test
