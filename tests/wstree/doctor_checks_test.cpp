// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of `wstree doctor`: which one follows from which environment, machine, program and trial.
#include "command.h"
#include "machines.h"

#include "doctor/checks.h"
#include "doctor/cpu_kinds.h"
#include "doctor/trial.h"

#include <fnmatch.h>

namespace wstree::test {
namespace {

using cli::Check;
using cli::Checks;
using cli::LoopCalls;
using cli::LoopForm;
using cli::LoopForms;
using cli::Status;
using cli::TrialFacts;

using Entries = std::vector<std::string>;
using Lines = std::vector<std::string>;

std::string line(const Check& check) {
  constexpr const char* k_names[] = {"ok", "note", "warn", "fail"};
  return std::string(k_names[static_cast<int>(check.status)]) + ' ' + check.found + " | " + check.cause +
         " | " + check.fix;
}

/// The checks as "STATUS FOUND | CAUSE | FIX", against patterns in which * stands for any text.
void expect_lines(const Checks& checks, const Lines& patterns, const std::string& of = "") {
  ASSERT_EQ(checks.size(), patterns.size()) << of << (checks.empty() ? "" : line(checks.back()));
  for (std::size_t i = 0; i < checks.size(); ++i)
    EXPECT_EQ(::fnmatch(patterns[i].c_str(), line(checks[i]).c_str(), 0), 0)
        << of << ": " << line(checks[i]) << "\nis not " << patterns[i];
}

// --- environment variables

Checks variables(Entries entries) { return cli::check_variables(cli::Environment(std::move(entries))); }

TEST(DoctorSchedule, IsJudged) {
  const std::string own = "*set OMP_SCHEDULE=wstree*", none = "*there is no such schedule* | *";
  const std::pair<Entries, std::string> table[] = {
      {{"wstree", " WSTREE , 8", "nonmonotonic:wstree", "Monotonic:dynamiC,8", "wsrange", "wsqueue,4",
        "WSQUEUE_LOCK"},
       "ok *"},
      {{"dynamic,4", "static", "guided", "monotonic:dynamic", "trapezoidal"},
       "warn * | *stay with the OpenMP runtime* | " + own},
      {{"wsfixed", "wsfixed,64", "wsguided", "wsfac2", "wstrapezoid", "wsstatic", "monotonic:wsstatic,4"},
       "note * | *to compare with* | *"},
      {{"wsrtee", "WSTRE", "wstreee,8", "monotonic:wstee", "ws tre", "wtree"},
       "warn * | " + none + "write OMP_SCHEDULE=wstree*"},
      {{"wsqeue"}, "warn * | " + none + "write OMP_SCHEDULE=wsqueue*"},
      {{"wsqueuelock"}, "warn * | " + none + "write OMP_SCHEDULE=wsqueue_lock*"},
      {{"ws-range"}, "warn * | " + none + "write OMP_SCHEDULE=wsrange*"},
      {{"wsgiuded,4"}, "warn * | " + none + "write OMP_SCHEDULE=wsguided*"},
      {{"dinamic"}, "warn * | " + none + "write OMP_SCHEDULE=dynamic*"},
      {{"wsomething_else"}, "warn * | " + none + "one of wstree, wsrange, *"},
      {{"monotonic:wstree"}, "warn * | *cannot keep the order* | " + own},
      {{"monotonic:wsqueue"}, "warn * | *cannot keep the order* | *set OMP_SCHEDULE=wsqueue*"},
  };
  for (const auto& [values, pattern] : table)
    for (const auto& value : values) {
      const auto checks = variables({"OMP_SCHEDULE=" + value});
      expect_lines(checks, {pattern}, value);
      EXPECT_EQ(checks[0].found, "OMP_SCHEDULE=" + value);
    }
  for (const auto& checks : {variables({}), variables({"OMP_SCHEDULE="})})
    expect_lines(checks, {"ok *not set* | *"});
  expect_lines(variables({"OMP_SCHEDULE=wstree,x"}), {"warn OMP_SCHEDULE='wstree,x' | *using wstree,1* | *"});
  expect_lines(variables({"WSTREE_LOOPS=dynamic", "OMP_SCHEDULE=wstree"}),
               {"warn * | add runtime to WSTREE_LOOPS"});
}

TEST(DoctorVariables, AreJudged) {
  const std::pair<Entries, Lines> table[] = {
      {{"WSTREE_STRATEGY=foo"},
       {"warn WSTREE_STRATEGY='foo' | it is not understood; using findmax | *use one of predefined, "
        "assign, *"}},
      {{"WSTREE_BATHC=1"},
       {"warn WSTREE_BATHC | it is not an option of this library | did you mean WSTREE_BATCH[?]"}},
      {{"WSTREE_COMPLETELY_UNKNOWN=1"}, {"warn * | ?* | ?*"}},
      {{"WSTREE_LOOPS=fast"}, {"warn * | *"}},
      {{"WSTREE_LOOPS=all", "WSTREE_STATS=1", "WSTREE_LIBRARY=x"}, {}},
      {{"WSTREE_BIND=close", "OMP_PROC_BIND=false"}, {}},
  };
  for (auto [entries, lines] : table) {
    const auto name = entries[0];
    entries.insert(entries.begin(), "OMP_SCHEDULE=wstree");
    lines.insert(lines.begin(), "ok *");
    expect_lines(variables(entries), lines, name);
  }
  for (const std::string entry :
       {"OMP_NUM_THREADS=1", "OMP_NUM_THREADS= 1 , 4", "OMP_THREAD_LIMIT=1", "KMP_DEVICE_THREAD_LIMIT=1",
        "OMP_MAX_ACTIVE_LEVELS=0", "KMP_LIBRARY=Serial"})
    expect_lines(variables({"OMP_SCHEDULE=wstree", entry}), {"ok *", "warn * | *one thread* | ?*"}, entry);
  for (const std::string entry : {"OMP_PROC_BIND=close", "GOMP_CPU_AFFINITY=0-3", "KMP_AFFINITY=compact"}) {
    const auto last = [&](const std::string& bind) { return Checks{variables({bind, entry}).back()}; };
    for (const std::string bind : {"close", "spread"})
      expect_lines(last("WSTREE_BIND=" + bind),
                   {"warn " + entry + " | *in spite of WSTREE_BIND=" + bind + "* | unset " +
                    entry.substr(0, entry.find('=')) + " or WSTREE_BIND"});
    for (const std::string bind : {"WSTREE_BIND=auto", "WSTREE_BIND=none", "WSTREE_BIND="})
      expect_lines(last(bind), {"note * | *the library leaves them there* | *"}, bind);
  }
}

// --- CPUs

cli::CpuFacts limited(std::uint64_t limit) { return {8, 8, {limit, place::PathText("/sys/cpu.max"), {}}}; }
cli::CpuFacts claimed(place::CpuClaims claims) {
  cli::CpuFacts facts{claims.mask, claims.mask};
  facts.usable.claims = claims;
  facts.usable.usable = place::usable_cpus(claims);
  facts.usable.rank_source = "MPI_LOCALNRANKS";
  return facts;
}

struct CpuRow {
  cli::CpuFacts facts;
  Entries variables;
  std::string cpus = "", quota = "", team = ""; ///< lines; empty: any
};

TEST(DoctorCpus, AndTheirTimeAreEnoughForTheTeam) {
  const auto grants = claimed({.mask = 64, .quota = 1'500});
  const CpuRow rows[] = {
      {{4, 4}, {}, "ok all 4 CPUs for 4 threads | *", "ok *"},
      {{4, 4}, {"OMP_NUM_THREADS=2"}, "ok *", "ok *"},
      {{2, 8}, {}, "ok 2 of 8 CPUs allowed, for 2 threads | *", "ok *"},
      {{2, 8}, {"OMP_NUM_THREADS=8", "OMP_THREAD_LIMIT=2"}, "ok *", "ok *"},
      {limited(0), {}, "", "ok *"},
      {limited(8'000), {}, "", "ok *"},
      {limited(1'500), {"OMP_NUM_THREADS=2"}, "", "note *"}, // fewer threads would waste time
      {limited(1'500), {}, "", "warn 1.5 CPUs for 8 threads (/sys/cpu.max) | *OMP_NUM_THREADS=2*"},
      {limited(200), {}, "", "* | *OMP_NUM_THREADS=1*"},
      {grants,
       {},
       "",
       "",
       "warn 64 threads; *the time of 1.5 CPUs | *32 times less* | *set WSTREE_THREADS=auto*"},
      {grants, {"OMP_NUM_THREADS=8"}, "", "", "* | *unset OMP_NUM_THREADS*"},
      {grants, {"OMP_NUM_THREADS=2"}, "", "", "ok *"},
      {grants, {"WSTREE_THREADS=auto"}, "", "", "ok *"},
  };
  for (const auto& [facts, entries, cpus, quota, team] : rows) {
    const auto checks = cli::check_cpus(facts, cli::Environment(entries));
    Lines lines{cpus, quota};
    if (!team.empty()) lines.push_back(team);
    for (auto& each : lines) each += each.empty() ? "*" : "";
    expect_lines({checks.begin(), checks.begin() + static_cast<std::ptrdiff_t>(lines.size())}, lines);
  }
}

TEST(DoctorKinds, TellsFastCpusFromSlowOnes) {
  const TemporaryFolder folder;
  const auto file = folder.write("machine.xml", k_slow_and_fast);
  std::string_view why;
  const auto machine =
      place::Machine::load({.kind = place::MachineSource::Kind::xml_file, .text = file.c_str()}, why);
  ASSERT_NE(machine, nullptr) << why;
  expect_lines(
      {*cli::check_kinds(*machine, 2)},
      {"note 1 fast and 1 slow, of 2 kinds, for 2 threads | *OMP_NUM_THREADS=1 OMP_PLACES={1} OMP_PROC*"});
  expect_lines({*cli::check_kinds(*machine, 1)}, {"ok *"});
}

// --- placement, on 4 cores with two hardware threads each

class DoctorPlacement : public testing::Test {
protected:
  void SetUp() override {
    std::string_view why;
    facts_.machine = place::Machine::load(
        {.kind = place::MachineSource::Kind::synthetic, .text = "core:4 pu:2", .within = nullptr}, why);
    ASSERT_NE(facts_.machine, nullptr) << why;
  }
  void expect(unsigned team, const std::string& line) const {
    const auto check = cli::check_placement(facts_, team, config::Bind::auto_);
    EXPECT_EQ(check.name, "placement");
    expect_lines({check}, {line});
  }

  cli::PlacementFacts facts_;
};

TEST_F(DoctorPlacement, LeavesTeamsAlone) {
  expect(2, "note threads are not pinned (auto: 2 members on 4 cores, * | ?* | *WSTREE_BIND=close*");
  expect(9, "note * | ?* | *");
  facts_.limits.quota = 2'000;
  expect(4, "note *the time of 2 CPUs* | ?* | *");
  facts_.limits.ranks_share_mask = true;
  facts_.limits.local_ranks = 2;
  facts_.limits.rank_source = "MPI_LOCALNRANKS";
  expect(4, "note *2 ranks on this machine share CPUs, by MPI_LOCALNRANKS* | ?* | *--bind-to*");
}

TEST_F(DoctorPlacement, WarnsWhereTheRuntimePutsThreadsOnOneCpu) {
  const auto found = [&](Entries entries) {
    const auto bound = cli::check_bound_cpus(facts_, 2, cli::Environment(std::move(entries)));
    return bound ? bound->found : std::string();
  };
  EXPECT_EQ(found({"OMP_PLACES={0}"}), "") << "the runtime does not bind";
  facts_.limits.runtime_binds = true;
  for (const auto& [bind, places] : {std::pair<std::string, std::string>{"", "OMP_PLACES={0}"},
                                     {"OMP_PROC_BIND=close", "OMP_PLACES={0},{0}"},
                                     {"OMP_PROC_BIND=primary", "OMP_PLACES=threads"},
                                     {"", "GOMP_CPU_AFFINITY=0 0"}})
    EXPECT_EQ(found({bind, places}), places + " binds 2 threads to 1 CPU");
  for (const auto* enough : {"OMP_PLACES=cores", "OMP_PLACES={0:2}", "GOMP_CPU_AFFINITY=0-3",
                             "OMP_PROC_BIND=true", "OMP_PLACES=none such"})
    EXPECT_EQ(found({enough}), "") << enough;
}

// --- loops and runtimes of files

Checks loops(const std::vector<cli::FileCalls>& files, const char* value = "runtime",
             bool is_interpreter = false) {
  return cli::check_loops(files, *config::parse_loops(value), is_interpreter);
}
LoopCalls of_gcc(LoopForms forms, bool may_be_static = false) {
  return {.forms = std::move(forms), .gcc = true, .may_be_static = may_be_static};
}

TEST(DoctorLoops, AreToldForEachFile) {
  const std::string solver = "/somewhere/solver";
  expect_lines(
      loops({{solver, of_gcc({LoopForm::runtime})},
             {"/somewhere/libplain.so", of_gcc({})},
             {"/lib/libmesh.so", {.forms = {LoopForm::hidden}, .llvm = true}}}),
      {"ok solver: schedule(runtime) | *", "ok *libmesh.so: runtime, dynamic or guided (only the run * | *"});
  expect_lines(loops({{solver, {.forms = {LoopForm::fixed}, .llvm = true}}}, "runtime,proven"),
               {"ok *machine code proves* | *"});
  const Lines places{"a.c:1", "a.c:2", "a.c:3", "a.c:4", "a.c:5", "a.c:6", "a.c:7", "a.c:8"};
  expect_lines(loops({{solver, of_gcc({LoopForm::runtime}, true), places}}),
               {"ok *", "* solver: static: a.c:1, * a.c:6 and 2 more | *--gcc-plugin*"});
  expect_lines(loops({{solver, of_gcc({}, true), {"a.c:1"}}}),
               {"warn none that would be served; static: a.c:1 | *--gcc-plugin*"});
}

TEST(DoctorLoops, ThatCannotBeServed) {
  for (const LoopForms& forms :
       {LoopForms{}, LoopForms{LoopForm::fixed}, LoopForms{LoopForm::fixed, LoopForm::ordered}})
    expect_lines({loops({{"/somewhere/solver", of_gcc(forms)}}, "all").back()},
                 {"warn * | *static loops never ask* | *schedule(runtime)*"});
  for (const LoopForm form : {LoopForm::ordered, LoopForm::doacross, LoopForm::monotonic}) {
    const auto check = loops({{"/somewhere/solver", of_gcc({form})}}, "all").back();
    expect_lines({check}, {"warn * | *" + std::string(to_text(form)) + " need the order* | *"});
    EXPECT_EQ(check.fix.find("schedule(runtime)"), std::string::npos) << "it may say that already";
    expect_lines({loops({{"/somewhere/solver", of_gcc({form}, true)}}, "dynamic").back()},
                 {"* | *schedule(runtime)*"});
  }
}

TEST(DoctorLoops, OfWhatIsStartedLater) {
  for (const auto& checks :
       {loops({{"/bin/sh", {}}}, "runtime", true), loops({{"/bin/loads", {.starts_others = true}}}),
        loops({{"/bin/odd", {.known = false}}})})
    expect_lines({checks.back()}, {"note *"});
  expect_lines(cli::check_runtimes({}, true), {"warn *"});
  expect_lines(cli::check_runtimes({}, false), {"note *"}, "it may come later");
}

// --- a trial run

cli::Trial ended(int status) {
  cli::Trial trial;
  trial.ending.wait_status = status << 8; // as in waitpid(2)
  return trial;
}

place::CpuSet cpus_of(std::initializer_list<std::uint32_t> numbers) {
  place::CpuSet cpus;
  for (const auto number : numbers) cpus.add(number);
  return cpus;
}

TEST(DoctorTrial, SaysWhatWasServed) {
  auto trial = ended(0);
  trial.loops = {{"runtime", {1, 1}}, {"dynamic", {2, 812}}};
  expect_lines(check_trial(trial, {}),
               {"ok exit status 0 | *", "ok served: 2 schedule(dynamic) loops in 812 executions, 1 "
                                        "schedule(runtime) loop in 1 execution | *"});
}

TEST(DoctorTrial, LooksAtTheCpusOfEachRank) {
  const auto two = [](std::initializer_list<std::uint32_t> first,
                      std::initializer_list<std::uint32_t> second) {
    return cli::check_ranks({{10, "0", 2, cpus_of(first)}, {11, "1", 2, cpus_of(second)}}, 8);
  };
  expect_lines(two({0}, {1}), {"warn ranks 0, 1: each 1 of 8 CPUs for 2 threads | *--map-by slot:PE=2*"});
  expect_lines(two({0, 1}, {0, 1}), {"warn ranks 0, 1: each 2 of 8 CPUs for 2 threads, 4 with others on "
                                     "the same CPUs | *"});
  expect_lines({two({0, 1}, {2, 3})[0]}, {"ok *"});
  expect_lines({cli::check_ranks({{10, "", 4, cpus_of({0, 1, 2, 3})}}, 8)[0]},
               {"* process 10: 4 of 8 CPUs for 4 threads | *"});
  expect_lines(cli::check_ranks({{10, "", 4, {}}}, 8), {}, "it was over too soon");
}

TEST(DoctorTrial, LooksAtTheThreadsThatTheProgramMakes) {
  const auto found = [](unsigned threads, std::initializer_list<std::uint32_t> bound, unsigned team) {
    const auto check = cli::check_threads({10, "", threads, {}, cpus_of(bound)}, team, 4);
    return check ? check->found : "";
  };
  EXPECT_EQ(found(2, {3}, 4), "in the trial 2 threads had 1 of 4 CPUs");
  EXPECT_EQ(found(2, {2, 3}, 4), "");
  EXPECT_EQ(found(2, {}, 4), "") << "they were not seen";
  EXPECT_EQ(found(8, {0, 1, 2, 3}, 4), "in the trial a team had 8 threads for 4 CPUs");
  EXPECT_EQ(found(8, {0, 1, 2, 3}, 8), "") << "said before the trial";
}

TEST(DoctorTrial, SaysWhyNothingWasServed) {
  const std::string by_itself = "* | *itself, by omp_set_schedule* | *wstree run --rules '[*] wstree'*",
                    reached = "* | *perhaps before it reached its loops | *arguments*";
  struct Row {
    TrialFacts facts;
    std::string line;
    int status = 0;
  };
  const Row table[] = {
      {{{LoopForm::runtime}, {}, "wstree", true, true}, by_itself},
      {{{LoopForm::hidden}, {}, "wstree", true, true}, by_itself},
      {{{LoopForm::dynamic, LoopForm::fixed}, {}, "wstree"},
       "* | *WSTREE_LOOPS=runtime leaves out*schedule(dynamic)* | set WSTREE_LOOPS=all; a thread then gets "
       "iterations in any order: wstree help schedules"},
      {{{LoopForm::runtime}, *config::parse_loops("dynamic"), "wstree"}, "* | set WSTREE_LOOPS=runtime"},
      {{{LoopForm::dynamic}, {}, "wstree"}, reached, 3},
      {{{LoopForm::runtime}, {}, "dynamic"}, reached, 3},
      {{{}, {}, "wstree", false}, "* | it ended with status 3, perhaps before it reached its loops | *", 3},
      {{{LoopForm::runtime}, {}, "wstree"}, "* | *not reached with these arguments* | *"},
      {{.forms = {LoopForm::ordered}, .schedule = "wstree"},
       "* | its loops are ordered, and the OpenMP runtime keeps their order | *"},
      {{.forms = {LoopForm::ordered}, .schedule = "wstree", .may_be_static = true},
       "* | *static, or need an order* | *"},
      {{.schedule = "wstree", .has_runtime = true, .has_numba = true}, "* | *import wstree.numba*"},
      {{.schedule = "wstree", .has_runtime = false, .has_numba = true}, "* | *import wstree.numba*"},
      {{{LoopForm::fixed}, {}, "wstree"}, "* | *WSTREE_LOOPS=static*"},
      {{{}, {}, "wstree"}, "* | *no loop was seen that asks* | *"}, // gcc's static loops
  };
  for (const auto& [facts, line, status] : table) {
    const auto checks = check_trial(ended(status), facts);
    expect_lines(checks,
                 {"* exit status " + std::to_string(status) + " | *", "warn no loop was served" + line});
  }
}

TEST(DoctorTrial, AdvisesOnTheRegionWithMostTime) {
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
  EXPECT_THAT(cli::check_trial(trial, facts).back().fix, testing::HasSubstr("WSTREE_LOOPS=all"));
}

// --- the report

TEST(DoctorReport, HasAnExitStatus) {
  const Check ok{"library", Status::ok, "/lib/libwstree.so"},
      warn{"quota", Status::warn, "2 CPUs", "too few", "ask for more"},
      note{"cpus", Status::note, "some \xff bytes", "odd"};
  EXPECT_EQ(cli::exit_status({}), 0);
  EXPECT_EQ(cli::exit_status({ok, note}), 0);
  EXPECT_EQ(cli::exit_status({ok, warn, note}), 1);
  EXPECT_EQ(cli::exit_status({{"a", Status::fail, "x"}, warn}), 2);
}

} // namespace
} // namespace wstree::test
