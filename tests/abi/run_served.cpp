// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program with the library preloaded and figures switched on, and fails unless the program succeeds in
// silence and its loops were really served. Without this, tests of a library that serves nothing would all
// pass.
//
//   run_served --library LIBWSTREE.SO --min-calls N -- PROGRAM ARGUMENT...
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

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

/// Empty, or what is wrong with the figures.
std::string judge(const std::string& text, std::uint64_t min_calls) {
  const nlohmann::json figures = nlohmann::json::parse(text);
  std::uint64_t calls = 0, iterations = 0;
  for (const nlohmann::json& loop : figures.at("loops")) {
    calls += loop.at("calls").get<std::uint64_t>();
    iterations += loop.at("iterations").get<std::uint64_t>();
    if (loop.at("where").get<std::string>().empty()) return "a loop without a place";
    if (loop.at("imbalance").get<double>() < 0) return "a negative imbalance";
    if (loop.at("seconds").get<double>() < 0) return "a negative time";
  }
  std::cout << calls << " served loops, " << iterations << " iterations, " << figures.at("threads")
            << " threads\n";
  if (calls < min_calls) return "only " + std::to_string(calls) + " loops were served";
  if (iterations == 0) return "no iteration was counted";
  return "";
}

} // namespace

int main(int argc, char** argv) {
  std::string library;
  std::uint64_t min_calls = 1;
  int at = 1;
  for (; at + 1 < argc && std::strcmp(argv[at], "--") != 0; at += 2) {
    if (std::strcmp(argv[at], "--library") == 0) library = argv[at + 1];
    if (std::strcmp(argv[at], "--min-calls") == 0) min_calls = std::strtoull(argv[at + 1], nullptr, 10);
  }
  if (library.empty() || at + 1 >= argc) return fail("wrong arguments");
  char directory[] = "/tmp/run_served.XXXXXX";
  if (mkdtemp(directory) == nullptr) return fail("no temporary directory");
  const std::string figures = std::string(directory) + "/figures.json",
                    errors = std::string(directory) + "/stderr";
  const int status = run(argv + at + 1, library, figures, errors);
  const std::string said = contents(errors), report = contents(figures);
  std::remove(figures.c_str());
  std::remove(errors.c_str());
  rmdir(directory);
  if (status != 0) return fail("the program ended with status " + std::to_string(status) + "\n" + said);
  if (!said.empty()) return fail("the program succeeded, but stderr is not empty:\n" + said);
  try {
    const std::string wrong = judge(report, min_calls);
    return wrong.empty() ? 0 : fail(wrong + "\n" + report);
  } catch (const nlohmann::json::exception& error) {
    return fail(std::string("bad figures: ") + error.what() + "\n" + report);
  }
}
