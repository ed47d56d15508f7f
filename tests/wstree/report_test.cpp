// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wstree report and wstree trace, on files that are made up here.
#include "report_files.h"

namespace wstree::test {
namespace {

class Report : public ReportFiles {};

TEST_F(Report, SaysInWordsWhatAnEvenLoopWouldSave) {
  const auto told = report({write("a.json", statistics(3, 0).dump())});
  EXPECT_EQ(told.status(), 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("made-up (process 100)\n3 loops of one process took 1.50 s in all.\n"));
  EXPECT_THAT(told.out, HasSubstr("file2.c:3"));
  EXPECT_LT(told.out.find("file2.c"), told.out.find("file0.c")); // what saves most comes first
}

TEST_F(Report, RowsOfOneNameInAProcessAreOneLoop) {
  json made = statistics(1, 0);
  made["loops"].push_back(made["loops"][0]);
  made["loops"][0]["even_saves_seconds"] = 0.25;
  made["loops"][1].update({{"seconds", 1.5}, {"imbalance", 1.1}});
  const auto told = report({write("a.json", made.dump())}).out;
  EXPECT_THAT(told, HasSubstr("One loop of one process took 2.00 s in all.\n"));
  EXPECT_THAT(told, Not(HasSubstr("Processes differ")));
  const json loop = as_json({path("a.json")}).at("loops").at(0);
  EXPECT_EQ(loop.at("processes"), 1);
  EXPECT_EQ(loop.at("calls"), 20);
  EXPECT_EQ(loop.at("even_saves"), 0.25);
  EXPECT_EQ(loop.at("imbalance"), 1.2) << "the mean one by time";
}

TEST_F(Report, SaysWhatWasRunAndWhereItsTimeWent) {
  json made = statistics(1, 0);
  made.update({{"command", "./heat 4096"}, {"host", "node7"}, {"ended", 1764357600}, {"wall_seconds", 2.0}});
  made["between_regions_seconds"] = 1.0;
  const auto file = write("a.json", made.dump());
  const std::string time =
      "all time 2.00 s: 25 % in these loops, 50 % between regions, where one thread works, "
      "25 % elsewhere; if the loops took no time, it would be 1.3 times as fast";
  const auto told = report({file}).out;
  EXPECT_THAT(told, HasSubstr("./heat 4096 on node7, 2025-11-2"));
  EXPECT_THAT(told, HasSubstr("\nW" + time + ".\n"));
  EXPECT_THAT(stats(file), HasSubstr("\n  w" + time + "\n"));
  made["wall_seconds"] = 1.25; // loops of two teams at the same time
  EXPECT_THAT(report({write("b.json", made.dump())}).out, Not(HasSubstr("all time")));
}

TEST_F(Report, NamesRegionsThatWereNotServed) {
  json made = statistics(1, 0);
  made.update({{"wall_seconds", 4.0}, {"between_regions_seconds", 1.0}});
  const json place = {{"module", "/nowhere/heat"}, {"build_id", ""}, {"offset", 16}};
  made["unserved_regions"] = {{{"reason", "is brief"}, {"where", place}, {"calls", 1}, {"seconds", 0.001}},
                              {{"reason", "waits"}, {"where", place}, {"calls", 1}, {"seconds", 2.0}}};
  const std::string refused = "Not served: heat+0x10, 2.00 s: waits.\n";
  const auto told = report({write("a.json", made.dump())}).out;
  EXPECT_THAT(told, HasSubstr(" 50 % in regions not served, 25 % between regions"));
  EXPECT_THAT(told, HasSubstr(refused));
  EXPECT_THAT(told, Not(HasSubstr("is brief"))) << "it does not matter";
  EXPECT_EQ(as_json({path("a.json")}).at("wall").at("unserved_seconds"), 2.001);
  made["loops"] = json::array();
  EXPECT_THAT(report({write("b.json", made.dump())}).out,
              HasSubstr("No loop was served.\n" + refused + "Not served: heat+0x10, 1.00 ms: is brief.\n" +
                        "Next: schedule(runtime) at the uneven loops of heat+0x10 serves them.\n"));
}

TEST_F(Report, StaticLoopsThatWereExecutedOnceAreNotServed) {
  json made = statistics(1, 0);
  made.update({{"wall_seconds", 4.0}, {"between_regions_seconds", 1.0}});
  made["loops"][0].update(
      {{"where", "heat+0x10"}, {"schedule", "static (equal parts)"}, {"calls", 1}, {"seconds", 2.0}});
  const json place = {{"module", "/nowhere/heat"}, {"build_id", ""}, {"offset", 16}};
  const json blamed = {{"module", "/nowhere/f<" + std::string(200, 'x') + ">"}, {"offset", 16}};
  made["unserved_regions"] = {
      {{"reason", "waits"}, {"where", place}, {"at", blamed}, {"calls", 1}, {"seconds", 2.0}}};
  const auto watched = stats(write("a.json", made.dump()));
  EXPECT_THAT(watched, HasSubstr("wstree 1: 0 loops served, 0 calls, "));
  EXPECT_THAT(watched, HasSubstr("\n  1 static loop watched, executed once: nothing is known to cut it by\n"
                                 "  wall time 4.00 s: 50 % in regions not served, "));
  EXPECT_THAT(watched, HasSubstr("\nnot served: heat+0x10, 2.00 s: waits: f<...>+0x10\nnext: "));
  EXPECT_THAT(report({path("a.json")}).out, HasSubstr("\nNext: schedule(runtime) at the uneven loops of "));
  made["loops"].push_back(made["loops"][0]);
  made["loops"][1].update({{"schedule", "static (balanced)"}, {"calls", 9}});
  const auto served = stats(write("b.json", made.dump()));
  EXPECT_THAT(served, HasSubstr("1 loop served, 9 calls, "));
  for (const auto* said : {"not served", "watched", "next: "}) EXPECT_THAT(served, Not(HasSubstr(said)));
}

TEST_F(Report, AdvisesNothingThatItsFilesDoNotShow) {
  json late = statistics(1, 0);
  late["loops"][0].update({{"imbalance", 1.0}, {"late_seconds", 0.4}});
  const auto figures = write("late.json", late.dump());
  EXPECT_THAT(report({figures}).out, HasSubstr("    source  see what threads do before the loop\n"));
  json uneven = trace(2, 1);
  for (auto& event : uneven["traceEvents"])
    if (event["args"]["member"] == 0) event["dur"] = 10000;
  uneven["traceEvents"].push_back(
      {{"name", "thread_name"}, {"ph", "M"}, {"pid", 9}, {"args", {{"name", "a"}}}});
  const auto traced = report({write("trace.json", uneven.dump())}).out;
  EXPECT_THAT(traced, HasSubstr("unless threads had no processor, which a trace alone does not tell"));
  EXPECT_THAT(traced, Not(HasSubstr("another run")));
  EXPECT_THAT(report({path("trace.json"), figures}).out,
              HasSubstr("\nThe trace is of another run, made-up (process 9), than the statistics, of made-up "
                        "(process 100): "));
}

TEST_F(Report, ManyProcessesAreOneTable) {
  Arguments files;
  for (int rank = 0; rank < 64; ++rank)
    files.push_back(write(std::to_string(rank), statistics(2, rank).dump()));
  const json all = as_json(files);
  EXPECT_EQ(all.at("processes"), 64);
  ASSERT_EQ(all.at("loops").size(), 2U);
  EXPECT_EQ(all.at("loops").at(0).at("calls"), 640);
  EXPECT_NEAR(all.at("loops").at(0).at("seconds").get<double>(), 63.501, 1e-9); // the slowest
  EXPECT_THAT(all.at("verdict").dump(), HasSubstr("Processes differ"));
}

TEST_F(Report, LoopsThatRanksShareNameThievesAndVictims) {
  Arguments files;
  for (std::uint64_t rank = 0; rank < 6; ++rank) {
    json made = statistics(1, static_cast<int>(rank));
    made["rank"] = std::to_string(rank);
    const json loop = {
        {"name", "</script>"},   {"rank", rank},           {"executions", 2},     {"iterations", 100 + rank},
        {"pieces", 7},           {"remote_operations", 9}, {"work_seconds", 1.5}, {"looking_seconds", 0.25},
        {"steal_seconds", 0.125}};
    made["rank_loops"] = {loop, loop}; // of two communicators
    for (std::uint64_t victim = 0; rank == 5 && victim < 5; ++victim)
      made["rank_loops"][0]["stolen"].push_back(
          {{"rank", victim}, {"steals", victim + 1}, {"iterations", 10 * victim + 1}});
    files.push_back(write(std::to_string(rank), made.dump()));
  }
  const auto shown = report(files).out;
  EXPECT_THAT(shown, HasSubstr("</script>, shared by 6 ranks, 4 executions\n"));
  EXPECT_THAT(shown, HasSubstr("rank 4 (41 in 5 steals), rank 3 (31 in 4), "));
  EXPECT_THAT(stats(files[0]), HasSubstr("shared by 1 rank, 4 executions\n"));
  const json loops = as_json(files).at("rank_loops");
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].at("ranks").at(5).at("iterations"), 210);
  EXPECT_EQ(loops[0].at("stolen").at(4), json::parse("[5,4,5,41]"));

