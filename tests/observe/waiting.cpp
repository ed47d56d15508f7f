// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "waiting.h"

#include <gtest/gtest.h>

namespace wstree::observe {
namespace {

TEST(Waiting, IsSummedUp) {
  forget_gaps();
  note_gap(5, 3);
  note_gap(7, 4);
  note_cpu();
  EXPECT_EQ(wait_figures().gaps_ns, 12U);
  EXPECT_EQ(wait_figures().gaps_cpu_ns, 7U);
  EXPECT_GT(wait_figures().cpu_ns, 0U);
  forget_gaps();
  EXPECT_EQ(wait_figures().gaps_ns, 0U);
}

TEST(Waiting, IsWorthALineFromATwentiethOn) {
  EXPECT_FALSE(is_worth_saving({0, 5, 100}));
  EXPECT_TRUE(is_worth_saving({0, 6, 100}));
  EXPECT_FALSE(is_worth_saving({0, 0, 0}));
}

} // namespace
} // namespace wstree::observe
