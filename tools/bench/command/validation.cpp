// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.h"

#include "support/text_file.h"

#include <fmt/format.h>

namespace wstree::cli::bench {

namespace {

constexpr const char* k_quick = "^[^/]*(/[^/]*)?$";
constexpr const char* k_smoke = "^(UNIFORM|TRIANGLE|STEP_E)/";

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

/// Validates the simulator: measures the loops and the costs of iterations here, and simulates the loops with
/// these costs.
class Validation {
public:
  Validation(Session& session, std::string runtime) : session_(session), runtime_(std::move(runtime)) {}

  void run() {
    fmt::print("\n== Simulated and measured, {}\n", runtime_);
    if (!session_.has_library()) {
      fmt::print("not simulated: the schedules are those of the library\n");
      return;
    }
    Arguments files;
    for (const char* threads : {"1", "2"})
      if (!measure(threads, files)) return;
    Arguments costs = only();
    if (session_.size() == Size::smoke) costs.insert(costs.begin(), {"--scale", "0.002"});
    const auto file = session_.setting().folder / ("costs-" + runtime_ + ".txt");
    if (!start("costs", costs, file)) return;
    Arguments compared{"--costs", file.string()};
    compared.insert(compared.end(), files.begin(), files.end());
    Session::Start validate{"validation", runtime_, "", "validate", "", compared, false};
    validate.output = session_.setting().folder / ("validation-" + runtime_ + ".txt");
    if (session_.run(validate)) fmt::print("{}", read_text(validate.output).value_or(""));
  }

private:
  [[nodiscard]] Arguments only() const {
    if (session_.setting().only) return {"--only", *session_.setting().only};
    if (session_.size() == Size::full) return {};
    return {"--only", session_.size() == Size::quick ? k_quick : k_smoke};
  }

  /// Starts a program that prints its figures instead of writing them as JSON.
  bool start(const std::string& program, const Arguments& arguments, const std::filesystem::path& output) {
    Session::Start begin{"validation", program + "-" + runtime_, "", program, runtime_, arguments};
    begin.output = output;
    begin.has_json = false;
    return session_.run(begin);
  }

  bool measure(const std::string& threads, Arguments& files) {
    const auto names = session_.setting().folder / "candidates.txt";
    Session::Start ask{
        "validation", "candidates", "", "validate", "", {"--candidates", runtime_, "--of", threads}, false};
    ask.output = names;
    ask.has_json = false;
    if (!session_.run(ask)) return false;
    auto arguments = session_.expanded("{rounds}");
    const auto chosen = only();
    arguments.insert(arguments.end(), chosen.begin(), chosen.end());
    arguments.insert(arguments.end(), {"--threads", threads, "--candidates",
                                       trimmed(read_text(names).value_or("")), "--samples"});
    const auto samples = session_.setting().folder / ("samples-" + runtime_ + "-" + threads + ".txt");
    if (!start("loops", arguments, samples)) return false;
    files.insert(files.end(), {"--samples", threads, samples.string()});
    return true;
  }

  Session& session_;
  std::string runtime_;
};

} // namespace

void measure_validation(Session& session) {
  for (const auto& runtime : session.setting().runtimes) Validation(session, runtime).run();
}

} // namespace wstree::cli::bench
