// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "system_call.h"

#include <cerrno>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace wstree::config {
namespace {

TEST(SystemCall, ReturnsTheErrorAndLeavesErrnoAlone) {
  errno = ENOTTY;
  EXPECT_EQ(system_call(SYS_close, -1), -EBADF);
  EXPECT_EQ(errno, ENOTTY);
}

TEST(SystemCall, HandsOnSixArguments) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const long file = system_call(SYS_memfd_create, "pages", 0);
  ASSERT_GE(file, 0);
  ASSERT_EQ(system_call(SYS_ftruncate, file, 2 * page), 0);
  ASSERT_EQ(system_call(SYS_pwrite64, file, "second", 6, page), 6);
  const long mapped =
      system_call(SYS_mmap, nullptr, page, PROT_READ, MAP_PRIVATE, file, static_cast<off_t>(page));
  ASSERT_GT(mapped, 0);
  EXPECT_STREQ(reinterpret_cast<const char*>(mapped), "second");
  EXPECT_EQ(system_call(SYS_munmap, mapped, page), 0);
  EXPECT_EQ(system_call(SYS_close, file), 0);
}

} // namespace
} // namespace wstree::config
