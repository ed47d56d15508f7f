// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cerrno>
#include <dlfcn.h>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "place_name.h"

namespace wstree::observe {
namespace {

const void* const k_no_module = reinterpret_cast<const void*>(0x10);

std::string named(const char* psource) { return std::string(name_place(k_no_module, psource).view()); }

TEST(NamePlace, ReadsTheCompilersText) {
  const std::pair<const char*, const char*> cases[] = {
      {";heat.c;step;88;1;;", "heat.c:88 (step)"},
      {";src/heat.c;ns::step;4294967295;17;;", "src/heat.c:4294967295 (ns::step)"},
      {";heat.f90;unknown;7;3;;", "heat.f90:7"},
      {";heat.c;;7;3;;", "heat.c:7"},
      {";heat.c;step;88", "heat.c:88 (step)"},
      {";with blank.c;operator\n;3;1;;", "with blank.c:3 (operator?)"},
  };
  for (const auto& [psource, name] : cases) EXPECT_EQ(named(psource), name) << psource;
}

TEST(NamePlace, FallsBackToTheAddress) {
  for (const char* psource :
       {";unknown;unknown;0;0;;", ";heat.c;step;0;0;;", ";heat.c;step;x;1;;", ";;step;88;1;;",
        ";heat.c;step;;1;;", "", ";", ";;", "heat.c;step;88;1;;", ";heat.c;step;12345678901;1;;"})
    EXPECT_EQ(named(psource), "0x10") << psource;
  EXPECT_EQ(named(nullptr), "0x10");
}

TEST(NamePlace, KeepsTheEndOfALongPathAndTheBeginOfALongFunction) {
  const std::string file = "/home/" + std::string(200, 'd') + "/solver.c";
  const std::string function = "assemble" + std::string(200, 'f');
  const std::string name = named((";" + file + ";" + function + ";120;1;;").c_str());
  EXPECT_THAT(name, testing::StartsWith("...ddd"));
  EXPECT_THAT(name, testing::HasSubstr("ddd/solver.c:120 (assemblefff"));
  EXPECT_THAT(name, testing::EndsWith("fff...)"));
  EXPECT_LE(name.size(), PlaceName::capacity());
}

} // namespace
} // namespace wstree::observe
