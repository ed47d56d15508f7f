// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `wstree run` says about programs that cannot be run or not be served.
#include "command.h"

#include <algorithm>
#include <elf.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <linux/capability.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace wstree::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr uid_t k_nobody = 65534;

/// Exactly one line of ours that holds all of this.
void expect_line(const Result& result, const std::vector<std::string>& parts) {
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_THAT(result.err, testing::StartsWith("wstree: "));
  for (const auto& part : parts) EXPECT_THAT(result.err, HasSubstr(part));
}

/// Lines of ours, of which one holds all of this.
void expect_lines(const Result& result, const std::vector<std::string>& parts) {
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);)
    if (std::all_of(parts.begin(), parts.end(),
                    [&](const auto& part) { return line.find(part) != line.npos; }))
      return;
  ADD_FAILURE() << result.err;
}

/// A copy of a program with some bytes of its ELF header changed.
template <class Field> std::string patched(const TemporaryFolder& folder, std::size_t offset, Field value) {
  auto bytes = contents(target("end"));
  bytes.replace(offset, sizeof value, reinterpret_cast<const char*>(&value), sizeof value);
  return folder.write("patched", bytes, k_executable);
}

TEST(Target, Missing) {
  const auto in_path = wstree({"run", "no-such-program-here"});
  EXPECT_EQ(in_path.status(), 127);
  expect_line(in_path, {"'no-such-program-here' was not found in PATH", "./no-such-program-here"});
  const auto by_path = wstree({"run", "/nonexistent/program"});
  EXPECT_EQ(by_path.status(), 127);
  expect_line(by_path, {"'/nonexistent/program' was not found"});
  EXPECT_EQ(wstree({"run", ""}).status(), 127);
}

TEST(Target, NotExecutable) {
  const TemporaryFolder folder;
  const auto path = folder.write("data", "#!/bin/sh\n", k_data);
  const auto result = wstree({"run", path});
  EXPECT_EQ(result.status(), 126);
  expect_line(result, {path, "may not be executed"});
}

TEST(Target, Script) {
  const TemporaryFolder folder;
  const auto path =
      folder.write("script", "#! /bin/sh -e\necho \"$OMP_SCHEDULE $1\"\nexit 4\n", k_executable);
  const auto result = wstree({"run", path, "x y"});
  EXPECT_EQ(result.status(), 4);
  EXPECT_EQ(result.out, "wstree x y\n");
  EXPECT_EQ(result.err, "");
  expect_lines(wstree({"run", "-v", path, "x y"}),
               {"is a script", "its interpreter '/bin/sh'", "what that starts"});
}

TEST(Target, ScriptOfAMissingInterpreter) {
  const TemporaryFolder folder;
  const auto result = wstree({"run", folder.write("script", "#!/nonexistent/python\n", k_executable)});
  EXPECT_EQ(result.status(), 126);
  expect_line(result, {"a script for '/nonexistent/python'", "install it or correct"});
}

TEST(Target, OtherMachine) {
  const TemporaryFolder folder;
  const Elf64_Half other = EM_S390;
  const auto result = wstree({"run", patched(folder, offsetof(Elf64_Ehdr, e_machine), other)});
  EXPECT_EQ(result.status(), 126);
  expect_line(result, {"is a 64-bit z/Architecture program", CLI_STAND_IN, "is for 64-bit "});
}

TEST(Target, MissingLoader) {
  const auto result = wstree({"run", target("no_loader")});
  EXPECT_EQ(result.status(), 126);
  expect_line(result, {"needs the dynamic loader '/nonexistent/ld-missing.so.1', which is missing here"});
}

TEST(Target, Static) {
#ifdef CLI_HAS_STATIC
  const auto result = wstree({"run", target("end_static"), "status", "3"});
  EXPECT_EQ(result.status(), 3);
  expect_line(result, {"is statically linked"});
  const auto required = wstree({"run", "--require", target("end_static"), "status", "3"});
  EXPECT_EQ(required.status(), 125);
  expect_line(required, {"is statically linked"});
#else
  GTEST_SKIP() << "there is no static C library (libc.a) to build a static program with";
#endif
}

