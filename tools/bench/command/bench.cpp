// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.h"
#include "compare.h"
#include "machine_facts.h"
#include "pictures.h"
#include "session.h"
#include "start.h"
#include "support/exit_status.h"
#include "support/library.h"
#include "support/message.h"
#include "support/text_file.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <regex>
#include <sched.h>
#include <unistd.h>

namespace wstree::cli {

namespace {

namespace fs = std::filesystem;
using bench::Json;

constexpr const char* k_results = "results.json";

/// Returns whether the loader resolves all functions that the program calls. A program of clang 19 or newer
/// ends a loop with a call that older builds of libomp do not have. The library has it, so that such programs
/// run with it and not without.
bool runs(const bench::Setting& setting, const std::string& runtime, bool with_library) {
  bench::Command command{{setting.programs.program("loops", runtime).string(), "--list"}, {}, "/dev/null"};
  if (runtime == "libomp" && !setting.libomp.folder.empty())
    command.environment.set("LD_LIBRARY_PATH", setting.libomp.folder.string());
  if (with_library) command.environment.preload_first(setting.library.string());
  command.environment.set("LD_BIND_NOW", "1");
  // The loader's message about it is of no use: the caller reports the error in its own words.
  const int errors = ::dup(STDERR_FILENO);
  if (std::freopen("/dev/null", "w", stderr) == nullptr) return false;
  const bool well = bench::run_to_end(command).empty();
  std::fflush(stderr);
  ::dup2(errors, STDERR_FILENO);
  ::close(errors);
  return well;
}

/// Stores the library in `setting`. Returns the error in the request; nothing if there is none.
std::optional<std::string> choose_library(const BenchRequest& request, bench::Setting& setting) {
  if (request.library == "none") return std::nullopt;
  if (request.library) {
    std::error_code error;
    if (!fs::is_regular_file(*request.library, error))
      return fmt::format("--library: '{}' is not a file that can be read; name a libwstree.so, or none",
                         *request.library);
    setting.library = fs::absolute(*request.library).lexically_normal();
  } else if (setting.programs.fact("sanitize").empty()) { // an instrumented one cannot be preloaded
    const auto found = find_library();
    if (found.path.empty()) return found.problem;
    setting.library = found.path;
  }
  if (setting.library.string().find_first_of(" :") != std::string::npos)
    return fmt::format(
        "'{}' cannot be preloaded, because a blank or a colon in its path separates two; move it",
        setting.library.string());
  return std::nullopt;
}

std::optional<std::string> choose_size_of(const BenchRequest& request, bench::Selection& selection) {
  selection.size = request.smoke   ? bench::Size::smoke
                   : request.quick ? bench::Size::quick
                                   : bench::Size::full;
  selection.rounds = request.rounds.value_or(bench::usual_rounds(selection.size));
  selection.short_rounds = request.rounds.value_or(bench::usual_short_rounds(selection.size));
  if (request.only) {
    try {
      const std::regex pattern(*request.only);
    } catch (const std::regex_error&) {
      return fmt::format("--only: '{}' is no regular expression", *request.only);
    }
  }
  return bench::choose_parts(request.parts, selection.size, selection.parts);
}

std::optional<std::string> choose_runtimes(const BenchRequest& request, bench::Setting& setting) {
  const std::vector<std::string> known{"libomp", "libgomp"};
  setting.runtimes = setting.programs.runtimes;
  if (!request.runtimes) return std::nullopt;
  setting.runtimes.clear();
  if (auto problem = bench::choose("--runtimes", *request.runtimes, known, setting.runtimes)) return problem;
  for (const auto& runtime : setting.runtimes)
    if (std::ranges::find(setting.programs.runtimes, runtime) == setting.programs.runtimes.end())
      return fmt::format("--runtimes: '{}' has no programs for {}; build them where {} is installed",
                         setting.programs.folder.string(), runtime, runtime == "libgomp" ? "g++" : "clang");
  return std::nullopt;
}

std::optional<std::string> choose_libomp(const BenchRequest& request, bench::Setting& setting) {
  if (std::ranges::find(setting.runtimes, "libomp") == setting.runtimes.end()) return std::nullopt;
  setting.libomp = bench::find_libomp(request.libomp, setting.programs);
  if (!setting.libomp.problem.empty()) return setting.libomp.problem;
  if (!setting.libomp.remark.empty()) say("{}", setting.libomp.remark);
  setting.bare = runs(setting, "libomp", false);
  if (setting.bare) return std::nullopt;
  if (!setting.library.empty() && runs(setting, "libomp", true)) return std::nullopt;
  return fmt::format("the programs of {} do not run on libomp, {}{}; name another build with --libomp",
                     setting.programs.folder.string(), setting.libomp.description,
                     setting.library.empty() ? ", without the library" : "");
}

std::optional<std::string> make_setting(const BenchRequest& request, bench::Setting& setting) {
  if (auto problem = choose_size_of(request, setting.selection)) return problem;
  setting.programs = bench::find_programs(request.programs);
  if (!setting.programs.problem.empty()) return setting.programs.problem;
  if (auto problem = choose_library(request, setting)) return problem;
  if (auto problem = choose_runtimes(request, setting)) return problem;
  if (auto problem = choose_libomp(request, setting)) return problem;
  // The benchmark has read these variables. The library would report them as unknown options in each process.
  for (const auto* ours : {"WSTREE_LIBOMP_DIR", "WSTREE_CACHE"}) unsetenv(ours);
  setting.only = request.only;
  setting.threads = request.threads;
  setting.fifo = request.fifo;
  if (!setting.fifo) return std::nullopt;
  const sched_param real_time{1}, usual{0};
  const int before = sched_getscheduler(0);
  if (sched_setscheduler(0, SCHED_FIFO, &real_time) != 0)
    return fmt::format("--fifo: {}; it needs root or CAP_SYS_NICE", std::strerror(errno));
  if (before == SCHED_OTHER) sched_setscheduler(0, before, &usual);
  return std::nullopt;
}

/// Variables that may change figures.
Json environment_facts() {
  Json facts = Json::object();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    for (const auto* prefix : {"OMP_", "KMP_", "GOMP_", "WSTREE_", "LD_PRELOAD=", "TBB_"})
      if (text.starts_with(prefix))
        facts[std::string(text.substr(0, text.find('=')))] = text.substr(text.find('=') + 1);
  }
  return facts;
}

bench::Facts software_facts(const bench::Setting& setting) {
  bench::Facts facts{{"wstree", WSTREE_VERSION},
                     {"library", setting.library.empty() ? "none" : setting.library.string()},
                     {"built as", setting.programs.fact("build_type")},
                     {"programs", setting.programs.folder.string()}};
  for (const auto& runtime : setting.runtimes)
    if (runtime == "libomp")
      facts.emplace_back("libomp", setting.libomp.description);
    else
      facts.emplace_back("libgomp", "the linker's choice");
  for (const auto* compiler : {"clang", "gcc", "tbb"})
    if (const auto text = setting.programs.fact(compiler); !text.empty()) facts.emplace_back(compiler, text);
  return facts;
}

Json to_json(const bench::Facts& facts) {
  Json json = Json::object();
  for (const auto& [name, text] : facts) json[name] = text;
  return json;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

const char* name_of(bench::Size size) {
  return size == bench::Size::full ? "full" : size == bench::Size::quick ? "quick" : "smoke";
}

/// Prints how long the run takes; nothing with a pattern (`only`), which may leave any number of workloads.
void announce(const bench::Setting& setting) {
  if (setting.selection.size == bench::Size::smoke || setting.only) return;
  const unsigned seconds = setting.selection.seconds();
  if (seconds < 90)
    fmt::print("{:<13} about {} seconds\n", "takes", (seconds + 9) / 10 * 10);
  else
    fmt::print("{:<13} about {} minutes\n", "takes", (seconds + 30) / 60);
}

/// Returns the origin of the figures, which is shown first, and stands in the file.
Json origin_of(const bench::Setting& setting) {
  auto machine = bench::machine_facts();
  if (setting.fifo)
    for (auto& [name, text] : machine)
      if (name == "priority") text = "real-time";
  const auto software = software_facts(setting);
  for (const bench::Facts* facts : {&std::as_const(machine), &software})
    for (const auto& [name, text] : *facts) fmt::print("{:<13} {}\n", name, text);
  return {{"schema", 1},
          {"wstree", WSTREE_VERSION},
          {"started", utc_now()},
          {"seconds", 0},
          {"size", name_of(setting.selection.size)},
          {"machine", to_json(machine)},
          {"software", to_json(software)},
          {"environment", environment_facts()}};
}

/// A folder for the output of the programs, as long as they run.
class WorkFolder {
public:
  explicit WorkFolder(fs::path path) : path_(std::move(path)) { fs::create_directories(path_, error_); }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder() { fs::remove_all(path_, error_); }
  [[nodiscard]] const std::error_code& error() const { return error_; }

private:
  fs::path path_;
  std::error_code error_;
};

bool write_results(const fs::path& file, const Json& document) {
  return write_text(file.string(), document.dump(1, ' ', false, Json::error_handler_t::replace) + '\n');
}

void draw_pictures(const Json& parts, const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& [name, picture] : bench::pictures_of(parts))
    if (write_text((folder / (name + ".svg")).string(), svg_of(picture))) names.push_back(name);
  if (!names.empty()) fmt::print("Pictures (.svg): {}\n", fmt::join(names, ", "));
}

int measure(const BenchRequest& request) {
  bench::Setting setting;
  if (const auto problem = make_setting(request, setting)) {
    say("{}", *problem);
    return k_own_error;
  }
  const auto out = fs::absolute(request.out.value_or("bench-results"));
  setting.folder = out / "programs";
  const WorkFolder folder(setting.folder);
  if (folder.error()) {
    say("--out: '{}' cannot be made: {}", out.string(), folder.error().message());
    return k_own_error;
  }
  const bench::Transcript transcript(out / "report.txt");
  if (transcript.error() != 0) {
    say("--out: '{}' cannot be written to: {}", out.string(), std::strerror(transcript.error()));
    return k_own_error;
  }
  const auto start = std::chrono::steady_clock::now();
  bench::Findings findings(origin_of(setting));
  announce(setting);
  bench::Session(setting, findings).measure();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  const auto document = findings.document(taken.count());
  fmt::print("\n== Summary\n{}Time: {:.0f} s\n", bench::summary_text(document), taken.count());
  const bool written = write_results(out / k_results, document);
  draw_pictures(document.at("parts"), out);
  fmt::print("Written: {}\n", out.string());
  if (!written) return k_own_error;
  if (bench::interrupted()) {
    say("interrupted: the parts that were not finished are missing");
    return k_bench_failed;
  }
  return findings.failures().empty() ? k_ok : k_bench_failed;
}

/// Draws the pictures of an earlier run again.
int draw_again(const BenchRequest& request) {
  const auto text = read_text(*request.draw);
  const auto document = Json::parse(text.value_or(""), nullptr, false);
  if (!document.is_object() || document.value("schema", 0) != 1) {
    say("--draw: '{}' {}", *request.draw, text ? "is no results.json of wstree bench" : "cannot be read");
    return k_own_error;
  }
  const auto out = fs::absolute(request.out.value_or(fs::path(*request.draw).parent_path().string()));
  std::error_code error;
  fs::create_directories(out, error);
  draw_pictures(document.value("parts", Json::object()), out);
  return k_ok;
}

} // namespace

int bench_command(const BenchRequest& request) {
  if (!request.compare.empty()) return bench::compare_files(request.compare.at(0), request.compare.at(1));
  if (request.draw) return draw_again(request);
  return measure(request);
}

} // namespace wstree::cli
