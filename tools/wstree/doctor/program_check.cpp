// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checks.h"

#include "inspect/program.h"

#include <fmt/format.h>

namespace wstree::cli {

namespace {

Status to_status(Severity severity) {
  switch (severity) {
  case Severity::detail:
    return Status::ok;
  case Severity::doubt:
  case Severity::hint:
  case Severity::remark:
  case Severity::always:
    return Status::note;
  case Severity::unserved:
  case Severity::cannot_run:
    return Status::fail;
  }
  return Status::fail;
}

} // namespace

Checks check_program(const std::string& name, const std::filesystem::path& library, Preflight& result) {
  const std::string title = "program";
  const auto lookup = find_program(name);
  if (lookup.result == Lookup::Result::not_found) {
    return {
        {title, Status::fail, fmt::format("'{}'", name), "there is no such program, or it is not in PATH",
         fmt::format("give its path, for example ./{}", std::filesystem::path(name).filename().string())}};
  }
  if (lookup.result == Lookup::Result::not_executable) {
    return {{title, Status::fail, lookup.path.string(), "it may not be executed by you, or is a folder",
             "see chmod +x and the options of its file system"}};
  }
  result = inspect_file(lookup.path, library);
  Checks checks;
  for (const auto& finding : result.findings) {
    Check check{title, to_status(finding.severity), finding.found, finding.cause, finding.fix};
    // A run reports this in one sentence.
    if (check.status == Status::fail && check.cause.empty()) check.cause = "it cannot run with the library";
    checks.push_back(std::move(check));
  }
  if (const auto file = result.program.empty() ? std::nullopt : ElfFile::open(result.program)) {
    checks.push_back(
        {title, Status::ok,
         fmt::format("{} ({}, dynamically linked)", result.program.string(), to_string(file->target()))});
  }
  return checks;
}

} // namespace wstree::cli
