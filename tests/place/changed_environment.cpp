// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "changed_environment.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <unistd.h>

namespace wstree::place {
namespace {

std::optional<std::string> value(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::optional<std::string>(text) : std::nullopt;
}

class ChangedEnvironmentTest : public testing::Test {
protected:
  void SetUp() override {
    ::setenv("WSTREE_TEST_A", "a", 1);
    ::unsetenv("WSTREE_TEST_NEW");
    ::unsetenv(k_plugins);
    ::unsetenv(k_errors);
    before_ = environ;
  }
  void TearDown() override {
    ::unsetenv("WSTREE_TEST_A");
    ::unsetenv("WSTREE_TEST_NEW");
    ::unsetenv(k_plugins);
  }
  static void expect_nothing_left() {
    EXPECT_EQ(value(k_plugins), std::nullopt);
    EXPECT_EQ(value(k_errors), std::nullopt);
  }

  static constexpr const char* k_plugins = "HWLOC_PLUGINS_PATH";
  static constexpr const char* k_errors = "HWLOC_HIDE_ERRORS";
  char** before_ = nullptr;
};

TEST_F(ChangedEnvironmentTest, IsPutBack) {
  {
    const ChangedEnvironment changed;
    EXPECT_EQ(value(k_plugins), "/nonexistent");
    EXPECT_EQ(value(k_errors), "2");
    EXPECT_EQ(value("WSTREE_TEST_A"), "a");
  }
  expect_nothing_left();
  EXPECT_EQ(environ, before_);
}

TEST_F(ChangedEnvironmentTest, LeavesTheUsersValues) {
  ::setenv(k_plugins, "/mine", 1);
  {
    const ChangedEnvironment changed;
    EXPECT_EQ(value(k_plugins), "/mine");
    EXPECT_EQ(value(k_errors), "2");
    ::setenv("WSTREE_TEST_NEW", "new", 1);
  }
  EXPECT_EQ(value(k_plugins), "/mine");
  EXPECT_EQ(value(k_errors), std::nullopt);
}

TEST_F(ChangedEnvironmentTest, KeepsWhatIsAddedMeanwhile) {
  {
    const ChangedEnvironment changed;
    ::setenv("WSTREE_TEST_NEW", "new", 1);
  }
  EXPECT_EQ(value("WSTREE_TEST_NEW"), "new");
  EXPECT_EQ(value("WSTREE_TEST_A"), "a");
  expect_nothing_left();
}

TEST_F(ChangedEnvironmentTest, MayBeEmpty) {
  char* none[] = {nullptr};
  environ = none;
  {
    const ChangedEnvironment changed;
    EXPECT_EQ(value(k_errors), "2");
  }
  EXPECT_EQ(environ, none);
  environ = nullptr; // after clearenv()
  { const ChangedEnvironment changed; }
  EXPECT_EQ(environ, nullptr);
  environ = before_;
}

} // namespace
} // namespace wstree::place
