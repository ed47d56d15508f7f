// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library shows exactly the symbols of runtime/abi/exports.map and needs nothing but the C library:
// everything else would be found by the program that it is loaded into.
#include "process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <dlfcn.h>
#include <sched.h>
#include <set>
#include <sstream>

namespace {

using namespace wstree::test;

std::set<std::string> words_of_the_map() {
  std::string text = contents_of(WSTREE_TEST_EXPORTS);
  const auto begin = text.find("global:") + 7;
  text = text.substr(begin, text.find("local:") - begin);
  std::replace(text.begin(), text.end(), ';', ' ');
  std::istringstream stream(text);
  std::set<std::string> words;
  for (std::string word; stream >> word;) words.insert(word);
  return words;
}

std::vector<std::vector<std::string>> symbols(const std::string& which) {
  const Outcome outcome = Program(WSTREE_TEST_NM, {"-D", which, library_path()}).run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  std::vector<std::vector<std::string>> table;
  for (const std::string& line : lines_of(outcome.out)) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    table.push_back(words);
  }
  return table;
}

TEST(Exports, AreThoseOfTheMap) {
  std::set<std::string> found;
  for (const auto& words : symbols("--defined-only")) {
    found.insert(words.back());
    EXPECT_THAT(words.back(), testing::Not(testing::HasSubstr("@")))
        << "a symbol with a version is not interposed";
  }
  EXPECT_EQ(found, words_of_the_map());
}

/// The linker drops a property of the whole library if one object lacks it.
TEST(Exports, AssemblySaysWhatHardenedProcessesWantToKnow) {
#if defined(__x86_64__)
  const std::string said = "x86 feature: IBT, SHSTK";
#elif defined(__aarch64__)
  const std::string said = "AArch64 feature: BTI";
#endif
  int files = 0;
  std::istringstream list(WSTREE_TEST_ASSEMBLY);
  for (std::string file; std::getline(list, file, ',');) {
    const Outcome outcome = Program(WSTREE_TEST_READELF, {"-n", file}).run();
    EXPECT_THAT(outcome.out, testing::HasSubstr(said)) << file << outcome.text();
    ++files;
  }
  EXPECT_GE(files, 3);
}

TEST(Exports, NeedNothingButTheCLibrary) {
  for (const auto& words : symbols("--undefined-only")) {
    const std::string& name = words.back();
    const bool weak = words.at(words.size() - 2) == "w";
    EXPECT_TRUE(weak || name.find("@GLIBC") != std::string::npos) << name;
  }
}

/// A program may ask whether the function is there before it uses OpenMP, and gets it from us.
TEST(Exports, CountTheCpusWhereThereIsNoRuntime) {
  void* library = dlopen(library_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto count = reinterpret_cast<int (*)()>(dlsym(library, "omp_get_num_procs"));
  ASSERT_NE(count, nullptr);
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  EXPECT_EQ(count(), CPU_COUNT(&mask));
}

} // namespace
