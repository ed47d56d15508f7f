// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages of wstree report, advice, and reports against earlier ones.
#include "report_files.h"

namespace wstree::test {
namespace {

class ReportPage : public ReportFiles {};

TEST_F(ReportPage, APageHoldsWhatJsonPrintsAndAsksForNothing) {
  Arguments files{write("s", statistics(100, 0).dump()), write("t", trace(256, 2).dump())};
  auto printed = as_json(files);
  ASSERT_EQ(report({files[0], files[1], "--html", path("page")}).status(), 0);
  const auto page = contents(path("page"));
  EXPECT_LT(page.size(), 1'000'000U);
  for (const auto* never : {"/*SCRIPT*/", "/*STYLE*/", "src=", "<link", "@import", "url(", "import(",
                            "fetch(", "XMLHttp", "http://www.w3.org/1999"})
    EXPECT_EQ(page.find(never), page.npos) << never;
  const std::string place = "<script id=\"data\" type=\"application/json\">";
  const auto begin = page.find(place) + place.size();
  auto shown = json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  ASSERT_EQ(shown["loops"].size(), 100U);
  std::size_t timelines = 0;
  for (const auto& loop : shown["loops"])
    if (loop.contains("timeline") && loop["timeline"]["rows"].size() == 256) ++timelines;
  EXPECT_EQ(timelines, 2U);
  // A page may have coarser timelines.
  for (auto* document : {&printed, &shown})
    for (auto& loop : (*document)["loops"]) loop.erase("timeline");
  EXPECT_EQ(shown, printed);
}

TEST_F(ReportPage, TellsWhereTheTimeOfEachThreadWent) {
  auto made = trace(4, 1);
  for (auto& event : made["traceEvents"]) {
    if (event["args"]["member"] != 2) continue;
    if (event["cat"] == "batch" || event["cat"] == "loop") {
      event["ts"] = 400; // this late, 600 us instead of 1000
      event["dur"] = event["dur"].get<double>() - 400;
    }
    if (event["cat"] == "loop") event["args"]["preempted"] = 100;
  }
  const json loop = as_json({write("t", made.dump())}).at("loops").at(0);
  ASSERT_EQ(loop.at("threads").size(), 4U);
  const json& times = loop.at("threads").at(2);
  for (const auto& [at, value] :
       std::map<int, double>{{0, 2}, {1, 400e-6}, {2, 516e-6}, {3, 100e-6}, {5, 16e-6}})
    EXPECT_NEAR(times.at(static_cast<std::size_t>(at)).get<double>(), value, 1e-9) << at;
  EXPECT_EQ(loop.at("threads").at(1).at(1), 0);
  EXPECT_NEAR(loop.at("threads").at(1).at(4).get<double>(), 5e-6, 1e-9); // its steal
  const json& row = loop.at("timeline").at("rows").at(2);
  EXPECT_TRUE(row.at(1).get<std::string>().starts_with("l")) << row;
  EXPECT_NEAR(row.at(2).get<double>(), 100e-6, 1e-9);
}

TEST_F(ReportPage, SaysWhatToDoAboutALoop) {
  auto document = statistics(6, 0);
  auto& loops = document["loops"];
  for (auto& loop : loops) loop["even_saves_seconds"] = 0.1;
  loops[0]["schedule"] = "wsstatic";
  loops[1]["chunk"] = 50;
  loops[2]["imbalance"] = 1.0;
  loops[2]["preempted_seconds"] = 0.2;
  loops[3]["new_lengths"] = 9;
  loops[4]["iterations"] = 80;
  loops[5]["schedule"] = "static (equal parts)";
  loops[5]["even_saves_seconds"] = 0.05;
  const auto file = write("s", document.dump());
  const auto told = as_json({file});
  std::map<std::string, json> advice;
  for (const json& loop : told.at("loops"))
    advice[loop.at("name").get<std::string>().substr(0, 5)] = loop.at("advice");
  EXPECT_EQ(advice["file0"].at("rule"), "file0.c:1 wstree");
  EXPECT_EQ(advice["file0"].at("source"), "write schedule(runtime)");
  EXPECT_THAT(advice["file1"].at("reason").get<std::string>(), HasSubstr("whole chunks of 50 iterations"));
  EXPECT_EQ(advice["file1"].at("rule"), "file1.c:2 wstree chunk=1");
  EXPECT_THAT(advice["file2"].at("set").get<std::string>(), HasSubstr("OMP_NUM_THREADS"));
  EXPECT_THAT(advice["file3"].at("reason").get<std::string>(), HasSubstr("never repeats (9 of 10 calls)"));
  EXPECT_THAT(advice["file4"].at("source").get<std::string>(), HasSubstr("collapse(2)"));
  EXPECT_EQ(advice["file5"].at("set"), "") << "no variable reaches a static loop";
  EXPECT_EQ(advice["file5"].at("source"), "write schedule(runtime)");
  const auto text = report({file}).out;
  EXPECT_THAT(text, HasSubstr("\nWhat to do\n"));
  EXPECT_THAT(text, HasSubstr("    rule    file0.c:1 wstree\n"));
  EXPECT_THAT(report({write("even", statistics(1, 0).dump())}).out, Not(HasSubstr("What to do")));
}

TEST_F(ReportPage, CommandsAreWholeAndNameTheProgram) {
  auto made = statistics(1, 0);
  made["loops"][0]["schedule"] = "wsstatic";
  made["loops"][0]["even_saves_seconds"] = 0.1;
  const auto command = [&] {
    return as_json({write("s", made.dump())}).at("loops").at(0).at("advice").at("command").get<std::string>();
  };
  EXPECT_EQ(command(), "wstree run --rules 'file0.c:1 wstree' -- PROGRAM");
  made["command"] = "./heat 4096";
  EXPECT_EQ(command(), "wstree run --rules 'file0.c:1 wstree' -- ./heat 4096");
  EXPECT_THAT(report({path("s")}).out, HasSubstr("    run     wstree run --rules "));
  made["loops"][0]["label"] = "it's";
  EXPECT_EQ(command(), "") << "a shell would read the quote";
}

TEST_F(ReportPage, HasTheSourceAroundALoop) {
  const auto file = write("a.c", "1\n  two {\n\tthree\n    four\n   five\n  six\n7\n");
  auto made = statistics(1, 0);
  const auto source = [&](int line) {
    made["loops"][0]["where"] = file + ":" + std::to_string(line) + " (f)";
    return as_json({write("s", made.dump())}).at("loops").at(0);
  };
  EXPECT_EQ(source(4).at("source"), "four");
  EXPECT_EQ(
      source(4).at("source_lines"),
      json::parse(R"({"first": 2, "loop": 4, "lines": [" two {", "three", "   four", "  five", " six"]})"));
  EXPECT_EQ(source(1).at("source_lines").at("lines"), json::parse(R"(["1", "  two {", "\tthree"])"));
  EXPECT_FALSE(source(9).contains("source_lines")) << "the file has changed";
  made["loops"][0]["where"] = path("missing.c") + ":4 (f)";
  EXPECT_THAT(report({write("s", made.dump()), "--json"}).out, Not(HasSubstr("source_lines")));
}

/// The first loop as uneven as the mean thread comes late to the second one.
TEST_F(ReportPage, LoopsWithoutABarrierBetweenThemMayMakeUpForEachOther) {
  auto made = statistics(2, 0);
  made["loops"][0]["schedule"] = made["loops"][1]["schedule"] = "wsstatic";
  made["loops"][0]["even_saves_seconds"] = 0.2;
  made["loops"][1].update({{"even_saves_seconds", 0}, {"imbalance", 1.0}, {"late_seconds", 0.2}});
  const auto told = [&] { return report({write("s", made.dump())}).out; };
  EXPECT_THAT(told(), HasSubstr(" file0.c:1 </script>() to file1.c:2 </script>() without a barrier"));
  EXPECT_THAT(told(), HasSubstr("unless file1.c:2 </script>() makes up for it"));
  EXPECT_THAT(told(), HasSubstr("    run     wstree compare --loops -- PROGRAM\n"));
  EXPECT_THAT(told(), Not(HasSubstr("set ")));
  made["loops"][1]["calls"] = 9;
  EXPECT_THAT(told(), Not(HasSubstr("barrier"))) << "they do not follow each other";
}

TEST_F(ReportPage, AgainstARunOfOneThreadSaysThatTimeGoesElsewhere) {
  auto now = statistics(1, 0), alone = now;
  now["loops"][0]["imbalance"] = 1.0;
  alone["threads"] = 1;
  const auto told = [&] {
    return report({write("now", now.dump()), "--against", write("alone", alone.dump())}).out;
  };
  EXPECT_THAT(told(), HasSubstr("and 4 threads together take 4.0 times one thread's time."));
  const auto kept = write("kept", report({path("alone"), "--json"}).out);
  EXPECT_THAT(report({path("now"), "--against", kept}).out, HasSubstr("time goes elsewhere"));
  alone["loops"][0]["seconds"] = 1.5;
  EXPECT_THAT(told(), Not(HasSubstr("elsewhere"))) << "four threads take 0.5 s each of 1.5 s";
  alone["loops"][0]["seconds"] = 0.5;
  now["loops"][0]["imbalance"] = 1.5;
  EXPECT_THAT(told(), Not(HasSubstr("elsewhere"))) << "it is uneven";
}

TEST_F(ReportPage, AgainstAnEarlierRunSaysWhatGotFasterAndSlower) {
  auto now = statistics(3, 0);
  auto before = statistics(2, 0);
  now["loops"][0]["seconds"] = 0.25;
  now["loops"][0]["schedule"] = "wsrange"; // which may be why
  now["loops"][1]["calls"] = 20;           // as many seconds for twice the calls
  before["loops"].push_back(before["loops"][0]);
  before["loops"][2]["where"] = "old.c:1 (gone)";
  const auto file = write("now", now.dump());
  const auto old = write("old", before.dump());
  const auto text = report({file, "--against", old}).out;
  EXPECT_THAT(text, HasSubstr("Against the earlier run: 751.00 ms instead of 1.50 s (-50.0 %); "));
  EXPECT_THAT(text, HasSubstr("; 1 loop is new; 1 loop is gone. These are two runs"));
  EXPECT_THAT(text, HasSubstr("   500.00 ms   250.00 ms    -50.0 %"));
  EXPECT_THAT(text, HasSubstr("      1.00 s   501.00 ms    -50.0 %"));
  // What --json printed of the earlier run does as well.
  const auto kept = write("kept", report({old, "--json"}).out);
  const auto printed = as_json({file, "--against", kept});
  EXPECT_EQ(printed, as_json({file, "--against", old}));
  EXPECT_EQ(printed["against"]["gone"], json::parse(R"-(["old.c:1 gone()"])-"));
  EXPECT_EQ(report({file, "--against", path("missing")}).status(), 125);
  EXPECT_THAT(report({file, "--against", old, "--html", old}).err, HasSubstr("is one of the files to read"));
}

TEST_F(ReportPage, ShowsRanksSideBySide) {
  Arguments files;
  for (const int rank : {10, 2, 0}) {
    auto document = statistics(2, rank);
    document["rank"] = std::to_string(rank);
    if (rank == 2) document["loops"].erase(1);
    files.push_back(write(std::to_string(rank) + ".json", document.dump()));
  }
  const auto text = report(files).out;
  EXPECT_THAT(text, HasSubstr("rank 10 is the slowest: 21.00 s in served loops, 2.57 times the mean."));
  // In the order of their numbers, and rank 2 has one loop of two.
  EXPECT_THAT(
      text, testing::ContainsRegex("\n       0  [^\n]*\n(       2  [^\n]* 12 %        4          1000[^\n]*)"
                                   "\n      10  "));
  const auto two = text.find("\n       2  ");
  EXPECT_THAT(text.substr(two, text.find('\n', two + 1) - two), HasSubstr("  -"));
  const auto told = as_json(files);
  EXPECT_EQ(told["ranks"][2]["rank"], "10");
  EXPECT_EQ(told["loops"][0]["by_rank"].size(), 3U);
}

} // namespace
} // namespace wstree::test
