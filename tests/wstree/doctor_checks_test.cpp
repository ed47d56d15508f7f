// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `wstree doctor` makes of loops and runtimes, and the two forms of its report.
#include "doctor/checks.h"
#include "doctor/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wstree::test {
namespace {

using cli::Checks;
using cli::FileCalls;
using cli::LoopCalls;
using cli::LoopForm;
using cli::LoopForms;
using cli::Status;
using testing::HasSubstr;

FileCalls gcc_file(const std::string& name, LoopForms forms) {
  return {"/somewhere/" + name, LoopCalls{.forms = std::move(forms), .gcc = true}};
}

Checks loops(const std::vector<FileCalls>& files, const char* value = "runtime",
             bool is_interpreter = false) {
  return cli::check_loops(files, *config::parse_loops(value), is_interpreter);
}

TEST(DoctorLoops, ThatWillBeServed) {
  const auto checks = loops({gcc_file("solver", {LoopForm::runtime}),
                             gcc_file("libplain.so", {}),
                             {"/lib/libmesh.so", LoopCalls{.forms = {LoopForm::hidden}, .llvm = true}}});
  ASSERT_EQ(checks.size(), 2U) << "one for each file with loops";
  EXPECT_EQ(checks[0].status, Status::ok);
  EXPECT_EQ(checks[0].found, "solver: schedule(runtime)");
  EXPECT_EQ(checks[1].status, Status::ok);
  EXPECT_THAT(checks[1].found,
              HasSubstr("libmesh.so: runtime, dynamic or guided (only the run tells which)"));
}

TEST(DoctorLoops, StaticOnesOfLlvmAreToldOnceIfTheyMayBeServed) {
  const FileCalls solver{"/somewhere/solver", LoopCalls{.forms = {LoopForm::fixed}, .llvm = true}};
  const auto checks = loops({solver}, "runtime,proven");
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].status, Status::ok);
  EXPECT_THAT(checks[0].found, HasSubstr("machine code proves"));
}

TEST(DoctorLoops, StaticOnesOfGccAreListed) {
  auto solver = gcc_file("solver", {LoopForm::runtime});
  solver.calls.may_be_static = true;
  for (const char* line : {"a.c:1", "a.c:2", "a.c:3", "a.c:4", "a.c:5", "a.c:6", "a.c:7", "a.c:8"})
    solver.static_loops.emplace_back(line);
  const auto beside = loops({solver});
  ASSERT_EQ(beside.size(), 2U);
  EXPECT_EQ(beside[1].found, "solver: static: a.c:1, a.c:2, a.c:3, a.c:4, a.c:5, a.c:6 and 2 more");
  EXPECT_THAT(beside[1].fix, HasSubstr("--gcc-plugin"));
  solver.calls.forms.clear();
  solver.static_loops.resize(1);
  const auto alone = loops({solver});
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].status, Status::warn);
  EXPECT_EQ(alone[0].found, "none that would be served; static: a.c:1");
  EXPECT_THAT(alone[0].fix, HasSubstr("--gcc-plugin"));
}

TEST(DoctorLoops, ThatCannotBeServed) {
  for (const LoopForms& forms :
       {LoopForms{}, LoopForms{LoopForm::fixed}, LoopForms{LoopForm::fixed, LoopForm::ordered}}) {
    const auto check = loops({gcc_file("solver", forms)}, "all").back();
    EXPECT_EQ(check.status, Status::warn);
    EXPECT_THAT(check.cause, HasSubstr("static loops never ask"));
    EXPECT_THAT(check.fix, HasSubstr("schedule(runtime)"));
  }
  for (const LoopForm form : {LoopForm::ordered, LoopForm::doacross, LoopForm::monotonic}) {
    auto solver = gcc_file("solver", {form});
    const auto check = loops({solver}, "all").back();
    EXPECT_EQ(check.status, Status::warn);
    EXPECT_THAT(check.cause, HasSubstr(std::string(to_text(form)) + " need the order"));
    EXPECT_THAT(check.fix, testing::Not(HasSubstr("schedule(runtime)"))) << "it may say that already";
    solver.calls.may_be_static = true;
    EXPECT_THAT(loops({solver}, "dynamic").back().fix, HasSubstr("schedule(runtime)"));
  }
}

TEST(DoctorLoops, OfWhatIsStartedLater) {
  EXPECT_EQ(loops({{"/bin/sh", LoopCalls{}}}, "runtime", true).back().status, Status::note);
  EXPECT_EQ(loops({{"/bin/loads", LoopCalls{.starts_others = true}}}).back().status, Status::note);
  EXPECT_EQ(loops({{"/bin/odd", LoopCalls{.known = false}}}).back().status, Status::note);
}

TEST(DoctorRuntimes, None) {
  EXPECT_EQ(cli::check_runtimes({}, true).front().status, Status::warn);
  EXPECT_EQ(cli::check_runtimes({}, false).front().status, Status::note) << "it may come later";
}

TEST(DoctorAdvice, IsThatForTheRegionWithMostTime) {
  cli::Trial trial;
  trial.unserved = {{"a.c:9 main()", "waits", 2.0}, {"b.c:5 f()", "is long", 1.0}};
  trial.step = "the step";
  const cli::TrialFacts facts{.forms = {LoopForm::hidden, LoopForm::fixed}, .schedule = "wstree"};
  const auto none = cli::check_trial(trial, facts);
  EXPECT_EQ(none.back().found, "no loop was served");
  EXPECT_EQ(none.back().fix, "the step");
  EXPECT_EQ(none[1].found, "not served: a.c:9 main()");
  EXPECT_EQ(none[1].fix, "") << "it follows";
  trial.loops = {{"balanced", {1, 9}}};
  const auto some = cli::check_trial(trial, facts);
  EXPECT_EQ(some[1].fix, "the step");
  EXPECT_EQ(some.back().found, "served: 1 static loop in 9 executions");
  trial.loops.clear();
  trial.step.clear(); // these regions take little time
  EXPECT_THAT(cli::check_trial(trial, facts).back().fix, HasSubstr("WSTREE_LOOPS=all"));
}

const Checks k_checks{{"library", Status::ok, "/lib/libwstree.so"},
                      {"quota", Status::warn, "2 CPUs", "too few", "ask for more"},
                      {"cpus", Status::note, "some \xff bytes", "odd"}};

TEST(DoctorReport, HasAnExitStatus) {
  EXPECT_EQ(cli::exit_status({}), 0);
  EXPECT_EQ(cli::exit_status({k_checks[0], k_checks[2]}), 0);
  EXPECT_EQ(cli::exit_status(k_checks), 1);
  EXPECT_EQ(cli::exit_status({{"a", Status::fail, "x"}, k_checks[1]}), 2);
}

} // namespace
} // namespace wstree::test
