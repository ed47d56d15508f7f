// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `wstree doctor` makes of loops and runtimes, and the two forms of its report.
#include "doctor/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wstree::test {
namespace {

using cli::Check;
using cli::Checks;
using cli::FileCalls;
using cli::LoopCalls;
using cli::LoopForm;
using cli::LoopForms;
using cli::OpenMpRuntime;
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
  EXPECT_THAT(checks[1].found, HasSubstr("libmesh.so: a schedule that is not visible"));
}

TEST(DoctorLoops, StaticOnesBesideThoseThatAreServedAreNamed) {
  auto solver = gcc_file("solver", {LoopForm::runtime});
  solver.calls.may_be_static = true;
  for (const auto& program : {solver, gcc_file("solver", {LoopForm::runtime, LoopForm::fixed})}) {
    const auto checks = loops({program, gcc_file("libplain.so", {})});
    ASSERT_EQ(checks.size(), 2U);
    EXPECT_EQ(checks[1].status, Status::note);
    EXPECT_THAT(checks[1].found, HasSubstr("static loops too"));
    EXPECT_THAT(checks[1].fix, HasSubstr("write schedule(runtime)"));
  }
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

TEST(DoctorLoops, ThoseThatGccCutsItselfAreToBeCompiledForTheSchedule) {
  auto solver = gcc_file("solver", {});
  solver.calls.may_be_static = solver.calls.cuts_its_own = true;
  EXPECT_THAT(loops({solver}).back().fix, HasSubstr("--param=parloops-schedule=runtime"));
  solver.calls.forms = {LoopForm::dynamic};
  const auto beside = loops({solver}, "all");
  ASSERT_EQ(beside.size(), 2U);
  EXPECT_THAT(beside[1].fix, HasSubstr("--param=parloops-schedule=runtime"));
  EXPECT_THAT(beside[1].cause, HasSubstr("-ftree-parallelize-loops"));
}

TEST(DoctorLoops, StaticOnesOfClangAreServedOnRequest) {
  const FileCalls solver{"/somewhere/solver", LoopCalls{.forms = {LoopForm::fixed}, .llvm = true}};
  EXPECT_THAT(loops({solver}).back().fix, HasSubstr("WSTREE_LOOPS=static"));
  const auto checks = loops({solver}, "static");
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].status, Status::ok);
}

TEST(DoctorLoops, ThatAnotherValueWouldServeToo) {
  const auto checks = loops({gcc_file("solver", {LoopForm::runtime, LoopForm::guided})});
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].status, Status::note);
  EXPECT_EQ(checks[0].found, "solver: schedule(runtime), schedule(guided)");
  EXPECT_THAT(checks[0].cause, HasSubstr("WSTREE_LOOPS=runtime leaves some"));
  EXPECT_THAT(checks[0].fix, HasSubstr("--loops all"));
  EXPECT_EQ(loops({gcc_file("solver", {LoopForm::runtime, LoopForm::guided})}, "all")[0].status, Status::ok);
}

TEST(DoctorLoops, ThatOnlyAnotherValueWouldServe) {
  const auto checks =
      loops({gcc_file("solver", {LoopForm::dynamic}), gcc_file("libmesh.so", {LoopForm::ordered})});
  ASSERT_EQ(checks.size(), 3U);
  EXPECT_EQ(checks[1].status, Status::note);
  EXPECT_EQ(checks[1].cause, "these stay with the OpenMP runtime");
  EXPECT_EQ(checks[2].status, Status::warn);
  EXPECT_THAT(checks[2].fix, HasSubstr("WSTREE_LOOPS=all; a thread then gets iterations in any order"));
  EXPECT_EQ(checks[0].fix, "") << "said once";
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

TEST(DoctorLoops, OfAProgramWithoutOpenMp) {
  const auto check = loops({{"/bin/plain", LoopCalls{}}}).back();
  EXPECT_EQ(check.status, Status::warn);
  EXPECT_THAT(check.fix, HasSubstr("-fopenmp"));
}

TEST(DoctorLoops, OfWhatIsStartedLater) {
  EXPECT_EQ(loops({{"/bin/sh", LoopCalls{}}}, "runtime", true).back().status, Status::note);
  EXPECT_EQ(loops({{"/bin/loads", LoopCalls{.starts_others = true}}}).back().status, Status::note);
  EXPECT_EQ(loops({{"/bin/odd", LoopCalls{.known = false}}}).back().status, Status::note);
}

TEST(DoctorLoops, WithTheRuntimeInside) {
  const auto check = loops({{"/bin/inside", LoopCalls{.runtime_inside = true}}}).back();
  EXPECT_EQ(check.status, Status::fail);
  EXPECT_THAT(check.fix, HasSubstr("shared OpenMP runtime"));
}

TEST(DoctorRuntimes, One) {
  const auto checks = cli::check_runtimes({{OpenMpRuntime::Family::gcc, "/x/libgomp-d22c30c5.so"}}, true);
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].status, Status::ok);
  EXPECT_EQ(checks[0].found, "/x/libgomp-d22c30c5.so (gcc)");
}