  json made = json::parse(contents(files[0]));
  Arguments halves; // two communicators of two ranks each, and one execution on each
  for (std::size_t file = 0; file < 4; ++file) {
    json half = json::parse(contents(files[file]));
    half["rank_loops"] = {{{"name", "halves"}, {"rank", file}, {"ranks", 2}, {"executions", 1}}};
    halves.push_back(write("half" + std::to_string(file), half.dump()));
  }
  EXPECT_THAT(report(halves).out, HasSubstr("halves, shared by 4 ranks, 2 executions\n"));
  EXPECT_THAT(report({halves[2]}).out, HasSubstr("halves, shared by 1 rank, 1 execution\n"));
  made["rank_loops"][1]["pieces"] = -1;
  EXPECT_THAT(report({write("bad", made.dump())}).err, HasSubstr("rank_loops[1].pieces is -1"));
  made["rank_loops"] = {3, {{"name", 5}, {"stolen", {4}}}}; // of no version
  EXPECT_EQ(report({write("other", made.dump())}).status(), 0);
}

TEST_F(Report, CountersAreRatiosOfAllProcesses) {
  json made[] = {statistics(1, 0), statistics(1, 1)};
  for (json& process : made)
    process["loops"][0]["counters"] = {{"parts", 40},        {"cycles", 2000},   {"instructions", 3000},
                                       {"cache_misses", 60}, {"page_faults", 7}, {"context_switches", 2}};
  made[1]["loops"][0]["counters"]["cycles"] = 4000;
  made[1]["loops"][0]["counters"].erase("context_switches");
  const Arguments files{write("a", made[0].dump()), write("b", made[1].dump())};
  const json loop = as_json(files).at("loops").at(0);
  EXPECT_EQ(loop.at("instructions_per_cycle"), 1.0);
  EXPECT_EQ(loop.at("misses_per_1000_instructions"), 20);
  EXPECT_EQ(loop.at("page_faults"), 14);
  EXPECT_FALSE(loop.contains("context_switches")); // one process does not know
  EXPECT_THAT(report(files).out, HasSubstr("1.00 instructions per cycle, 20.00 cache misses per 1,000 "));
  const auto shown = stats(files[0]);
  EXPECT_THAT(shown, HasSubstr("schedule   IPC  misses/1000  page faults  switches\n"));
  EXPECT_THAT(shown, HasSubstr("wstree    1.50        20.00            7         2\n"));
  made[0]["loops"][0]["counters"]["cycles"] = -1;
  EXPECT_THAT(report({write("c", made[0].dump())}).err, HasSubstr("loops[0].counters.cycles is -1"));
}

