// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wstree report and wstree trace, on files that are made up here.
#include "command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <unistd.h>

namespace {

using namespace wstree::test;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class Report : public testing::Test {
protected:
  Report() : folder_(std::filesystem::temp_directory_path() / ("report-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Report() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  static std::string read(const std::string& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  static json statistics(int loops, int process) {
    json list = json::array();
    for (int i = 0; i < loops; ++i)
      list.push_back({{"where", "file" + std::to_string(i) + ".c:" + std::to_string(i + 1) + " (</script>)"},
                      {"schedule", "wstree"},
                      {"calls", 10},
                      {"iterations", 1000},
                      {"batches", 100},
                      {"steals", i},
                      {"seconds", 0.5 + i * 0.001 + process},
                      {"imbalance", 1.5},
                      {"too_short_to_tell", false},
                      {"even_saves_seconds", 0.001 * i}});
    return {
        {"version", "1"}, {"program", "made-up"}, {"pid", 100 + process}, {"threads", 4}, {"loops", list}};
  }
  /// One execution in which each thread does one batch, and every other one steals.
  static json trace(int threads, int loops) {
    json events = json::array();
    for (int loop = 0; loop < loops; ++loop)
      for (int t = 0; t < threads; ++t) {
        const json told = {{"execution", 70 + loop}, {"member", t},          {"members", threads},
                           {"units", 100 * threads}, {"first", 100 * t},     {"past", 100 * t + 100},
                           {"batches", 3},           {"schedule", "wstree"}, {"victim", (t + 1) % threads}};
        const auto add = [&](const char* category, double begin, double duration) {
          events.push_back(
              {{"ph", "X"},
               {"name", "file" + std::to_string(loop) + ".c:" + std::to_string(loop + 1) + " (</script>)"},
               {"cat", category},
               {"pid", 9},
               {"tid", 1000 + t},
               {"ts", begin + loop * 10000},
               {"dur", duration},
               {"args", told}});
        };
        add("batch", 0, 1000 + 8 * t);
        if (t % 2 == 1) add("steal", 1000 + 8 * t, 5);
        add("loop", 0, 1010 + 8 * t);
        add("wait", 1010 + 8 * t, 8 * (threads - t));
      }
    return {{"traceEvents", events},
            {"otherData", {{"program", "made-up"}, {"rank", "3"}, {"sites", json::array()}}}};
  }
  /// What WSTREE_RECORD writes, of one loop.
  static std::string record(const std::string& where) {
    return "wstree-profile 1\n# a comment\nlibrary 1.0.0\nprogram made-up\nloop 1\nwhere " + where +
           "\nschedule wstree\niterations 10\nexecutions 3\nwork 1992126.0\n"
           "execution 1 members 2 elapsed 22543147.5 pieces 2\n0 4 4000.0 0\n4 6 600000.0 1\nend\n";
  }
  Result report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "report");
    return run({.arguments = std::move(arguments)});
  }

private:
  std::filesystem::path folder_;
};

TEST_F(Report, SaysInWordsWhatAnEvenLoopWouldSave) {
  const auto told = report({write("a.json", statistics(3, 0).dump())});
  EXPECT_EQ(told.status(), 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("made-up (process 100)\n3 loops of one process took 1.50 s in all.\n"));
  EXPECT_THAT(told.out, HasSubstr("file2.c:3"));
  EXPECT_LT(told.out.find("file2.c"), told.out.find("file0.c")); // what saves most comes first
}

TEST_F(Report, ManyProcessesAreOneTable) {
  std::vector<std::string> files{"--json"};
  for (int rank = 0; rank < 64; ++rank)
    files.push_back(write(std::to_string(rank), statistics(2, rank).dump()));
  const auto told = report(files);
  const json all = json::parse(told.out);
  EXPECT_EQ(all.at("processes"), 64);
  ASSERT_EQ(all.at("loops").size(), 2U);
  EXPECT_EQ(all.at("loops").at(0).at("calls"), 640);
  EXPECT_NEAR(all.at("loops").at(0).at("seconds").get<double>(), 63.501, 1e-9); // the slowest
  EXPECT_THAT(all.at("verdict").dump(), HasSubstr("Processes differ"));
}

