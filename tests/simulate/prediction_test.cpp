// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `wstree simulate --profile`: what a user learns of his own loops.
#include "command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace wstree::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

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
