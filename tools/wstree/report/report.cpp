// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "against.h"
#include "commands.h"
#include "inputs.h"
#include "report/arguments.h"
#include "support/exit_status.h"
#include "support/message.h"
#include "support/text_file.h"
#include "text.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace wstree::cli {

namespace {

std::string page_name(const ReportRequest& request) { return request.html.value_or("wstree-report.html"); }

/// Returns a text for the user if the page must not be written, because it would replace a file that is no
/// page of ours, else "". Devices and pipes lose nothing by a page.
std::string problem_of_page(const ReportRequest& request) {
  namespace fs = std::filesystem;
  const auto path = page_name(request);
  const auto* const option = request.html ? "--html" : "--open";
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  if (is_one_of(request.files, path) || is_one_of(request.against, path))
    return fmt::format("{} '{}' would be overwritten, and it is one of the files to read; name another page",
                       option, path);
  if (fs::file_size(path, error) == 0 && !error) return {};
  if (const auto text = read_text(path); text && is_report_page(*text)) return {};
  return fmt::format(
      "{} '{}' would be overwritten, and wstree report has not written it; name another page{}", option, path,
      request.html ? "" : " with --html");
}

/// Reads the earlier run. Returns the error in the files; empty: there is none.
std::string read_earlier(const std::vector<std::string>& files, RunReport& report) {
  ReportInputs inputs;
  for (const auto& file : files) {
    const auto text = files.size() == 1 ? read_text(file) : std::nullopt;
    if (auto told = read_report(nlohmann::json::parse(text.value_or(""), nullptr, false))) {
      report = std::move(*told);
      return {};
    }
    if (auto problem = inputs.add(file); !problem.empty()) return problem;
  }
  report = inputs.finish();
  return {};
}

/// Opens the page in the browser of the desktop, whose output is not shown.
int open_page(const std::string& path) {
  execlp("xdg-open", "xdg-open", path.c_str(), static_cast<char*>(nullptr));
  say("xdg-open was not found; open '{}' in a browser", path);
  return k_own_error;
}

} // namespace

CLI::App* add_report(CLI::App& app, ReportRequest& request) {
  auto* report = app.add_subcommand(
      "report", "Say what statistics, records and traces mean, in text or as a page with pictures");
  report->footer(
      R"(FILEs are those that WSTREE_STATS=json=FILE, WSTREE_RECORD=FILE and WSTREE_TRACE=FILE wrote, of one
process or of many, packed or not. Statistics tell the table; a record adds what iterations cost, a
trace adds timelines, steals by victim and thief, sizes of batches and the history.
Examples:
  wstree run --trace=trace.json --stats=json=stats.json ./heat
  wstree report trace.json stats.json --html report.html
  wstree report stats.json --against before.json)");
  report->add_option("FILE", request.files, "Files that the library wrote")->required();
  auto* html = report->add_option("--html", request.html, "Write a page that needs nothing but itself")
                   ->option_text("FILE");
  auto* open = report->add_flag("--open", request.open,
                                "Show the page in the browser (wstree-report.html if --html names none)");
  report
      ->add_option(
          "--against", request.against,
          "Say what got faster and slower since an earlier run; its files, or what --json printed of it")
      ->option_text("FILE")
      ->expected(1)
      ->take_all();
  report->add_flag("--json", request.json, "What the page shows, as JSON")->excludes(html)->excludes(open);
  return report;
}

int report_command(const ReportRequest& request) {
  const bool makes_page = request.html || request.open;
  if (const auto problem = makes_page ? problem_of_page(request) : std::string(); !problem.empty()) {
    say("{}", problem);
    return k_own_error;
  }
  ReportInputs inputs;
  for (const auto& file : request.files) {
    if (const auto problem = inputs.add(file); !problem.empty()) {
      say("{}", problem);
      return k_own_error;
    }
  }
  auto report = inputs.finish();
  if (!request.against.empty()) {
    RunReport earlier;
    if (const auto problem = read_earlier(request.against, earlier); !problem.empty()) {
      say("{}", problem);
      return k_own_error;
    }
    set_against(report, earlier);
  }
  if (request.json) {
    fmt::print("{}\n", report_json(report));
    return k_ok;
  }
  if (!makes_page) {
    fmt::print("{}", report_text(report, terminal_of(stdout)));
    return k_ok;
  }
  const auto path = page_name(request);
  std::ofstream file(path, std::ios::binary);
  file << report_page(report);
  if (!file.flush()) {
    say("'{}' cannot be written", path);
    return k_own_error;
  }
  return request.open ? open_page(path) : k_ok;
}

} // namespace wstree::cli