TEST_F(Report, ATraceTellsThievesAndVictims) {
  const json all = json::parse(report({write("t", trace(4, 1).dump()), "--json"}).out);
  const json& loop = all.at("loops").at(0);
  EXPECT_EQ(loop.at("calls"), 1);
  EXPECT_EQ(loop.at("steals"), 2);
  EXPECT_EQ(loop.at("batches"), 12);
  EXPECT_EQ(loop.at("stolen"), json::parse("[[0,3,1],[2,1,1]]"));
  EXPECT_EQ(loop.at("timeline").at("rows").size(), 4U);
  EXPECT_NEAR(loop.at("imbalance").get<double>(), 1024.0 / 1012, 1e-3);
}

TEST_F(Report, ALoopWithTwoSchedulesIsTwoLoops) {
  json made = trace(4, 3);
  for (json& event : made["traceEvents"]) {
    event["name"] = "one.c:1";
    if (event["args"]["execution"] != 70) event["args"]["schedule"] = "static (balanced)";
  }
  const json all = json::parse(report({write("t", made.dump()), "--json"}).out);
  std::map<std::string, int> calls;
  for (const json& loop : all.at("loops"))
    calls[loop.at("schedule").get<std::string>()] = loop.at("calls").get<int>();
  EXPECT_EQ(calls, (std::map<std::string, int>{{"static (balanced)", 2}, {"wstree", 1}}));
}

TEST_F(Report, BadFilesAreNamed) {
  EXPECT_THAT(report({path("missing")}).err,
              HasSubstr("missing' cannot be read: No such file or directory\n"));
  EXPECT_THAT(report({"/dev/zero"}).err, HasSubstr("'/dev/zero' cannot be read: File too large\n"));
  EXPECT_THAT(report({write("x", "[1")}).err, HasSubstr("is none of the files"));
  EXPECT_THAT(report({write("y", "{\"loops\": [1, {}]}")}).out, HasSubstr("One loop of one process"));
}

TEST_F(Report, ARecordAloneTellsCallsAndWork) {
  const auto alone = write("r", record("here.c:7"));
  const auto told = report({alone});
  EXPECT_EQ(told.status(), 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("One loop is known from records alone: 3 calls, 1.99 ms of work in all.\n"
                                  "Records tell what iterations cost, and not whether loops are even: "));
  EXPECT_THAT(told.out, HasSubstr("         3             here.c:7  (wstree; 1.99 ms of work)\n"));
  EXPECT_THAT(told.out, Not(HasSubstr("0.00")));
  const json all = json::parse(report({alone, "--json"}).out);
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
  const auto stats = write("s", statistics(1, 0).dump());
  const auto same = write("r", record("file0.c:1 (</script>)"));
  const json all = json::parse(report({same, stats, "--json"}).out);
  ASSERT_EQ(all.at("loops").size(), 1U);
  EXPECT_EQ(all.at("loops").at(0).at("calls"), 10);
  EXPECT_EQ(all.at("loops").at(0).at("costs").size(), 2U);
  const auto other = report({write("r2", record("other.c:1")), stats});
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
    const auto line = "wstree: '" + file + "': loops[1]." + figure + " is " + value.dump() +
                      ", and times and counts are 0 or more\n";
    const auto told = report({file});
    EXPECT_EQ(told.status(), 125);
    EXPECT_EQ(told.err, line);
    const auto shown = run({.arguments = {"stats", file}});
    EXPECT_EQ(shown.status(), 125);
    EXPECT_EQ(shown.err, line);
    EXPECT_EQ(shown.out, "");
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
  document["loops"][0]["too_short_to_tell"] = true;
  document["loops"][0]["imbalance"] = 2.0;
  const auto lone = write("a", document.dump());
  const json loop = json::parse(report({lone, "--json"}).out).at("loops").at(0);
  EXPECT_EQ(loop.at("imbalance"), 2.0);
  EXPECT_TRUE(loop.at("idle").is_null());
  EXPECT_EQ(loop.at("too_short"), true);
  // Another process that can tell counts alone.
  const json both = json::parse(report({lone, write("b", statistics(1, 1).dump()), "--json"}).out);
  EXPECT_EQ(both.at("loops").at(0).at("imbalance"), 1.5);
  EXPECT_EQ(both.at("loops").at(0).at("idle"), 0.333);
}

