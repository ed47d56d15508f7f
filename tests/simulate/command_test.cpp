// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `wstree simulate`, as a user sees it: machines as a user describes them, and --profile, by which he learns
// of his own loops.
#include "command.h"

namespace wstree::test {
namespace {

using testing::AllOf;

Result simulation(std::vector<std::string> options) {
  options.insert(options.begin(), "simulate");
  return wstree(std::move(options));
}

json results(std::vector<std::string> options) {
  options.emplace_back("--json");
  const auto result = simulation(std::move(options));
  EXPECT_EQ(result.status(), 0) << result.err;
  return json::parse(result.out, nullptr, false);
}

TEST(Simulate, SharesLoopsBetweenRanks) {
  const auto result =
      simulation({"--ranks", "1,8", "--threads", "4", "--iterations", "100", "--workload", "TRIANGLE"});
  EXPECT_EQ(result.status(), 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("1 ranks\n  wstree::mpi "), HasSubstr("8 ranks\n"), HasSubstr("\n  TSS ")));
}

TEST(Simulate, ShowsTheRatioOfEachScheduleToTheIdeal) {
  const auto result = simulation({"--schedule", "wsguided,wsstatic", "--workload", "STEP_S,INVTRIANGLE",
                                  "--threads", "4", "--iterations", "256", "--machine", "skew=0"});
  EXPECT_EQ(result.status(), 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            R"(256 iterations, 10 ms of work, median of 3 rounds; batches timed, strategy findmax
machine: generic,near=45,domain=8,far=110,hit=1,rmw=8,pinned=1,overlap=2,keep=4,fault=500,tick=12,dispatch=18,skew=0
time / ideal; ideal is max(work / threads, longest iteration)

4 threads       wsguided  wsstatic
STEP_S              3.88      3.88
INVTRIANGLE         1.75      1.75
geometric mean      2.61      2.61
worst               3.88      3.88
)");
}

TEST(Simulate, GivesTheSameAnswerByteForByte) {
  const std::vector<std::string> options{"--workload", "EXP,RANDIF", "--threads", "2,16", "--details"};
  const auto first = simulation(options);
  EXPECT_EQ(first.status(), 0);
  EXPECT_EQ(first.out, simulation(options).out);
  auto other = options;
  other.insert(other.end(), {"--seed", "2"});
  EXPECT_NE(first.out, simulation(other).out);
}

double time_on(const std::string& machine, const std::string& workers) {
  return results({"--schedule", "wsfixed", "--workload", "UNIFORM", "--work", "0.1", "--workers", workers,
                  "--machine", machine})["results"][0]["time_ns"]
      .get<double>();
}

TEST(Simulate, TheMachineCanBeChanged) {
  EXPECT_GT(time_on("near=100,far=200,domain=4", "16"), 1.5 * time_on("near=45,far=110,domain=4", "16"));
  EXPECT_GT(time_on("skew=5000000", "16"), 500'000);
  const auto document = results({"--threads", "1", "--machine", "dispatch=7"});
  EXPECT_EQ(document["machine"]["dispatch"], 7);
  EXPECT_EQ(document["machine"]["near"], 45);
}

TEST(Simulate, NamesWhatItDoesNotUnderstand) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> faults{
      {{"--schedule", "wstree,wsgided"},
       "--schedule 'wsgided' is not understood (accepted: all, peers, or a list of wstree, "},
      {{"--schedule", "wsfixed,0"}, "--schedule 'wsfixed,0' is not understood"},
      {{"--schedule", "dynamic,0"}, "--schedule 'dynamic,0' is not understood"},
      {{"--workload", "STEP"}, "--workload 'STEP' is not understood (accepted: all, or a list of UNIFORM, "},
      {{"--threads", "4,x"},
       "--threads or --workers 'x' is not understood (accepted: a list of numbers from 1 to 1024)"},
      {{"--workers", "4,0"}, "--threads or --workers '0' is not understood"},
      {{"--batch", "tiny"}, "--batch 'tiny' is not understood (accepted: timed[:ns], "},
      {{"--strategy", "best"}, "--strategy 'best' is not understood (accepted: predefined, "},
      {{"--roots", "5"}, "--roots 5 is more than 4 threads"},
      {{"--json", "--svg", "-"}, "--json and --svg - both want the standard output"},
  };
  for (const auto& [options, message] : faults) expect_refused(simulation(options), message);
  EXPECT_THAT(simulation({"--threads", "1", "--svg", "/nowhere/x.svg"}).err,
              StartsWith("wstree: /nowhere/x.svg cannot be written: No such file"));
}

Result on_machine(const std::string& machine, const std::string& workers = "4") {
  return wstree({"simulate", "--schedule", "wsfixed", "--workload", "UNIFORM", "--iterations", "64", "--work",
                 "0.1", "--workers", workers, "--rounds", "1", "--machine", machine});
}

/// Behind "machine: " in the output.
std::string shown(const std::string& machine) {
  const auto result = on_machine(machine);
  EXPECT_EQ(result.status(), 0) << result.err;
  const auto begin = result.out.find("machine: ") + 9;
  return result.out.substr(begin, result.out.find('\n', begin) - begin);
}

constexpr const char* k_rest =
    ",hit=1,rmw=8,pinned=1,overlap=2,keep=4,fault=500,tick=12,dispatch=18,skew=1000";

TEST(Machines, NamedOnesHaveTheTransfersThatWerePublished) {
  EXPECT_EQ(shown("milan"), std::string("milan,l3:8=23,package:48=107,far=197") + k_rest);
  EXPECT_EQ(shown("icelake"), std::string("icelake,package:32=51,far=108") + k_rest);
  EXPECT_EQ(shown("cascadelake"), std::string("cascadelake,package:24=47,far=134") + k_rest);
  EXPECT_EQ(shown("graviton3"), std::string("graviton3,package:64=46,far=101.2") + k_rest);
  EXPECT_EQ(shown("generic"), std::string("generic,near=45,domain=8,far=110") + k_rest);
}

TEST(Machines, WhatIsShownMeansTheSameMachine) {
  for (const auto* machine : {"milan,l3=30,package:24=100,far=300", "generic,domain=0,near=1.5",
                              "domain=1,noise=4000000/5000", "speeds=1000/600,enter=3,region=7,skew=0",
                              "6P+8E,throttle=8000000/400/3,bursts=300000/100000/500/2,smt=600,memory=700/4",
                              "l3:4=20,numa:16=60.25,far=200,hit=0.8"}) {
    const auto once = shown(machine);
    EXPECT_EQ(shown(once), once) << machine;
  }
}

TEST(Machines, OnesWithUnequalCoresHaveTheirSpeeds) {
  EXPECT_EQ(shown("4little+4big"), std::string("4little+4big,package:8=45,far=110") + k_rest +
                                       ",speeds=370/370/370/370/1000/1000/1000/1000");
  EXPECT_GT(time_on("throttle=1/500/1", "1"), 1.8 * time_on("generic", "1"));
  EXPECT_GT(time_on("bursts=1000/500/500/1", "1"), 1.25 * time_on("generic", "1"));
  EXPECT_GT(time_on("smt=600", "2"), 1.4 * time_on("generic", "2"));
  EXPECT_LT(time_on("memory=1000/8,speeds=500", "4"), 1.3 * time_on("generic", "4"))
      << "slow cores wait as long";
  EXPECT_GT(time_on("memory=1000/2", "4"), 1.3 * time_on("memory=1000/4", "4")) << "and wait for each other";
}

TEST(Machines, WhatIsNotUnderstoodIsNamed) {
  const std::vector<std::pair<std::string, std::string>> faults{
      {"far=9,fur=3",
       "--machine 'fur=3' is not understood (accepted: a list that may begin with one of generic, "},
      {"rome", "--machine 'rome' is not understood (accepted: a list that may begin with one of generic, "},
      {"throttle=5",
       "--machine 'throttle=5' is not understood (accepted for throttle: see `wstree help simulate`)"},
      {"bursts=1000/2000/500/1", "--machine 'bursts=1000/2000/500/1' is not understood"},
      {"smt=0", "--machine 'smt=0' is not understood"},
      {"memory=1001/1", "--machine 'memory=1001/1' is not understood"},
      {"far", "--machine 'far' is not understood (accepted for far: a number from 0 to 10000)"},
      {"overlap=0", "--machine 'overlap=0' is not understood (accepted for overlap: a number from 1"},
      {"near=1.0001", "--machine 'near=1.0001' is not understood"},
      {"milan,l3=x", "--machine 'l3=x' is not understood (accepted for l3: a number from 0 to 10000)"},
      {"icelake,l3=3", "--machine 'l3=3' is not understood (accepted: a list"},
      {"l3:0=3", "--machine 'l3:0=3' is not understood (accepted for a level: LEVEL:MEMBERS=NUMBER, from 1"},
      {"l3:8=20,package:12=30",
       "--machine: package of 12 members cannot consist of l3 of 8 (accepted: multiples)"},
      {"a:2=1,b:4=1,c:8=1,d:16=1,e:32=1,f:64=1", "--machine: 6 levels are too many (accepted: up to 5)"},
      {"noise=1000/900",
       "--machine 'noise=1000/900' is not understood (accepted for noise: 0, or EVERY/LASTS"},
      {"speeds=1000/0", "--machine 'speeds=1000/0' is not understood (accepted for speeds: a list"},
      {"package:0", "--machine: the machine 'package:0' is not known: "},
  };
  for (const auto& [machine, message] : faults) expect_refused(on_machine(machine), message);
}

TEST(Machines, ThisOneCanBeMeasured) {
  const auto measured = wstree({"simulate", "--calibrate"});
  EXPECT_EQ(measured.status(), 0) << measured.err;
  EXPECT_THAT(measured.out, HasSubstr("\nmeasured, in ns:\n"));
  const auto text = measured.out.substr(0, measured.out.find('\n'));
  EXPECT_THAT(text, StartsWith("generic,"));
  if (!measured.err.empty()) {
    EXPECT_THAT(measured.err, HasSubstr("this machine is too busy to be measured"));
    EXPECT_EQ(on_machine(text).status(), 125) << text;
    return;
  }
  EXPECT_EQ(shown(text), text);
  // The second measurement meets what other processes do by then.
  const auto here = on_machine("here,skew=5");
  EXPECT_THAT(here.status() == 0 ? here.out : here.err,
              here.status() == 0 ? testing::AllOf(HasSubstr("machine: here,"), HasSubstr(",skew=5"))
                                 : testing::AllOf(HasSubstr("this machine is too busy to be measured"),
                                                  HasSubstr("--machine generic")));
}

/// A loop in a profile: so many executions of iterations that cost the same,
/// all but the first quarter of them.
struct Loop {
  std::string name = "solver+0x10";
  std::string schedule = "wsstatic";
  int iterations = 4'000;
  std::vector<int> costs{1'000}; ///< of an iteration in each execution, in ns
  int heavier = 5;               ///< times, in the first quarter
  int chunk = 1;
};

std::string text_of(const std::vector<Loop>& loops) {
  std::string text = "wstree-profile 1\n";
  for (std::size_t l = 0; l < loops.size(); ++l) {
    const auto& loop = loops[l];
    const int quarter = loop.iterations / 4;
    const auto work = [&](int cost) {
      return (loop.heavier * quarter + loop.iterations - quarter) * double(cost);
    };
    double total = 0;
    for (const int cost : loop.costs) total += work(cost);
    text += "loop " + std::to_string(l + 1) + "\nwhere " + loop.name + "\nschedule " + loop.schedule +
            "\niterations " + std::to_string(loop.iterations) +
            (loop.chunk > 1 ? "\nchunk " + std::to_string(loop.chunk) : "") + "\nexecutions " +
            std::to_string(loop.costs.size()) + "\nwork " + std::to_string(total) + '\n';
    for (std::size_t e = 0; e < loop.costs.size(); ++e) {
      const int cost = loop.costs[e];
      text += "execution " + std::to_string(e + 1) + " members 1 elapsed " + std::to_string(work(cost)) +
              " pieces " + std::to_string(quarter + 1) + '\n';
      for (int i = 0; i < quarter; ++i)
        text += std::to_string(i) + " 1 " + std::to_string(loop.heavier * cost) + " 0\n";
      text += std::to_string(quarter) + ' ' + std::to_string(loop.iterations - quarter) + ' ' +
              std::to_string((loop.iterations - quarter) * cost) + " 0\n";
    }
  }
  return text + "end\n";
}

class Profile : public testing::Test {
protected:
  std::string write(const std::vector<Loop>& loops) {
    const auto file = folder_.path() / "solver.profile";
    std::ofstream(file) << text_of(loops);
    return file;
  }
  Result predict(const std::vector<Loop>& loops, const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments{"simulate", "--profile", write(loops)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return wstree(std::move(arguments));
  }
  json predict_json(const std::vector<Loop>& loops, std::vector<std::string> options = {}) {
    options.emplace_back("--json");
    const auto result = predict(loops, options);
    EXPECT_EQ(result.status(), 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }

  TemporaryFolder folder_;
};

TEST_F(Profile, ShowsTimesAndSaysWhatToDo) {
  const auto result =
      predict({{}}, {"--workers", "4,16", "--schedule", "wsfixed,50,static", "--machine", "skew=0"});
  EXPECT_EQ(result.status(), 0) << result.err;
  EXPECT_EQ(result.out, folder_.path().string() +
                            R"(/solver.profile: 1 loop recorded
machine: generic,near=45,domain=8,far=110,hit=1,rmw=8,pinned=1,overlap=2,keep=4,fault=500,tick=12,dispatch=18,skew=0
For each number of workers: time, time / ideal, part of the workers' time that is work; ideal is
max(work / workers, longest iteration).

loop 1: solver+0x10
  4,000 iterations, 8.00 ms of work, the longest 5.00 us; recorded with wsstatic on 1 thread in 8.00 ms
  ran 1 time, 1 recorded; this is the one with the median of the work
  schedule    4 workers               16 workers
  ideal         2.00 ms        100 %      500 us        100 %
  wsfixed,50    2.00 ms  1.00  100 %      502 us  1.00  100 %
  static        5.00 ms  2.50   40 %     1.25 ms  2.50   40 %
  Use OMP_SCHEDULE=wsfixed,50 with 16 workers: 502 us, 16 times as fast as one alone; 100 % of the workers' time is work.
  With so many workers it is 2.5 times as fast as static.
  What limits it: nothing in the loop itself, up to 16 workers.

Not in these figures: memory bandwidth, and what it costs to move the data of the iterations. Where the
recording knows only several iterations together, they count as equally long.
)");
}

TEST_F(Profile, HandsOutWholeChunksOfTheSource) {
  const Loop even{.schedule = "wstree (dynamic)", .heavier = 1};
  auto whole = even;
  whole.chunk = 2'500;
  const std::vector<std::string> options{"--workers", "4", "--machine", "skew=0"};
  const auto seconds_of = [&](const json& document, const char* schedule) {
    for (const auto& one : document["results"])
      if (one["schedule"] == schedule) return one["ratio"].get<double>();
    return 0.0;
  };
  const auto fine = predict_json({even}, options), coarse = predict_json({whole}, options);
  EXPECT_LT(seconds_of(fine, "wstree"), 1.1);
  for (const char* const schedule : {"wstree", "wsrange", "wsqueue", "dynamic,2500"})
    EXPECT_NEAR(seconds_of(coarse, schedule), 2.5, 0.1) << schedule; // 2,500 of 1,000 for each
  EXPECT_LT(seconds_of(coarse, "static"), 1.1) << "of the runtime";
  EXPECT_EQ(coarse["loops"][0]["clause"], "dynamic,2500");
  EXPECT_EQ(coarse["loops"][0]["chunk"], 2'500);
  EXPECT_THAT(
      predict({whole}, options).out,
      HasSubstr(
          "What limits it: the chunk in its source: whole chunks of 2500 iterations are handed out, 2 in "
          "all."));
}

TEST_F(Profile, RecommendsOnlyWhatTheSourceAllows) {
  // One iteration at a time is far slower than shares here; but shares cannot be had.
  const Loop even{.schedule = "wsfixed (dynamic)", .costs = {10}, .heavier = 1};
  const auto advice =
      predict_json({even}, {"--workers", "4", "--schedule", "wsfixed,static"})["loops"][0]["advice"];
  EXPECT_EQ(advice["schedule"], "wsfixed") << "OMP_SCHEDULE means nothing to schedule(dynamic)";
  EXPECT_LT(advice["times_as_fast_as"]["static"], 0.5);
  EXPECT_THAT(advice["text"][0].get<std::string>(),
              StartsWith("Keep OMP_SCHEDULE=wsfixed and WSTREE_LOOPS=dynamic "));
  const Loop few{.schedule = "wsguided (dynamic,2)", .iterations = 8, .heavier = 1};
  EXPECT_THAT(predict({few}, {"--workers", "4", "--schedule", "dynamic,2,wsguided"}).out,
              AllOf(HasSubstr("recorded with wsguided (its source says dynamic,2)")));
}

TEST_F(Profile, SaysWhereMoreWorkersDoNotPay) {
  const Loop short_loop{.iterations = 400, .costs = {100}, .heavier = 1}; // 40 us
  const auto advice = predict_json(
      {short_loop}, {"--workers", "2,256,128", "--schedule", "wstree,guided"})["loops"][0]["advice"];
  EXPECT_EQ(advice["threads"], 2);
  EXPECT_EQ(advice["too_many_threads"], 128);
  EXPECT_THAT(advice["text"].back().get<std::string>(),
              StartsWith("What limits it: with 128 workers 312 ns of work are left for each"));
  EXPECT_LT(advice["efficiency_with_them"], 0.5);
  const Loop lump{.iterations = 8, .costs = {1'000'000}, .heavier = 10};
  EXPECT_THAT(
      predict({lump}, {"--workers", "2,64"}).out,
      HasSubstr("What limits it: the longest iterations take 10.0 ms each: more than 2 workers cannot"));
}

} // namespace
} // namespace wstree::test
