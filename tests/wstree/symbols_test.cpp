// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What symbols and mappings say about loops and OpenMP runtimes.
#include "command.h"

#include "doctor/bindings.h"
#include "doctor/mapped_watch.h"
#include "doctor/served_loops.h"
#include "inspect/loop_forms.h"
#include "inspect/openmp_runtime.h"
#include "process_limits.h"
#include "support/launch.h"

#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace wstree::test {
namespace {

namespace fs = std::filesystem;
using cli::can_be_served;
using cli::leaves_out;
using cli::loop_form;
using cli::LoopForm;
using cli::LoopForms;
using cli::OpenMpRuntime;
using config::LoopKinds;

TEST(LoopForm, OfLlvm) {
  for (const auto* name :
       {"__kmpc_dispatch_init_4", "__kmpc_dispatch_init_8u", "__kmpc_dist_dispatch_init_4u"})
    EXPECT_EQ(loop_form(name), LoopForm::hidden) << name;
  EXPECT_EQ(loop_form("__kmpc_for_static_init_8"), LoopForm::fixed);
  EXPECT_EQ(loop_form("__kmpc_ordered"), LoopForm::ordered);
  EXPECT_EQ(loop_form("__kmpc_doacross_init"), LoopForm::doacross);
  for (const auto* name :
       {"__kmpc_dispatch_next_4", "__kmpc_fork_call", "__kmpc_end_ordered", "__kmpc_barrier"})
    EXPECT_EQ(loop_form(name), std::nullopt) << name;
}

TEST(LoopForm, OfGcc) {
  const std::pair<const char*, LoopForm> expected[] = {
      {"maybe_nonmonotonic_runtime", LoopForm::runtime},
      {"nonmonotonic_runtime", LoopForm::runtime},
      {"nonmonotonic_dynamic", LoopForm::dynamic},
      {"nonmonotonic_guided", LoopForm::guided},
      {"runtime", LoopForm::monotonic},
      {"dynamic", LoopForm::monotonic},
      {"guided", LoopForm::monotonic},
      {"static", LoopForm::fixed},
  };
  for (const auto& [schedule, form] : expected) {
    const std::string name = schedule;
    EXPECT_EQ(loop_form("GOMP_loop_" + name + "_start"), form) << name;
    EXPECT_EQ(loop_form("GOMP_loop_ull_" + name + "_start"), form) << name;
    EXPECT_EQ(loop_form("GOMP_parallel_loop_" + name), form) << name;
    EXPECT_EQ(loop_form("GOMP_loop_" + name + "_next"), std::nullopt) << name;
  }
  for (const auto* schedule : {"static", "runtime", "guided", "dynamic"}) {
    const std::string name = schedule;
    EXPECT_EQ(loop_form("GOMP_loop_ordered_" + name + "_start"), LoopForm::ordered);
    EXPECT_EQ(loop_form("GOMP_loop_ull_doacross_" + name + "_start"), LoopForm::doacross);
    EXPECT_EQ(loop_form("GOMP_parallel_loop_" + name + "_start").has_value(), true) << "of gcc before 4.9";
  }
  EXPECT_EQ(loop_form("wstree_call_begin"), LoopForm::call);
  EXPECT_EQ(loop_form("GOMP_loop_start"), LoopForm::reduction);
  EXPECT_EQ(loop_form("GOMP_loop_ull_start"), LoopForm::reduction);
  EXPECT_EQ(loop_form("GOMP_loop_ordered_start"), LoopForm::ordered);
  EXPECT_EQ(loop_form("GOMP_loop_doacross_start"), LoopForm::doacross);
  for (const auto* name : {"GOMP_loop_end", "GOMP_loop_end_nowait", "GOMP_loop_end_cancel", "GOMP_parallel",
                           "GOMP_task", "GOMP_sections_start", "GOMP_parallel_loop_", "GOMP_loop_"})
    EXPECT_EQ(loop_form(name), std::nullopt) << name;
}

TEST(LoopForms, CanBeServed) {
  const auto kinds = [](const char* value) { return *config::parse_loops(value); };
  const LoopForms none{LoopForm::monotonic, LoopForm::ordered, LoopForm::doacross, LoopForm::fixed};
  EXPECT_FALSE(can_be_served(none));
  EXPECT_FALSE(can_be_served(none, cli::k_all_loops));
  EXPECT_FALSE(leaves_out(none, kinds("runtime")));
  EXPECT_TRUE(can_be_served({LoopForm::hidden}, kinds("guided")));
  EXPECT_FALSE(leaves_out({LoopForm::hidden}, kinds("guided"))) << "the form is not known";
  for (const auto form : {LoopForm::runtime, LoopForm::reduction}) {
    EXPECT_TRUE(can_be_served({form}, LoopKinds{}));
    EXPECT_FALSE(can_be_served({form}, kinds("dynamic,guided,auto")));
    EXPECT_TRUE(leaves_out({form}, kinds("dynamic")));
    EXPECT_EQ(cli::loops_for({form}), "runtime");
  }
  EXPECT_FALSE(can_be_served({LoopForm::dynamic}, kinds("runtime,guided,auto")));
  EXPECT_TRUE(can_be_served({LoopForm::dynamic}, kinds("dynamic")));
  EXPECT_FALSE(can_be_served({LoopForm::guided}, kinds("runtime,dynamic,auto")));
  EXPECT_TRUE(can_be_served({LoopForm::guided}, kinds("all")));
  EXPECT_TRUE(leaves_out({LoopForm::runtime, LoopForm::guided}, kinds("runtime")));
  EXPECT_FALSE(leaves_out({LoopForm::runtime, LoopForm::guided}, kinds("runtime,guided")));
  EXPECT_EQ(cli::loops_for({LoopForm::guided, LoopForm::runtime}), "all");
  EXPECT_EQ(cli::loops_for({LoopForm::guided, LoopForm::hidden}), "all");
  EXPECT_TRUE(can_be_served({LoopForm::call}, kinds("auto"))) << "it asks no runtime for a schedule";
  EXPECT_FALSE(leaves_out({LoopForm::call}, kinds("auto")));
}

TEST(OpenMpRuntime, IsKnownByItsSymbols) {
  EXPECT_EQ(cli::openmp_runtime(CLI_FAKE_GCC)->family, OpenMpRuntime::Family::gcc);
  const auto llvm = cli::openmp_runtime(CLI_FAKE_RUNTIME);
  ASSERT_TRUE(llvm);
  EXPECT_EQ(llvm->family, OpenMpRuntime::Family::llvm);
  EXPECT_FALSE(llvm->debug_build);
  EXPECT_TRUE(cli::openmp_runtime(CLI_FAKE_TRACES)->debug_build);
  for (const auto* other : {CLI_STAND_IN, "/nonexistent", "/", "/etc/passwd"})
    EXPECT_FALSE(cli::openmp_runtime(other)) << other;
  // A program that calls one is none.
  EXPECT_FALSE(cli::openmp_runtime(target("calls_llvm")));
}

// The child lives until it was seen with the library.
TEST(MappedWatch, SeesWhatAProgramLoads) {
  for (const bool below_a_shell : {false, true}) {
    std::vector<std::string> command{target("plugin_host"), CLI_FAKE_GCC};
    if (below_a_shell) command = {"/bin/sh", "-c", "\"$0\" \"$1\"; exit $?", command[0], command[1]};
    cli::Environment environment;
    environment.set("OMPI_COMM_WORLD_RANK", "3");
    cli::MappedWatch watch;
    bool seen = false;
    const auto look = [&](pid_t child) {
      watch.look(child);
      const auto files = watch.files();
      seen = std::any_of(files.begin(), files.end(), [](const fs::path& file) {
        std::error_code error;
        return fs::equivalent(file, CLI_FAKE_GCC, error);
      });
      if (!seen) return;
      if (!below_a_shell) {
        EXPECT_EQ(watch.cpus(child), place::current_mask());
        EXPECT_EQ(watch.rank(child), "3");
        EXPECT_TRUE(watch.cpus(1).empty()) << "it was not looked at";
      }
      // A shell's signals do not reach what it waits for.
      ::kill(child, below_a_shell ? SIGTERM : SIGUSR1);
    };
    const auto ending = cli::supervise(command, environment, {.look = look});
    EXPECT_EQ(ending.error, 0);
    EXPECT_TRUE(seen);
    EXPECT_TRUE(below_a_shell ? WIFSIGNALED(ending.wait_status) : WEXITSTATUS(ending.wait_status) == 0);
  }
}

TEST(BindingLog, TellsWhichFilesCallARuntimePastTheLibrary) {
  const std::string runtime = CLI_FAKE_GCC;
  const auto line = [](const std::string& from, const std::string& to, const std::string& symbol) {
    return "   459:\tbinding file " + from + " [0] to " + to + " [0]: normal symbol `" + symbol +
           "' [GOMP_1.0]\n";
  };
  const auto log = line("./a.so", runtime, "GOMP_parallel") + line("./a.so", runtime, "GOMP_loop_end") +
                   line("./b.so", "/w/libwstree.so.1", "GOMP_parallel") +
                   line("/w/libwstree.so.1", runtime, "GOMP_parallel") +
                   line(runtime, runtime, "GOMP_parallel") + line("./c.so", runtime, "GOMP_critical_start") +
                   line("./d.so", "/nowhere.so", "GOMP_parallel") + "   459:\tcalling init: ./e.so\n";
  EXPECT_EQ(cli::calls_past(log, "/w/libwstree.so.1", {"GOMP_parallel", "GOMP_loop_end"}),
            (cli::CallsPast{{"./a.so", runtime}}));
}

} // namespace
} // namespace wstree::test
