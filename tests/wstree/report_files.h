// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statistics, traces and records that are made up, for tests of wstree report.
#pragma once

#include "command.h"

namespace wstree::test {

class ReportFiles : public testing::Test {
protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
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
  Result report(Arguments arguments) const {
    arguments.insert(arguments.begin(), "report");
    return run({.arguments = std::move(arguments)});
  }
  json as_json(Arguments arguments) const {
    arguments.emplace_back("--json");
    return json::parse(report(arguments).out);
  }
  /// What `wstree stats` prints of a file.
  static std::string stats(const std::string& file) { return run({.arguments = {"stats", file}}).out; }

private:
  TemporaryFolder folder_;
};

} // namespace wstree::test
