// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cerrno>
#include <string>

#include <sys/syscall.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "affinity_line.h"

namespace wstree::observe {
namespace {

AffinityFacts some_facts() {
  AffinityFacts facts;
  facts.team_num = 3;
  facts.num_teams = 4;
  facts.nesting_level = 1;
  facts.thread_num = 7;
  facts.num_threads = 16;
  facts.ancestor_tnum = 0;
  facts.host = "node17";
  facts.process_id = 6161;
  facts.native_thread_id = 6172;
  facts.thread_affinity = "0-1";
  return facts;
}

std::string line(std::string_view format, const AffinityFacts& facts = some_facts()) {
  return std::string(affinity_line(format, facts).view());
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
}

TEST(AffinityLine, HasAFormatOfItsOwn) {
  EXPECT_EQ(line(""), "wstree: level 1 thread 7 of 16 bound to CPU 0-1");
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
