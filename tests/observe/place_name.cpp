// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of places in code, and of members and their CPUs.
#include "place_name.h"
#include "affinity_line.h"
#include "code_place.h"

#include "usual.h"

#include <dlfcn.h>

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

int some_code() { return 1; }

TEST(CodePlace, IsInThisProgram) {
  CodePlace place;
  errno = ENOTTY;
  find_code_place(reinterpret_cast<const void*>(&some_code), place);
  EXPECT_EQ(errno, ENOTTY);
  EXPECT_EQ(place.module.view(), std::filesystem::read_symlink("/proc/self/exe").string());
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<const void*>(&some_code), &info), 0);
  EXPECT_EQ(place.offset,
            reinterpret_cast<std::uintptr_t>(&some_code) - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
}

TEST(CodePlace, IsInALibraryWithItsBuildId) {
  CodePlace place;
  // A function that sanitizers do not stand in front of.
  const void* const code = dlsym(RTLD_DEFAULT, "l64a");
  ASSERT_NE(code, nullptr);
  find_code_place(code, place);
  EXPECT_THAT(std::string(place.module.view()), testing::HasSubstr("/libc.so"));
  // The tests of names compare it with that of the file; every distribution gives its C library one.
  EXPECT_THAT(std::string(place.build_id.view()), testing::MatchesRegex("([0-9a-f][0-9a-f])+"));
}

TEST(CodePlace, IsTheAddressIfThereIsNoModule) {
  CodePlace place;
  find_code_place(reinterpret_cast<const void*>(&some_code), place);
  find_code_place(reinterpret_cast<const void*>(std::uintptr_t{0x2000}), place);
  EXPECT_TRUE(place.module.empty());
  EXPECT_TRUE(place.build_id.empty());
  EXPECT_EQ(place.offset, 0x2000u);
  find_code_place(nullptr, place);
  EXPECT_EQ(place.offset, 0u);
}

std::string line(std::string_view format) {
  return std::string(affinity_line(format, {3, 4, 1, 7, 16, 0, "node17", 6161, 6172, "0-1"}).view());
}

TEST(AffinityLine, KnowsEveryFieldByLetterAndByName) {
  const struct {
    const char *letter, *name, *text;
  } fields[] = {{"%t", "%{team_num}", "3"},
                {"%T", "%{num_teams}", "4"},
                {"%L", "%{nesting_level}", "1"},
                {"%n", "%{thread_num}", "7"},
                {"%N", "%{num_threads}", "16"},
                {"%a", "%{ancestor_tnum}", "0"},
                {"%H", "%{host}", "node17"},
                {"%P", "%{process_id}", "6161"},
                {"%i", "%{native_thread_id}", "6172"},
                {"%A", "%{thread_affinity}", "0-1"}};
  for (const auto& field : fields) {
    EXPECT_EQ(line(field.letter), field.text);
    EXPECT_EQ(line(field.name), field.text) << field.name;
  }
  EXPECT_EQ(line(""), "wstree: level 1 thread 7 of 16 bound to CPU 0-1") << "a format of its own";
}

TEST(AffinityLine, TakesFromTheSystemWhatItKnows) {
  AffinityFacts facts;
  HostName name;
  errno = EDOM;
  add_system_facts(facts, name);
  EXPECT_EQ(errno, EDOM);
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  EXPECT_EQ(facts.host, host);
  EXPECT_EQ(facts.process_id, static_cast<std::uint64_t>(getpid()));
  EXPECT_EQ(facts.native_thread_id, static_cast<std::uint64_t>(syscall(SYS_gettid)));
}

} // namespace
} // namespace wstree::observe