TEST_F(Report, ATraceTellsThievesAndVictims) {
  const json loop = as_json({write("t", trace(4, 1).dump())}).at("loops").at(0);
  EXPECT_EQ(loop.at("calls"), 1);
  EXPECT_EQ(loop.at("steals"), 2);
  EXPECT_EQ(loop.at("batches"), 12);
  EXPECT_EQ(loop.at("stolen"), json::parse("[[0,3,1],[2,1,1]]"));
  EXPECT_EQ(loop.at("timeline").at("rows").size(), 4U);
  EXPECT_NEAR(loop.at("imbalance").get<double>(), 1024.0 / 1012, 1e-3);
}

TEST_F(Report, ARecordAloneTellsCallsAndWork) {
  const auto alone = write("r", record("here.c:7"));
  const auto told = report({alone});
  EXPECT_EQ(told.status(), 0) << told.err;
  EXPECT_THAT(told.out,
              HasSubstr("One loop is known from records alone: 3 calls, 1.99 ms of work in all.\n"));
  EXPECT_THAT(told.out, HasSubstr("         3             here.c:7  (wstree; 1.99 ms of work)\n"));
  EXPECT_THAT(told.out, Not(HasSubstr("0.00")));
  const json all = as_json({alone});
  const json& loop = all.at("loops").at(0);
  EXPECT_EQ(all.at("processes"), 1);
  EXPECT_EQ(all.at("threads"), 2);
  EXPECT_EQ(loop.at("calls"), 3);
  EXPECT_EQ(loop.at("iterations"), 30);
  EXPECT_EQ(loop.at("schedule"), "wstree");
  EXPECT_NEAR(loop.at("work_seconds").get<double>(), 1.992126e-3, 1e-12);
  for (const auto* unknown : {"seconds", "mean_seconds", "imbalance", "even_saves", "idle", "steals"})
    EXPECT_TRUE(loop.at(unknown).is_null()) << unknown;
  ASSERT_EQ(loop.at("costs").size(), 2U);
  EXPECT_EQ(loop.at("costs").at(1).at(0), 4);
  EXPECT_NEAR(loop.at("costs").at(1).at(2).get<double>(), 1e-4, 1e-12);
}