/// Path of the dynamic loader of this process.
std::string loader() {
  std::string result;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        if (fs::path(info->dlpi_name).filename().string().starts_with("ld-"))
          *static_cast<std::string*>(data) = info->dlpi_name;
        return 0;
      },
      &result);
  return result;
}

// Its loader is in truth our own, under a name that says musl.
TEST(Target, Musl) {
  const fs::path link = fs::path(CLI_TARGETS) / "ld-musl-test.so.1";
  fs::remove(link);
  fs::create_symlink(loader(), link);
  const auto result = wstree({"run", target("musl")});
  EXPECT_EQ(result.status(), 0);
  expect_line(result, {"was built for musl", "runs without the library"});
  EXPECT_EQ(result.variable("LD_PRELOAD"), std::nullopt);
  EXPECT_EQ(result.variable("OMP_SCHEDULE"), std::nullopt) << "its runtime does not know wstree";
  const auto required = wstree({"run", "--require", target("musl")});
  EXPECT_EQ(required.status(), 125);
  EXPECT_EQ(required.out, "");
}

class Privileged : public testing::Test {
protected:
  void SetUp() override {
    struct statvfs file_system {};
    ASSERT_EQ(::statvfs(folder_.path().c_str(), &file_system), 0);
    if (::geteuid() != 0) GTEST_SKIP() << "only root can make a privileged program";
    if ((file_system.f_flag & ST_NOSUID) != 0 || ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0) {
      GTEST_SKIP() << "privileged programs have no effect here (nosuid or no_new_privs)";
    }
    // Another user has to reach all of it, which the build tree may not allow.
    for (const auto& file : {fs::path(WSTREE_CLI), fs::path(CLI_STAND_IN), fs::path(target("show"))}) {
      fs::copy(file, folder_.path() / file.filename());
      fs::permissions(folder_.path() / file.filename(), k_executable);
    }
    start_.executable = in_folder(WSTREE_CLI);
    start_.environment["WSTREE_LIBRARY"] = in_folder(CLI_STAND_IN);
    start_.arguments = {"run", in_folder(target("show"))};
  }

  [[nodiscard]] std::string in_folder(const fs::path& file) const {
    return (folder_.path() / file.filename()).string();
  }
  void expect_explained(const std::string& reason) {
    const auto result = run(start_);
    expect_line(result, {"is privileged (" + reason + ")", "ignores LD_PRELOAD"});
    EXPECT_EQ(result.status(), 0);
    const auto libraries = result.facts("library");
    EXPECT_EQ(std::count(libraries.begin(), libraries.end(), in_folder(CLI_STAND_IN)), 0)
        << "it is not privileged";
    start_.arguments.insert(start_.arguments.begin() + 1, "--require");
    EXPECT_EQ(run(start_).status(), 125);
  }
  void expect_preloaded() {
    const auto result = run(start_);
    EXPECT_EQ(result.err, "");
    const auto libraries = result.facts("library");
    EXPECT_EQ(std::count(libraries.begin(), libraries.end(), in_folder(CLI_STAND_IN)), 1);
  }

  TemporaryFolder folder_;
  Start start_;
};

TEST_F(Privileged, Setuid) {
  ASSERT_EQ(::chown(in_folder(target("show")).c_str(), k_nobody, 0), 0);
  fs::permissions(in_folder(target("show")), fs::perms{04755});
  expect_explained("setuid");
}

TEST_F(Privileged, Capabilities) {
  vfs_cap_data capabilities{};
  capabilities.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
  capabilities.data[0].permitted = 1U << CAP_NET_BIND_SERVICE;
  const auto path = in_folder(target("show"));
  if (::setxattr(path.c_str(), "security.capability", &capabilities, sizeof capabilities, 0) != 0) {
    GTEST_SKIP() << "file capabilities cannot be set here";
  }
  expect_preloaded(); // to root they give nothing
  start_.user = k_nobody;
  start_.environment["GCOV_PREFIX"] = folder_.open_to_all();
  expect_explained("file capabilities");
}

