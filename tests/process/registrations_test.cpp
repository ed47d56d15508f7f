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
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  std::ofstream(registration_of(child)) << "complete";
  remove_empty_registrations();
  EXPECT_TRUE(std::filesystem::exists(registration_of(child))) << "libomp can read it";
  std::ofstream(registration_of(child)).flush();
  remove_empty_registrations();
  EXPECT_FALSE(std::filesystem::exists(registration_of(child)));
}

} // namespace