TEST_F(Report, ARecordAddsCostsToLoopsThatWereMeasured) {
  const auto figures = write("s", statistics(1, 0).dump());
  const auto same = write("r", record("file0.c:1 (</script>)"));
  const json all = as_json({same, figures});
  ASSERT_EQ(all.at("loops").size(), 1U);
  EXPECT_EQ(all.at("loops").at(0).at("calls"), 10);
  EXPECT_EQ(all.at("loops").at(0).at("costs").size(), 2U);
  const auto other = report({write("r2", record("other.c:1")), figures});
  EXPECT_THAT(other.out, HasSubstr("One loop of one process took 500.00 ms in all.\n"));
  EXPECT_THAT(other.out, HasSubstr("One loop is known from records alone: 3 calls, "));
}

TEST_F(Report, ARecordIsReadAsSimulateReadsIt) {
  const auto whole = record("here.c:7");
  const auto cut = write("cut", whole.substr(0, whole.find("4 6")));
  EXPECT_EQ(report({cut}).status(), 125);
  EXPECT_EQ(report({cut}).err, "wstree: '" + cut + "': line 13: the profile is cut off: there is no 'end'\n");
  const auto none = report({write("none", "wstree-profile 1\nprogram made-up\nend\n")});
  EXPECT_EQ(none.status(), 0) << none.err;
  EXPECT_THAT(none.out, HasSubstr("No loop was served"));
}