TEST_F(Report, APackedJoinedTraceReadsAsTheOnesItIsMadeOf) {
  const auto one = write("one", trace(4, 2).dump());
  const auto joined = run({.arguments = {"trace", one, "-o", path("all.json.gz")}});
  EXPECT_EQ(joined.status(), 0) << joined.err;
  EXPECT_EQ(read(path("all.json.gz")).substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(report({path("all.json.gz"), "--json"}).out, report({one, "--json"}).out);
}

TEST_F(Report, AJoinedTraceReplacesNoneOfItsOwn) {
  const auto text = trace(4, 2).dump();
  const auto one = write("one", text);
  const auto refused = run({.arguments = {"trace", one, "-o", one}});
  EXPECT_EQ(refused.status(), 125);
  EXPECT_EQ(refused.err,
            "wstree: --out '" + one +
                "' would be overwritten, and it is one of the files to read; name another file\n");
  EXPECT_EQ(read(one), text);
}

TEST_F(Report, IsEitherAPageOrJson) {
  const auto both = report({write("s.json", statistics(1, 0).dump()), "--json", "--html", path("page")});
  EXPECT_EQ(both.status(), 125);
  EXPECT_THAT(both.err, HasSubstr("--html excludes --json"));
}

TEST_F(Report, APageReplacesNoFileOfOthers) {
  const auto text = statistics(1, 0).dump();
  const auto stats = write("s.json", text);
  const auto traced = write("t.json", trace(2, 1).dump());
  const auto as_page = report({"--html", stats, traced});
  EXPECT_EQ(as_page.status(), 125);
  EXPECT_EQ(as_page.err,
            "wstree: --html '" + stats +
                "' would be overwritten, and wstree report has not written it; name another page\n");
  const auto both = report({stats, "--html", stats});
  EXPECT_EQ(both.status(), 125);
  EXPECT_EQ(both.err, "wstree: --html '" + stats +
                          "' would be overwritten, and it is one of the files to read; name another page\n");
  EXPECT_EQ(read(stats), text);
  for (const auto* other : {"<!DOCTYPE html>\n<title>notes</title>", "wstree-profile 1\nend\n", "precious"}) {
    EXPECT_EQ(report({stats, "--html", write("other", other)}).status(), 125);
    EXPECT_EQ(read(path("other")), other);
  }
}

TEST_F(Report, APageReplacesAnOlderPageAndAnEmptyFile) {
  const auto stats = write("s.json", statistics(1, 0).dump());
  EXPECT_EQ(report({stats, "--html", write("page", "")}).status(), 0);
  const auto page = read(path("page"));
  EXPECT_THAT(page, HasSubstr("file0.c:1"));
  const auto other = write("s2.json", statistics(2, 0).dump());
  EXPECT_EQ(report({other, "--html", path("page")}).status(), 0);
  EXPECT_THAT(read(path("page")), HasSubstr("file1.c:2"));
  EXPECT_EQ(report({stats, "--html", "/dev/null"}).status(), 0);
}

/// What the browser makes of the page, with `script` at its end; empty without a browser.
std::string shown(const std::string& page, const std::string& script) {
  std::ofstream(page, std::ios::app) << "<script>" << script << "</script>";
  const auto command =
      "chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir=" + page +
      ".d --dump-dom 'file://" + page + "' 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  ::pclose(pipe);
  return text;
}

TEST_F(Report, PagesRenderAndSortInABrowser) {
  if (std::system("command -v chromium > /dev/null") != 0) GTEST_SKIP() << "needs chromium";
  struct Case {
    std::string name;
    json statistics, trace;
    int loops;
    int ranks = 1; // whose statistics are the same but for the process and its times
  };
  for (const Case& made :
       {Case{"one", statistics(1, 0), trace(4, 1), 1}, Case{"many", statistics(500, 0), trace(4, 40), 500},
        Case{"wide", statistics(2, 0), trace(256, 2), 2}, Case{"recorded", statistics(1, 0), trace(4, 1), 2},
        Case{"ranks", statistics(20, 0), trace(4, 4), 20, 64}}) {
    const auto page = path(made.name + ".html");
    std::vector<std::string> arguments{write(made.name + ".stats", made.statistics.dump()),
                                       write(made.name + ".trace", made.trace.dump()), "--html", page};
    if (made.name == "recorded") arguments.push_back(write("record", record("other.c:1")));
    for (int rank = 1; rank < made.ranks; ++rank)
      arguments.push_back(
          write(made.name + std::to_string(rank) + ".stats", statistics(made.loops, rank).dump()));
    const auto told = report(arguments);
    ASSERT_EQ(told.status(), 0) << told.err;
    EXPECT_LT(std::filesystem::file_size(page), 1'000'000U) << made.name;
    EXPECT_THAT(read(page), Not(HasSubstr("http://www.w3.org/1999"))); // nothing that would be fetched
    const auto text = shown(
        page,
        "const button = document.querySelector('th button'); button.focus();"
        "const reached = document.activeElement === button && button.tabIndex === 0;" // so Enter and Space
                                                                                      // press it
        "button.click();"
        "const rows = document.querySelectorAll('#loops tbody tr');"
        "const sorted = document.querySelector('th').getAttribute('aria-sort');"
        "document.title = 'rows ' + rows.length + ' ' + sorted + ' ' + rows[0].cells[0].innerText.slice(0, 7)"
        " + (reached ? ' by keys' : '') + ' pictures ' + (document.querySelector('details').open ? 'open' : "
        "'closed');");
    EXPECT_THAT(text, HasSubstr("<title>rows " + std::to_string(made.loops) +
                                " ascending file0.c by keys pictures open"))
        << made.name << text.substr(0, 600);
    EXPECT_THAT(text, Not(HasSubstr("CONSOLE"))) << made.name;
    EXPECT_THAT(text, HasSubstr("<svg")) << made.name;
  }
}

TEST_F(Report, ShowsRanksSideBySide) {
  std::vector<std::string> arguments{"report"};
  for (const int rank : {10, 2, 0}) {
    auto document = statistics(2, rank);
    document["rank"] = std::to_string(rank);
    if (rank == 2) document["loops"].erase(1);
    arguments.push_back(write(std::to_string(rank) + ".json", document.dump()));
  }
  const auto text = run(Start{.arguments = arguments});
  EXPECT_THAT(text.out,
              HasSubstr("Of 3 ranks, rank 10 is the slowest: 21.00 s in served loops, 2.57 times the mean."));
  const auto zero = text.out.find("\n       0  ");
  const auto two = text.out.find("\n       2  ");
  const auto ten = text.out.find("\n      10  ");
  ASSERT_NE(ten, std::string::npos) << text.out;
  EXPECT_TRUE(zero < two && two < ten) << text.out;
  EXPECT_THAT(text.out.substr(two, ten - two), HasSubstr("12 %        4          1000"));
  EXPECT_THAT(text.out.substr(two, ten - two), HasSubstr("  -")) << "rank 2 has one loop of two";
  arguments.emplace_back("--json");
  const auto told = json::parse(run(Start{.arguments = arguments}).out);
  EXPECT_EQ(told["ranks"][2]["rank"], "10");
  EXPECT_EQ(told["loops"][0]["by_rank"].size(), 3U);
}

TEST_F(Report, OfProcessesWithoutRanksHasNoTableOfThem) {
  const auto result = run(Start{.arguments = {"report", write("a.json", statistics(1, 0).dump()),
                                              write("b.json", statistics(1, 1).dump())}});
  EXPECT_THAT(result.out, Not(HasSubstr("rank")));
}

} // namespace
