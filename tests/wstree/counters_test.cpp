// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What wstree compare --counters counts.
#include "compare/counters.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wstree::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class Counters : public testing::Test {
protected:
  Counters() {
    std::string folder = (std::filesystem::temp_directory_path() / "wstree-counters-XXXXXX").string();
    folder_ = ::mkdtemp(folder.data());
  }
  ~Counters() override { std::filesystem::remove_all(folder_); }

  void zone(const std::string& name, const std::string& microjoules) const {
    std::filesystem::create_directories(folder_ / name);
    std::ofstream(folder_ / name / "energy_uj") << microjoules << '\n';
    std::ofstream(folder_ / name / "max_energy_range_uj") << "10000000\n";
  }

  std::filesystem::path folder_;
};

TEST_F(Counters, AddsTheEnergyOfPackages) {
  zone("intel-rapl:0", "1000000");
  zone("intel-rapl:1", "9000000");
  zone("intel-rapl:0:0", "1"); // a part of the first
  const RunCounters counters(folder_);
  zone("intel-rapl:0", "1500000");
  zone("intel-rapl:1", "2000000"); // it began again
  ASSERT_TRUE(counters.read()[k_energy]);
  EXPECT_NEAR(*counters.read()[k_energy], 0.5 + 3, 1e-9);
  EXPECT_THAT(counters.problem(), Not(HasSubstr("Energy")));
}

TEST_F(Counters, SayWhatCannotBeCounted) {
  const RunCounters counters(folder_);
  EXPECT_FALSE(counters.read()[k_energy]);
  EXPECT_THAT(counters.problem(), HasSubstr("Energy is not known"));
}

TEST_F(Counters, CountTheProgramThatIsStarted) {
  const RunCounters counters(folder_);
  if (counters.problem().find("Context switches") != std::string::npos)
    GTEST_SKIP() << "the system lets nothing be counted: " << counters.problem();
  char shell[] = "/bin/sh", option[] = "-c", text[] = "for i in 1 2 3 4 5 6 7 8; do /bin/true; done";
  char* arguments[] = {shell, option, text, nullptr};
  pid_t child = 0;
  ASSERT_EQ(::posix_spawn(&child, shell, nullptr, nullptr, arguments, environ), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  // The shell waits for eight children.
  ASSERT_TRUE(counters.read()[k_context_switches]);
  EXPECT_GE(*counters.read()[k_context_switches], 8);
}

TEST(MediansOf, LeaveOutWhatOneRunLacks) {
  Counts first, second;
  first[k_cycles] = 1, second[k_cycles] = 3, first[k_energy] = 5;
  const auto medians = medians_of({first, second});
  EXPECT_EQ(medians[k_cycles], 2);
  EXPECT_FALSE(medians[k_energy]);
  EXPECT_FALSE(medians_of({})[k_cycles]);
}

} // namespace
} // namespace wstree::cli
