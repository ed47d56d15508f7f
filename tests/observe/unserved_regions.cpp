// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unserved_regions.h"

#include <array>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace wstree::observe {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <class Write> std::string written(Write write) {
  std::array<char, 4096> text{};
  ReportWriter out(text.data(), text.size());
  write(out);
  out.flush();
  return text.data();
}

/// Regions stay known for as long as the process lives.
void in_a_child(void (*check)()) {
  EXPECT_EXIT(
      {
        check();
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(UnservedRegions, HaveTheTimeOfTheirExecutions) {
  in_a_child([] {
    const int region = 0, other = 0;
    note_unserved_region(&region, "waits", nullptr);
    note_unserved_time(&region, 1'000'000);
    note_unserved_time(&region, 2'000'000);
    note_unserved_time(&other, 5'000'000); // served
    constexpr core::TickLength k_tick = core::tick_of(2, 1);
    const auto json = [] { return written([](ReportWriter& out) { write_unserved_json(out, k_tick); }); };
    EXPECT_THAT(json(), AllOf(HasSubstr("\"reason\": \"waits\""),
                              HasSubstr("\"calls\": 2, \"seconds\": 0.006000000}")));
    EXPECT_THAT(written([](ReportWriter& out) { write_unserved_lines(out, k_tick); }),
                AllOf(HasSubstr("wstree: not served: "), HasSubstr(": waits (6.0 ms)\n")));
    forget_unserved_times();
    EXPECT_THAT(json(), HasSubstr("\"calls\": 0, \"seconds\": 0.000000000}"));
  });
}

} // namespace
} // namespace wstree::observe
