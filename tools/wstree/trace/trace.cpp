// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.h"
#include "support/exit_status.h"
#include "support/message.h"
#include "support/text_file.h"
#include "trace/arguments.h"
#include "trace/trace_input.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace wstree::cli {

namespace {

using nlohmann::ordered_json;

/// Several traces as one.
class JoinedTrace {
public:
  void add(ordered_json trace, const std::map<std::string, std::string>& names) {
    const auto rank = trace["otherData"].value("rank", std::string("0"));
    const auto shift = flows_;
    for (auto& event : trace["traceEvents"]) {
      if (!event.is_object()) continue;
      if (event.value("cat", "") == "loop") rename(event, names);
      if (event.contains("id") && event["id"].is_number_unsigned()) {
        event["id"] = event["id"].get<std::uint64_t>() + shift;
        flows_ = std::max(flows_, event["id"].get<std::uint64_t>());
      }
      if (event.value("name", "") == "process_name")
        event["args"]["name"] = fmt::format("rank {}: {}", rank, event["args"].value("name", ""));
      joined_["traceEvents"].push_back(std::move(event));
    }
    auto& about = joined_["otherData"];
    if (about.is_null()) {
      about = trace["otherData"];
      about["sites"] = ordered_json::array();
    }
    for (auto& site : trace["otherData"]["sites"]) {
      if (site.is_object() && site.contains("where") && !site.contains("label")) {
        const auto found = names.find(site["where"].get<std::string>());
        if (found != names.end()) site["where"] = found->second;
      }
      about["sites"].push_back(std::move(site));
    }
  }

  [[nodiscard]] std::string text() const {
    std::string text = "{\"displayTimeUnit\": \"ns\", \"otherData\": " + dumped(joined_["otherData"]) +
                       ",\n\"traceEvents\": [";
    const char* separator = "\n";
    for (const auto& event : joined_["traceEvents"]) {
      text += separator + dumped(event);
      separator = ",\n";
    }
    return text + "\n]}\n";
  }

private:
  static std::string dumped(const ordered_json& value) {
    return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }
  static void rename(ordered_json& event, const std::map<std::string, std::string>& names) {
    const auto found = names.find(event.value("name", ""));
    if (found != names.end()) event["name"] = found->second;
  }

  ordered_json joined_ = {{"traceEvents", ordered_json::array()}, {"otherData", nullptr}};
  std::uint64_t flows_ = 0;
};

bool write(const std::string& text, const std::string& path) {
  if (path == "-") return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  std::ofstream file(path, std::ios::binary);
  file << text;
  return file.flush().good();
}

} // namespace

CLI::App* add_trace(CLI::App& app, TraceRequest& request) {
  auto* trace = app.add_subcommand(
      "trace", "Name the loops in traces that WSTREE_TRACE wrote, and join several into one file");
  trace->footer(R"(The result opens in ui.perfetto.dev and chrome://tracing, as the files of WSTREE_TRACE do.
Examples:
  wstree run --trace=trace.%r.json ./heat
  wstree trace trace.0.json trace.1.json -o all.json.gz)");
  trace->add_option("FILE", request.files, "Files that WSTREE_TRACE=FILE or run --trace=FILE wrote")
      ->required();
  trace->add_option("-o,--out", request.out, "The new file; - is standard output")
      ->option_text("FILE")
      ->required();
  trace->add_flag("--gzip", request.gzip, "Pack it, as a name that ends with .gz does too");
  return trace;
}

int trace_command(const TraceRequest& request) {
  if (*request.out != "-" && is_one_of(request.files, *request.out)) {
    say("--out '{}' would be overwritten, and it is one of the files to read; name another file",
        *request.out);
    return k_own_error;
  }
  names::Resolver resolver;
  JoinedTrace joined;
  for (const auto& file : request.files) {
    const auto text = read_packed(file);
    if (!text) {
      say("'{}' cannot be read: {}", file, std::strerror(errno));
      return k_own_error;
    }
    auto trace = ordered_json::parse(*text, nullptr, false);
    if (!is_trace(nlohmann::json(trace))) {
      say("'{}' is no trace; WSTREE_TRACE=FILE writes one", file);
      return k_own_error;
    }
    const auto names = names_in(nlohmann::json(ordered_json{{"otherData", trace["otherData"]}}), resolver);
    joined.add(std::move(trace), names);
  }
  const bool pack = request.gzip || request.out->ends_with(".gz");
  if (write(pack ? packed(joined.text()) : joined.text(), *request.out)) return k_ok;
  say("'{}' cannot be written", *request.out);
  return k_own_error;
}

} // namespace wstree::cli
