// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program with the library preloaded and figures switched on, and fails unless the program succeeds in
// silence and its loops were really served. Without this,
// tests of a library that serves nothing would all pass.
//
//   run_served --library LIBWSTREE.SO [OPTION VALUE]... -- PROGRAM ARGUMENT...
//     --min-calls N           so many executions of loops were served; default 1, 0: none at all
//     --expect-schedule NAME  among them some that the figures give this schedule; may be repeated
//     --forbid-schedule NAME  and none with this one; may be repeated
//     --expect-text TEXT      the figures have this text, such as the reason why a region is not served
//     --also LIBRARY.SO       is preloaded behind the library
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Exit status of the program, whose stderr goes to `errors`; 128 and more for a signal.
int run(char** command, const std::string& library, const std::string& figures, const std::string& errors) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("LD_PRELOAD", library.c_str(), 1);
    setenv("WSTREE_STATS", ("json=" + figures).c_str(), 1);
    if (std::freopen(errors.c_str(), "w", stderr) != nullptr) execv(command[0], command);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int fail(const std::string& reason) {
  std::cerr << "run_served: " << reason << '\n';
  return 1;
}

struct Wanted {
  std::uint64_t min_calls = 1;
  std::vector<std::string> schedules, forbidden, texts;
};

/// Empty, or what is wrong with the figures.
std::string judge(const std::string& text, const Wanted& wanted) {
  const nlohmann::json figures = nlohmann::json::parse(text);
  std::uint64_t calls = 0, iterations = 0;
  std::set<std::string> schedules;
  for (const nlohmann::json& loop : figures.at("loops")) {
    calls += loop.at("calls").get<std::uint64_t>();
    // Pieces stand for iterations whose number is not known.
    iterations += loop.value("iterations", std::uint64_t{0}) + loop.value("pieces", std::uint64_t{0});
    if (loop.at("where").get<std::string>().empty()) return "a loop without a place";
    if (loop.at("imbalance").get<double>() < 0) return "a negative imbalance";
    if (loop.at("seconds").get<double>() < 0) return "a negative time";
    schedules.insert(loop.at("schedule").get<std::string>());
  }
  std::cout << calls << " served loops, " << iterations << " iterations, " << figures.at("threads")
            << " threads\n";
  for (const std::string& schedule : wanted.schedules)
    if (schedules.count(schedule) == 0) return "no loop has the schedule " + schedule;
  for (const std::string& schedule : wanted.forbidden)
    if (schedules.count(schedule) != 0) return "there are loops with the schedule " + schedule;
  for (const std::string& expected : wanted.texts)
    if (text.find(expected) == text.npos) return "the figures do not say: " + expected;
  if (wanted.min_calls == 0) return calls == 0 ? "" : std::to_string(calls) + " loops were served";
  if (calls < wanted.min_calls) return "only " + std::to_string(calls) + " loops were served";
  if (iterations == 0) return "no iteration was counted";
  return "";
}

} // namespace

int main(int argc, char** argv) {
  std::string library, preloaded;
  Wanted wanted;
  int at = 1;
  for (; at + 1 < argc && std::strcmp(argv[at], "--") != 0; at += 2) {
    const std::string option = argv[at], value = argv[at + 1];
    if (option == "--library") library = value;
    if (option == "--min-calls") wanted.min_calls = std::strtoull(value.c_str(), nullptr, 10);
    if (option == "--expect-schedule") wanted.schedules.push_back(value);
    if (option == "--forbid-schedule") wanted.forbidden.push_back(value);
    if (option == "--expect-text") wanted.texts.push_back(value);
    if (option == "--also") preloaded = ":" + value;
  }
  if (library.empty() || at + 1 >= argc) return fail("wrong arguments");
  char directory[] = "/tmp/run_served.XXXXXX";
  if (mkdtemp(directory) == nullptr) return fail("no temporary directory");
  const std::string figures = std::string(directory) + "/figures.json",
                    errors = std::string(directory) + "/stderr";
  const int status = run(argv + at + 1, library + preloaded, figures, errors);
  const std::string said = contents(errors), report = contents(figures);
  std::remove(figures.c_str());
  std::remove(errors.c_str());
  rmdir(directory);
  if (status != 0) return fail("the program ended with status " + std::to_string(status) + "\n" + said);
  if (!said.empty()) return fail("the program succeeded, but stderr is not empty:\n" + said);
  try {
    const std::string wrong = judge(report, wanted);
    return wrong.empty() ? 0 : fail(wrong + "\n" + report);
  } catch (const nlohmann::json::exception& error) {
    return fail(std::string("bad figures: ") + error.what() + "\n" + report);
  }
}
