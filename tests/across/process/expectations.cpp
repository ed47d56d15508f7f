// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process.h"

#include <nlohmann/json.hpp>

namespace wstree::test {

int served_calls(Program program) {
  TemporaryFolder folder;
  (void)program.set("WSTREE_STATS", "json=" + (folder / "%p.json")).run();
  int calls = 0;
  for (const std::string& file : folder.files()) {
    const auto figures = nlohmann::json::parse(contents_of(file));
    for (const auto& loop : figures.at("loops")) calls += loop.at("calls").get<int>();
  }
  return calls;
}

void expect_unnoticed(const Program& program, int calls) {
  const Outcome native = Program(program).set("OMP_SCHEDULE", "dynamic").run();
  // -1: a signal that the program sends to itself is one of the ends that are compared.
  ASSERT_TRUE(native.status < 126 && native.err.empty()) << "not fit for a comparison\n" << native.text();
  for (const char* schedule : {"dynamic", "wstree"}) {
    const Outcome outcome = Program(program).preload().set("OMP_SCHEDULE", schedule).run();
    EXPECT_EQ(outcome.text(), native.text()) << "under OMP_SCHEDULE=" << schedule;
  }
  EXPECT_GE(served_calls(Program(program).preload().set("OMP_SCHEDULE", "wstree")), calls);
}

} // namespace wstree::test