TEST(DoctorRuntimes, InADebugBuild) {
  const auto checks = cli::check_runtimes({{OpenMpRuntime::Family::llvm, "/x/libomp.so.5", true}}, true);
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].status, Status::note);
  EXPECT_EQ(checks[0].found, "/x/libomp.so.5 (LLVM)");
  EXPECT_THAT(checks[0].cause, HasSubstr("debug build"));
}

TEST(DoctorRuntimes, Several) {
  const auto checks =
      cli::check_runtimes({{OpenMpRuntime::Family::llvm, "/a"}, {OpenMpRuntime::Family::gcc, "/b"}}, false);
  ASSERT_EQ(checks.size(), 3U);
  EXPECT_EQ(checks[2].status, Status::note);
  EXPECT_THAT(checks[2].found, HasSubstr("2 OpenMP runtimes"));
}

TEST(DoctorRuntimes, None) {
  EXPECT_EQ(cli::check_runtimes({}, true).front().status, Status::warn);
  EXPECT_EQ(cli::check_runtimes({}, false).front().status, Status::note) << "it may come later";
}

const Checks k_checks{{"library", Status::ok, "/lib/libwstree.so"},
                      {"quota", Status::warn, "2 CPUs", "too few", "ask for more"},
                      {"cpus", Status::note, "some \xff bytes", "odd"}};

TEST(DoctorReport, IsAlignedText) {
  EXPECT_EQ(to_text(k_checks[0]), "ok    library    /lib/libwstree.so\n");
  EXPECT_EQ(to_text(k_checks[1]), "warn  quota      2 CPUs\n"
                                  "                 cause: too few\n"
                                  "                 fix:   ask for more\n");
  EXPECT_EQ(to_text(Check{"program", Status::fail, "x"}), "FAIL  program    x\n");
  EXPECT_EQ(to_text(Check{"program", Status::fail, "x", "one two three four five six"}, 42),
            "FAIL  program    x\n"
            "                 cause: one two three four five six\n");
  EXPECT_EQ(to_text(Check{"program", Status::fail, "x", "one two three four five six seven"}, 48),
            "FAIL  program    x\n"
            "                 cause: one two three four five\n"
            "                        six seven\n");
  EXPECT_EQ(to_text(k_checks[2]), "note  cpus       some ? bytes\n"
                                  "                 cause: odd\n");
}

TEST(DoctorReport, HasAnExitStatus) {
  EXPECT_EQ(cli::exit_status({}), 0);
  EXPECT_EQ(cli::exit_status({k_checks[0], k_checks[2]}), 0);
  EXPECT_EQ(cli::exit_status(k_checks), 1);
  EXPECT_EQ(cli::exit_status({{"a", Status::fail, "x"}, k_checks[1]}), 2);
}

TEST(DoctorReport, IsJson) {
  const auto document = nlohmann::json::parse(to_json(k_checks));
  EXPECT_EQ(document["status"], 1);
  ASSERT_EQ(document["checks"].size(), 3U);
  const nlohmann::json expected{{"name", "quota"},
                                {"status", "warn"},
                                {"found", "2 CPUs"},
                                {"cause", "too few"},
                                {"fix", "ask for more"}};
  EXPECT_EQ(document["checks"][1], expected);
  EXPECT_EQ(document["checks"][2]["found"], "some \xEF\xBF\xBD bytes");
  EXPECT_EQ(nlohmann::json::parse(cli::to_json({{"a", Status::fail, "x"}}))["checks"][0]["status"], "fail");
}

} // namespace
} // namespace wstree::test