TEST_F(Report, WhatCannotBeIsNamed) {
  for (const auto& [figure, value] :
       std::map<std::string, json>{{"seconds", -1}, {"calls", -3}, {"imbalance", -0.5}}) {
    auto document = statistics(2, 0);
    document["loops"][1][figure] = value;
    const auto file = write("s", document.dump());
    for (const auto* const command : {"report", "stats"}) {
      const auto told = run({.arguments = {command, file}});
      EXPECT_EQ(told.status(), 125);
      EXPECT_EQ(told.out, "");
      EXPECT_EQ(told.err, "wstree: '" + file + "': loops[1]." + figure + " is " + value.dump() +
                              ", and times and counts are 0 or more\n");
    }
  }
  auto made = trace(2, 1);
  made["traceEvents"][1]["dur"] = -2.5;
  EXPECT_THAT(report({write("t", made.dump())}).err,
              HasSubstr("': traceEvents[1].dur is -2.5, and times and "));
  made = trace(2, 1);
  made["traceEvents"][0]["args"]["first"] = 200;
  EXPECT_THAT(report({write("t", made.dump())}).err,
              HasSubstr("': traceEvents[0].args.past is 100, and a batch that begins with 200 ends behind "));
}

TEST_F(Report, OfALoopThatIsTooShortToTellItSaysWhatTheStatisticsSay) {
  auto document = statistics(1, 0);
  document["loops"][0].update({{"too_short_to_tell", true}, {"imbalance", 2.0}});
  const auto lone = write("a", document.dump());
  const json loop = as_json({lone}).at("loops").at(0);
  EXPECT_EQ(loop.at("imbalance"), 2.0);
  EXPECT_TRUE(loop.at("idle").is_null());
  EXPECT_EQ(loop.at("too_short"), true);
  // Another process that can tell counts alone.
  const json both = as_json({lone, write("b", statistics(1, 1).dump())}).at("loops").at(0);
  EXPECT_EQ(both.at("imbalance"), 1.5);
  EXPECT_EQ(both.at("idle"), 0.333);
}

TEST_F(Report, APackedJoinedTraceReadsAsTheOnesItIsMadeOf) {
  const auto one = write("one", trace(4, 2).dump()), all = path("all.json.gz");
  EXPECT_EQ(run({.arguments = {"trace", one, "-o", all}}).status(), 0);
  EXPECT_EQ(contents(all).substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(as_json({all}), as_json({one}));
}

TEST_F(Report, APageReplacesNoFileOfOthers) {
  const auto text = statistics(1, 0).dump();
  const auto figures = write("s.json", text), other = write("t.json", trace(2, 1).dump());
  const auto refused = [&](const Arguments& arguments, const std::string& why) {
    const auto told = report(arguments);
    EXPECT_EQ(told.status(), 125);
    EXPECT_THAT(told.err, HasSubstr("' would be overwritten, and " + why + "; name another page\n"));
  };
  refused({"--html", figures, other}, "wstree report has not written it");
  refused({figures, "--html", figures}, "it is one of the files to read");
  EXPECT_EQ(contents(figures), text);
  for (const auto* notes : {"<!DOCTYPE html>\n<title>notes</title>", "wstree-profile 1\nend\n", "precious"}) {
    refused({figures, "--html", write("other", notes)}, "wstree report has not written it");
    EXPECT_EQ(contents(path("other")), notes);
  }
}

TEST_F(Report, APageReplacesAnOlderPageAndAnEmptyFile) {
  write("page", "");
  for (const int loops : {1, 2}) {
    const auto file = std::to_string(loops - 1) + ".c:" + std::to_string(loops);
    EXPECT_EQ(report({write("s", statistics(loops, 0).dump()), "--html", path("page")}).status(), 0);
    EXPECT_THAT(contents(path("page")), HasSubstr("file" + file));
  }
  EXPECT_EQ(report({path("s"), "--html", "/dev/null"}).status(), 0);
}

} // namespace
} // namespace wstree::test
