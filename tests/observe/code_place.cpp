// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cerrno>
#include <dlfcn.h>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "code_place.h"

namespace wstree::observe {
namespace {

int some_code() { return 1; }

TEST(CodePlace, IsInThisProgram) {
  CodePlace place;
  errno = ENOTTY;
  find_code_place(reinterpret_cast<const void*>(&some_code), place);
  EXPECT_EQ(errno, ENOTTY);
  EXPECT_EQ(place.module.view(), std::filesystem::read_symlink("/proc/self/exe").string());
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<const void*>(&some_code), &info), 0);
  EXPECT_EQ(place.offset,
            reinterpret_cast<std::uintptr_t>(&some_code) - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
}

TEST(CodePlace, IsInALibraryWithItsBuildId) {
  CodePlace place;
  // A function that sanitizers do not stand in front of.
  const void* const code = dlsym(RTLD_DEFAULT, "l64a");
  ASSERT_NE(code, nullptr);
  find_code_place(code, place);
  EXPECT_THAT(std::string(place.module.view()), testing::HasSubstr("/libc.so"));
  // The tests of names compare it with that of the file; every distribution gives its C library one.
  EXPECT_THAT(std::string(place.build_id.view()), testing::MatchesRegex("([0-9a-f][0-9a-f])+"));
}

TEST(CodePlace, IsTheAddressIfThereIsNoModule) {
  CodePlace place;
  find_code_place(reinterpret_cast<const void*>(&some_code), place);
  find_code_place(reinterpret_cast<const void*>(std::uintptr_t{0x2000}), place);
  EXPECT_TRUE(place.module.empty());
  EXPECT_TRUE(place.build_id.empty());
  EXPECT_EQ(place.offset, 0x2000u);
  find_code_place(nullptr, place);
  EXPECT_EQ(place.offset, 0u);
}

} // namespace
} // namespace wstree::observe
