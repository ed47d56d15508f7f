// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `wstree run` says about programs that cannot be run or not be served.
#include "command.h"

#include <elf.h>
#include <link.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

namespace wstree::test {
namespace {

constexpr uid_t k_nobody = 65534;

/// Exactly one line of ours that holds all of this.
void expect_line(const Result& result, const Arguments& parts) {
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_THAT(result.err, StartsWith("wstree: "));
  for (const auto& part : parts) EXPECT_THAT(result.err, HasSubstr(part));
}

struct Row {
  Arguments arguments; ///< of wstree run
  int status;
  std::string out;
  Arguments parts; ///< of the one line; none: there is no line
};

void expect_rows(const std::vector<Row>& rows) {
  for (const auto& [arguments, status, out, parts] : rows) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    auto command = arguments;
    command.insert(command.begin(), "run");
    const auto result = wstree(command);
    EXPECT_EQ(result.status(), status);
    EXPECT_EQ(result.out, out);
    if (parts.empty()) {
      EXPECT_EQ(result.err, "");
    } else {
      expect_line(result, parts);
    }
  }
}

TEST(Target, CannotBeRun) {
  const TemporaryFolder folder;
  auto foreign = contents(target("end"));
  const Elf64_Half machine = EM_S390;
  foreign.replace(offsetof(Elf64_Ehdr, e_machine), sizeof machine, reinterpret_cast<const char*>(&machine),
                  sizeof machine);
  const auto data = folder.write("data", "#!/bin/sh\n");
  expect_rows({{{"no-such-program-here"},
                127,
                "",
                {"'no-such-program-here' was not found in PATH", "./no-such-program-here"}},
               {{"/nonexistent/program"}, 127, "", {"'/nonexistent/program' was not found"}},
               {{""}, 127, "", {"was not found"}},
               {{data}, 126, "", {data, "may not be executed"}},
               {{folder.write("script", "#!/nonexistent/python\n", k_executable)},
                126,
                "",
                {"a script for '/nonexistent/python'", "install it or correct"}},
               {{folder.write("foreign", foreign, k_executable)},
                126,
                "",
                {"is a 64-bit z/Architecture program", CLI_STAND_IN, "is for 64-bit "}},
               {{target("no_loader")},
                126,
                "",
                {"needs the dynamic loader '/nonexistent/ld-missing.so.1', which is missing here"}}});
#ifdef CLI_HAS_STATIC
  expect_rows({{{target("end_static"), "status", "3"}, 3, "", {"is statically linked"}},
               {{"--require", target("end_static"), "status", "3"}, 125, "", {"is statically linked"}}});
#endif
}

TEST(Target, Script) {
  const TemporaryFolder folder;
  const auto path =
      folder.write("script", "#! /bin/sh -e\necho \"$OMP_SCHEDULE $1\"\nexit 4\n", k_executable);
  expect_rows({{{path, "x y"}, 4, "wstree x y\n", {}}});
  EXPECT_THAT(wstree({"run", "-v", path, "x y"}).err,
              testing::ContainsRegex("is a script.*its interpreter '/bin/sh'.*what that starts"));
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
  /// Whether the program has the library, and the lines of wstree.
  std::pair<bool, Result> ran() const {
    auto result = run(start_);
    const auto libraries = result.facts("library");
    return {std::ranges::count(libraries, in_folder(CLI_STAND_IN)) == 1, std::move(result)};
  }
  void expect_explained(const std::string& reason) {
    const auto [has_library, result] = ran();
    expect_line(result, {"is privileged (" + reason + ")", "ignores LD_PRELOAD"});
    EXPECT_EQ(result.status(), 0);
    EXPECT_FALSE(has_library) << "it is not privileged";
    start_.arguments.insert(start_.arguments.begin() + 1, "--require");
    EXPECT_EQ(run(start_).status(), 125);
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
  const auto [has_library, of_root] = ran();
  EXPECT_TRUE(has_library && of_root.err.empty()) << "to root they give nothing: " << of_root.err;
  start_.user = k_nobody;
  // Executables of a coverage build put their counts there instead of complaining.
  const auto open = folder_.path() / "open";
  fs::create_directory(open);
  fs::permissions(open, fs::perms{0777});
  start_.environment["GCOV_PREFIX"] = open;
  expect_explained("file capabilities");
}

TEST(Loops, ThatCannotBeServedGetALine) {
  const auto dynamic = target("calls_gcc_dynamic"), ran = std::string("ran\n");
  expect_rows(
      {{{target("calls_llvm")}, 0, ran, {}},
       {{dynamic},
        0,
        ran,
        {"schedule(dynamic), and WSTREE_LOOPS=runtime,proven leaves those out. Say --loops all; a thread"}},
       {{"--require", dynamic}, 125, "", {"Say --loops all"}},
       {{"--loops", "dynamic", dynamic}, 0, ran, {}},
       {{"--loops=all", dynamic}, 0, ran, {}},
       {{"--loops=guided", dynamic}, 0, ran, {"WSTREE_LOOPS=guided leaves those out"}},
       {{target("calls_gcc_parallel")}, 0, ran, {"uses OpenMP, but has no loop that can be served"}},
       {{"--require", target("calls_fortran")}, 125, "", {"served: static loops never ask", "Write sch"}},
       {{"--loops=all", "--require", target("calls_gcc_ordered")}, 125, "", {"its loops are ordered. Move "}},
       {{target("runtime_inside")}, 0, ran, {"has its OpenMP runtime linked in statically"}},
       {{"--require", target("runtime_inside")}, 125, "", {"linked in statically"}},
       {{target("plain")}, 0, ran, {}}, // not missed unless asked for
       {{"--require", target("plain")}, 125, "", {"has no OpenMP loop to serve", "-fopenmp"}}});
  for (const char* request : {"--verbose", "--stats"})
    EXPECT_THAT(wstree({"run", request, target("plain")}).err, HasSubstr("has no OpenMP loop"));
  EXPECT_THAT(
      wstree({"run", "-v", target("calls_llvm")}).err,
      HasSubstr("calls the loop dispatch of LLVM's OpenMP runtime, so its schedule(runtime) loops can "));
}

TEST(Loops, ThatTheVariableNamesNeedNoWord) {
  Start start{.arguments = {"run", target("calls_gcc_dynamic")}};
  start.environment["WSTREE_LOOPS"] = "Dynamic, guided";
  EXPECT_EQ(run(start).err, "");
  start.arguments.insert(start.arguments.begin() + 1, "--require");
  start.environment["STAND_IN_SERVES"] = "loop";
  EXPECT_EQ(run(start).status(), 0);
}

} // namespace
} // namespace wstree::test
