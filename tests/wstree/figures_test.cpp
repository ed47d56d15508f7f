// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Long names of loops and narrow windows; axes, ticks and pens of pictures; the machine that `wstree simulate
// --calibrate` writes, for --machine to take back.
#include "calibrate.h"
#include "command/found_machine.h"
#include "command/machine_text.h"
#include "command/plan.h"
#include "inspect/statistics.h"
#include "report/model.h"
#include "rules/place_text.h"
#include "support/chart.h"
#include "support/folded.h"
#include "support/loop_name.h"

#include "usual.h"

namespace wstree::cli {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string k_long = "mesh.hpp:12 void Mesh<" + std::string(200, 'x') + ", Allocator<int> >::sum<" +
                           std::string(200, 'y') + ">(int)";

TEST(LoopName, IsFoldedAtTheArgumentsOfTemplates) {
  const std::string x(200, 'x');
  EXPECT_EQ(folded_name("solver.c:12 step()"), "solver.c:12 step()");
  EXPECT_EQ(folded_name("mesh.hpp:12 f<int>(int)"), "mesh.hpp:12 f<int>(int)") << "it is short enough";
  EXPECT_EQ(folded_name(k_long), "mesh.hpp:12 void Mesh<...>::sum<...>(int)");
  EXPECT_EQ(folded_name("f<int>(" + x + ")"), "f<...>(...)");
  EXPECT_EQ(folded_name("f<" + x + ">() -> int"), "f<...>() -> int");
  // An operator that looks like a bracket: a gap in the middle.
  EXPECT_EQ(folded_name("operator<" + x).size(), k_widest_name);
  EXPECT_EQ(folded_name(k_long, 20).size(), 20U);
}

TEST(Columns, AreGivenUpWhereTheSecondWouldBeNarrow) {
  const std::string option = "  --threads NUMBER  how many threads the loops have";
  EXPECT_EQ(folded(option, 44), "  --threads NUMBER  how many threads the\n                    loops have");
  EXPECT_EQ(folded(option, 43), "  --threads NUMBER  how many threads the\n  loops have");
}

std::string text_of(const Statistics& statistics, const Terminal& terminal = {}) {
  return statistics_text(statistics, terminal, false);
}

TEST(Figures, FoldNamesInPipesTooAndSayWhichNumbersArePieces) {
  Statistics statistics;
  statistics.loops.push_back({k_long, "wstree (proven)", 1, 1'256, 1, 0, 1.0});
  EXPECT_THAT(text_of(statistics),
              HasSubstr("\n  mesh.hpp:12 void Mesh<...>::sum<...>(int)      1  1.00 s "));
  EXPECT_THAT(text_of(statistics), HasSubstr("  1,256  "));
  statistics.loops.back().counts_pieces = true;
  EXPECT_THAT(text_of(statistics), HasSubstr("  1,256 pieces  "));
}

TEST(Figures, SayWhatServesARegionThatIsRefused) {
  Statistics statistics;
  statistics.loops.push_back({"b.c:5 f()", "wstree", 7, 70, 4, 0, 1.0});
  statistics.unserved.push_back({"a.c:9 main()", "has a private array"});
  const auto refused = HasSubstr("not served: a.c:9 main(): has a private array\n");
  const auto way_out = HasSubstr("\n  such regions run as without the library; loops in them that say ");
  EXPECT_THAT(text_of(statistics), testing::AllOf(refused, Not(way_out)));
  Terminal terminal;
  terminal.is_one = true;
  EXPECT_THAT(text_of(statistics, terminal), testing::AllOf(refused, way_out));
}

TEST(Figures, HaveOneLineForAnUnrolledLoopsRegions) {
  Statistics statistics;
  for (const double seconds : {1.0, 3.0}) {
    statistics.loops.push_back({"a.c:9 main()", "wstree (proven)", 1, 10, 4, 2, seconds});
    statistics.loops.push_back({"a.c:9 main()", "static", 1, 10, 4, 0, seconds});
  }
  statistics.loops.push_back({"b.c:5 f()", "wstree", 7, 70, 4, 0, 1.0});
  statistics.loops.back().even_saves = 0.5;
  const auto text = text_of(statistics);
  EXPECT_THAT(text, HasSubstr(": 3 loops served, 11 calls,"));
  EXPECT_THAT(text,
              ContainsRegex("\n  b.c:5 f\\(\\) +7 [^\n]*\n  a.c:9 main\\(\\) \\(2 places\\) +2 +4.00 s "));
  EXPECT_THAT(text, ContainsRegex("\n  a.c:9 main\\(\\) \\(2 places\\) [^\n]* static\n"));
}

TEST(Figures, SayWhatToDoWhereNothingWasServed) {
  Statistics statistics;
  statistics.wall_seconds = 2;
  statistics.between_regions_seconds = 0.5;
  statistics.unserved.push_back({"a.c:9 main()", "uses its thread's number", 1.2});
  statistics.unserved.push_back({"a.c:20 main()", "has a private array", 0.2});
  EXPECT_EQ(
      text_of(statistics),
      "wstree: no loop was served\n"
      "  wall time 2.00 s: 70 % in regions not served, 25 % between regions, where one thread works, 5 % "
      "elsewhere\n"
      "not served: a.c:9 main(), 1.20 s: uses its thread's number\n"
      "not served: a.c:20 main(), 200.00 ms: has a private array\n"
      "next: schedule(runtime) at the uneven loops of a.c:9 main() serves them; work that the program "
      "divides by thread numbers stays as it is\n");
  statistics.unserved.front().reason = "sums would depend on the pieces, unless --loops names static";
  EXPECT_THAT(text_of(statistics), HasSubstr("\nnext: wstree run --loops all,static "));
  statistics.wall_seconds = 100;
  EXPECT_THAT(text_of(statistics), Not(HasSubstr("next: ")));
  statistics.loops.push_back({"b.c:5 f()", "wstree", 7, 70, 4, 0, 1.0});
  EXPECT_THAT(
      text_of(statistics),
      testing::AllOf(HasSubstr("1 % in these loops, 1 % in regions not served, "), Not(HasSubstr("next: "))));
  statistics.wall_seconds = 4; // refused regions take much of it
  EXPECT_THAT(text_of(statistics), HasSubstr("\nnext: "));
  statistics.loops.front().seconds = 99; // within a refused region
  EXPECT_THAT(text_of(statistics), Not(HasSubstr("in regions not served")));
}

TEST(Reports, SayInTablesOnlyWhereALoopWasInlined) {
  RunReport report;
  for (const char* const name :
       {"a.c:5 f() inlined in a.c:13", "b.c:7 g() inlined in b.c:1", "b.c:7 g() inlined in b.c:2"})
    report.loop(name, "wstree");
  EXPECT_EQ(report.brief_name(report.loops[0]), "a.c:5 f()");
  EXPECT_EQ(report.brief_name(report.loops[1]), "b.c:7 g() inlined in b.c:1")
      << "another loop is called so, too";
}

std::vector<std::string> ticks_of(const Axis& axis) {
  std::vector<std::string> texts;
  for (const auto& tick : axis.ticks) texts.push_back(tick.text);
  return texts;
}

TEST(Chart, AxesHaveRoundTicksOrPowersOfTwo) {
  const auto axis = axis_for("seconds", {0.31, 0.07}, false);
  EXPECT_THAT(ticks_of(axis), ElementsAre("0", "0.1", "0.2", "0.3", "0.4"));
  EXPECT_DOUBLE_EQ(axis.part_of(0.1), 0.25);
  EXPECT_EQ(axis.part_of(7), 1) << "what lies beyond stands at the edge";
  const auto powers = axis_for("threads", {3, 16}, true);
  EXPECT_THAT(ticks_of(powers), ElementsAre("2", "4", "8", "16"));
  EXPECT_DOUBLE_EQ(powers.part_of(4), 1.0 / 3);
  EXPECT_EQ(axis_for("threads", {1}, true).part_of(1), 0) << "one value has an axis, too";
}

TEST(Chart, NoTwoCurvesOfAPictureHaveOnePen) {
  const std::vector<std::string> names{"wstree",      "wstrapezoid",  "trapez", "wsguided",
                                       "of the user", "wsqueue_lock", "static", "trapezoidal",
                                       "dynamic",     "dynamic,1"};
  std::set<std::pair<std::string_view, std::string_view>> pens;
  for (const auto& pen : pens_of(names)) pens.emplace(pen.colour, pen.dashes);
  EXPECT_EQ(pens.size(), names.size());
  EXPECT_EQ(pens_of(names).front().colour, pen_of("wstree", 1).colour);
}

/// On a busy machine everything may take as long as a time slice, or several.
TEST(Calibration, IsUnderstoodWhateverItHasTaken) {
  simulate::Calibration measured = simulate::calibrate(); // levels that this machine has
  for (const double ns : {0.001, 20.0, 1e6, 1.04e6, 4e6, 1e12}) {
    measured.hit_ns = measured.rmw_ns = measured.tick_ns = measured.dispatch_ns = measured.fault_ns = ns;
    measured.claim_ns = measured.skew_ns = measured.leave_ns = ns;
    for (double& transfer : measured.transfer_ns) transfer = ns;
    const auto text = machine_text(calibrated_machine(measured).spec);
    ChosenMachine taken;
    const bool is_absurd = ns >= 1e6;
    // Without "here,", which would measure the busy machine again.
    EXPECT_EQ(parse_machine(text.substr(text.find(',') + 1), taken).has_value(), is_absurd) << text;
    taken.spec.name = "here";
    EXPECT_EQ(absurdity_of(calibrated_machine(measured).spec).has_value(), is_absurd) << text;
    if (!is_absurd) {
      EXPECT_EQ(machine_text(taken.spec), text);
    }
  }
}

TEST(Simulation, KeepsWhatIsFinishedWhenItIsStopped) {
  SimulateRequest request;
  request.threads = "2,4";
  request.workloads = "UNIFORM";
  request.schedules = "static,dynamic";
  Plan plan;
  ASSERT_EQ(make_plan(request, plan), std::nullopt);
  std::atomic<int> begun{0};
  const Results some(plan, [&] { return begun++ >= 1; });
  EXPECT_EQ(some.size(), 4U);
  EXPECT_EQ(some.missing(), 3U);
  const auto text = simulate_text(some, false);
  EXPECT_THAT(text, ContainsRegex("UNIFORM +- +-\n"));
  EXPECT_THAT(text, ContainsRegex("UNIFORM +- +1\\.[0-9]+\n"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(simulate_json(some), HasSubstr("\"ratio\""));
  EXPECT_EQ(Results(plan).missing(), 0U);
}

} // namespace
} // namespace wstree::cli
