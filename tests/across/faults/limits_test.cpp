// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits that a process has: open files, address space.
#include "faulty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace wstree::test;

TEST(Limits, OfOpenFiles) {
  for (const std::string& build : k_builds)
    for (const char* files : {"0", "3", "4"}) {
      const std::vector<std::string> arguments{"--files", files, "first", "growth", "threads"};
      const Outcome native = native_run(build, arguments);
      for (const char* bind : {"spread", "none"}) {
        const TemporaryFolder folder;
        const Outcome outcome = with_tree(build, arguments)
                                    .set("WSTREE_BIND", bind)
                                    .set("WSTREE_STATS", "json=" + (folder / "figures"))
                                    .run();
        expect_undisturbed(outcome, native, files);
      }
    }
}

/// With a limit under which the program runs alone it also runs with the library and what that itself takes.
TEST(Limits, OfTheAddressSpace) {
  for (const std::string& build : k_builds) {
    constexpr long k_of_the_library = 9 * 1024; // KiB, of which hwloc takes a third
    constexpr long k_step = 4 * 1024;
    const std::string command = program_path(build) + " first growth";
    const auto within = [&](long kib, bool with) {
      Program shell("/bin/sh", {"-c", "ulimit -v " + std::to_string(kib) + " && exec " +
                                          (with ? "env LD_PRELOAD=" + library_path() + " " : "") + command});
      shell.set("OMP_STACKSIZE", "256k").set("MALLOC_ARENA_MAX", "1").set("WSTREE_BIND", "spread");
      return shell.set("OMP_SCHEDULE", with ? "wstree" : "dynamic").run();
    };
    long least = 8 * 1024;
    while (!within(least, false).succeeded() && least < 1024 * 1024) least += k_step;
    const Outcome native = within(least, false);
    ASSERT_TRUE(native.succeeded()) << native.text();
    for (long more = k_of_the_library; more < 48 * 1024; more += k_step)
      expect_undisturbed(within(least + more, true), native, std::to_string(least + more) + " KiB");
  }
}

} // namespace
