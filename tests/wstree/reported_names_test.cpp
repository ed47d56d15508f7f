// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of loops in the sentences of reports.
#include "report/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wstree::cli {
namespace {

TEST(Reports, SayInTablesOnlyWhereALoopWasInlined) {
  RunReport report;
  for (const char* const name :
       {"a.c:5 f() inlined in a.c:13", "b.c:7 g() inlined in b.c:1", "b.c:7 g() inlined in b.c:2"})
    report.loop(name, "wstree");
  EXPECT_EQ(report.brief_name(report.loops[0]), "a.c:5 f()");
  EXPECT_EQ(report.brief_name(report.loops[1]), "b.c:7 g() inlined in b.c:1")
      << "another loop is called so, too";
}

} // namespace
} // namespace wstree::cli
