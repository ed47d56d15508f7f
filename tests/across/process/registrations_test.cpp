// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "registrations.h"

#include "process.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace wstree::test;

std::filesystem::path registration_of(pid_t process) {
  return "/dev/shm/__KMP_REGISTERED_LIB_" + std::to_string(process) + "_" + std::to_string(geteuid());
}

TEST(Registrations, OfTheDeadAreRemovedIfTheyAreEmpty) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_GT(child, 0);
  std::ofstream(registration_of(child)).flush();
  remove_empty_registrations();
  EXPECT_TRUE(std::filesystem::exists(registration_of(child))) << "it has not been waited for";
  // Other tests remove them too: it must never be both empty and of a dead process.
  const auto complete = registration_of(child).string() + "_complete";
  std::ofstream(complete) << "complete";
  std::filesystem::rename(complete, registration_of(child));
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  remove_empty_registrations();
  EXPECT_TRUE(std::filesystem::exists(registration_of(child))) << "libomp can read it";
  std::ofstream(registration_of(child)).flush();
  remove_empty_registrations();
  EXPECT_FALSE(std::filesystem::exists(registration_of(child)));
}

} // namespace