TEST(Loops, OfAnLlvmProgramNeedNoWord) {
  const auto result = wstree({"run", target("calls_llvm")});
  EXPECT_EQ(result.out, "ran\n");
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(
      wstree({"run", "-v", target("calls_llvm")}).err,
      HasSubstr(
          "calls the loop dispatch of LLVM's OpenMP runtime, so its schedule(runtime) loops can be served"));
}

TEST(Loops, WithAScheduleOfTheirOwnNeedAnOption) {
  const auto result = wstree({"run", target("calls_gcc_dynamic")});
  EXPECT_EQ(result.out, "ran\n");
  EXPECT_EQ(result.status(), 0);
  expect_line(result, {"have a schedule of their own",
                       "schedule(dynamic), and WSTREE_LOOPS=runtime,proven leaves those out",
                       ". Say --loops all; a thread then gets iterations in any order: "});
  const auto required = wstree({"run", "--require", target("calls_gcc_dynamic")});
  EXPECT_EQ(required.status(), 125);
  EXPECT_EQ(required.out, "");
  expect_line(required, {"Say --loops all"});
}

TEST(Loops, ThatTheOptionNamesNeedNoWord) {
  EXPECT_EQ(wstree({"run", "--loops", "dynamic", target("calls_gcc_dynamic")}).err, "");
  EXPECT_EQ(wstree({"run", "--loops=all", target("calls_gcc_dynamic")}).err, "");
  Start start{.arguments = {"run", target("calls_gcc_dynamic")}};
  start.environment["WSTREE_LOOPS"] = "Dynamic, guided";
  EXPECT_EQ(run(start).err, "");
  start.arguments = {"run", "--loops=guided", target("calls_gcc_dynamic")};
  expect_line(run(start), {"WSTREE_LOOPS=guided leaves those out"});
  start.arguments = {"run", "--require", target("calls_gcc_dynamic")};
  start.environment["STAND_IN_SERVES"] = "loop";
  EXPECT_EQ(run(start).status(), 0);
}

TEST(Loops, OfOtherKindsCannotBeServed) {
  const auto result = wstree({"run", target("calls_gcc_parallel")});
  EXPECT_EQ(result.out, "ran\n");
  expect_line(result,
              {"uses OpenMP, but has no loop that can be served", "static loops never ask", "Write sch"});
  EXPECT_EQ(wstree({"run", "--require", target("calls_fortran")}).status(), 125);
  const auto ordered = wstree({"run", "--loops=all", "--require", target("calls_gcc_ordered")});
  EXPECT_EQ(ordered.status(), 125);
  EXPECT_EQ(ordered.out, "");
  expect_line(ordered, {"its loops are ordered. Move what needs the order", "the schedule does not matter"});
}

TEST(Loops, WithTheRuntimeInsideCannotBeServed) {
  const auto result = wstree({"run", target("runtime_inside")});
  EXPECT_EQ(result.out, "ran\n");
  expect_line(result, {"has its OpenMP runtime linked in statically", "shared OpenMP runtime"});
  EXPECT_EQ(wstree({"run", "--require", target("runtime_inside")}).status(), 125);
}

TEST(Loops, AreMissedOnlyOnRequest) {
  EXPECT_EQ(wstree({"run", target("plain")}).err, "");
  for (const char* request : {"--verbose", "--stats"})
    EXPECT_THAT(wstree({"run", request, target("plain")}).err, HasSubstr("has no OpenMP loop"));
  const auto required = wstree({"run", "--require", target("plain")});
  EXPECT_EQ(required.status(), 125);
  EXPECT_EQ(required.out, "");
  expect_line(required, {"has no OpenMP loop to serve", "-fopenmp"});
}

} // namespace
} // namespace wstree::test
