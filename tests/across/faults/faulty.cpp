// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "faulty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace wstree::test {

Program faulty(const std::string& name, std::vector<std::string> arguments, const std::string& injector,
               const Words& variables) {
  Program program = with_tree(name, std::move(arguments));
  program.preload(program_path(injector + ".so"));
  for (const std::string& each : variables)
    program.set(each.substr(0, each.find('=')), each.substr(each.find('=') + 1));
  return program;
}

void expect_undisturbed(const Outcome& outcome, const Outcome& native, const std::string& fault) {
  EXPECT_EQ(outcome.status, native.status) << fault << '\n' << outcome.text();
  EXPECT_EQ(outcome.signal, 0) << fault << '\n' << outcome.text();
  EXPECT_EQ(outcome.out, native.out) << fault << '\n' << outcome.text();
  // A forked child says the same once more.
  const std::vector<std::string> said = lines_of(outcome.err);
  const std::set<std::string> lines(said.begin(), said.end());
  EXPECT_LE(lines.size(), 1U) << fault << '\n' << outcome.text();
  for (const std::string& line : lines) EXPECT_THAT(line, testing::StartsWith("wstree: ")) << fault;
}

Outcome native_run(const std::string& name, const std::vector<std::string>& arguments) {
  Outcome outcome = Program(name, arguments).set("OMP_SCHEDULE", "dynamic").run();
  EXPECT_EQ(outcome.signal, 0) << outcome.text();
  EXPECT_LT(outcome.status, 126) << "not started\n" << outcome.text();
  EXPECT_TRUE(outcome.err.empty()) << outcome.text();
  return outcome;
}

} // namespace wstree::test
