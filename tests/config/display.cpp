// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "display.h"

namespace wstree::config {
namespace {

using testing::ElementsAre;

std::vector<std::string> displayed(const Options& options, const std::optional<ScheduleRequest>& schedule) {
  std::vector<std::string> lines;
  const auto keep = [](void* context, std::string_view line) noexcept {
    static_cast<std::vector<std::string>*>(context)->emplace_back(line);
  };
  display(options, schedule, {keep, &lines});
  return lines;
}

TEST(Display, ShowsTheDefaults) {
  EXPECT_THAT(
      displayed(Options{}, std::nullopt),
      ElementsAre(
          "WSTREE DISPLAY ENVIRONMENT BEGIN",
          "  [wstree] OMP_SCHEDULE: none of ours, schedule(runtime) loops stay with the OpenMP runtime",
          "  [wstree] WSTREE_LOOPS='runtime'  (default)", "  [wstree] WSTREE_STRATEGY='findmax'  (default)",
          "  [wstree] WSTREE_BATCH='timed'  (default)", "  [wstree] WSTREE_HISTORY='on'  (default)",
          "  [wstree] WSTREE_FALLBACK='guided'  (default)", "  [wstree] WSTREE_BIND='auto'  (default)",
          "  [wstree] WSTREE_THREADS='off'  (default)", "  [wstree] WSTREE_WAIT='off'  (default)",
          "  [wstree] WSTREE_STATS='0'  (default)", "  [wstree] WSTREE_COUNTERS='0'  (default)",
          "  [wstree] WSTREE_RECORD='0'  (default)", "  [wstree] WSTREE_TRACE='0'  (default)",
          "  [wstree] WSTREE_TRACE_EVENTS='65536'  (default)", "  [wstree] WSTREE_RULES='0'  (default)",
          "  [wstree] WSTREE_OMPT='0'  (default)", "  [wstree] WSTREE_VERBOSE='0'  (default)",
          "  [wstree] OMP_DISPLAY_ENV='false'  (default)",
          "  [wstree] OMP_DISPLAY_AFFINITY='false'  (default)",
          "  [wstree] OMP_AFFINITY_FORMAT=''  (default)", "WSTREE DISPLAY ENVIRONMENT END"));
}

TEST(Display, ShowsWhatWasSetInItsCanonicalForm) {
  const char* const envp[] = {"WSTREE_BATCH= Random",
                              "WSTREE_LOOPS=AUTO, dynamic",
                              "WSTREE_STRATEGY=nonsense",
                              "WSTREE_HISTORY=OFF",
                              "WSTREE_FALLBACK=Dynamic , 8",
                              "WSTREE_STATS=json=out/%p.json",
                              "WSTREE_COUNTERS=1",
                              "WSTREE_RECORD=out/%p.profile",
                              "WSTREE_TRACE=%p.json",
                              "WSTREE_RULES= * off; a.c:1 wstree ",
                              "WSTREE_OMPT=1",
                              "WSTREE_VERBOSE=1",
                              "OMP_DISPLAY_ENV=TRUE",
                              "WSTREE_BIND=SPREAD",
                              "WSTREE_WAIT=Auto",
                              "OMP_NUM_THREADS= \t2", // in the place of WSTREE_THREADS=auto
                              "OMP_DISPLAY_AFFINITY=TRUE",
                              "OMP_AFFINITY_FORMAT= %n on %A ",
                              nullptr};
  EXPECT_THAT(
      displayed(load(envp, {}), parse_schedule("nonmonotonic:WSTREE, 64")),
      ElementsAre(
          "WSTREE DISPLAY ENVIRONMENT BEGIN", "  [wstree] OMP_SCHEDULE='wstree,64'  (environment)",
          "  [wstree] WSTREE_LOOPS='dynamic,auto'  (environment)",
          "  [wstree] WSTREE_STRATEGY='findmax'  (default)",
          "  [wstree] WSTREE_BATCH='random:4096'  (environment)",
          "  [wstree] WSTREE_HISTORY='off'  (environment)",
          "  [wstree] WSTREE_FALLBACK='dynamic,8'  (environment)",
          "  [wstree] WSTREE_BIND='spread'  (environment)", "  [wstree] WSTREE_THREADS='auto'  (environment)",
          "  [wstree] WSTREE_WAIT='auto'  (environment)",
          "  [wstree] WSTREE_STATS='json=out/%p.json'  (environment)",
          "  [wstree] WSTREE_COUNTERS='1'  (environment)",
          "  [wstree] WSTREE_RECORD='out/%p.profile'  (environment)",
          "  [wstree] WSTREE_TRACE='%p.json'  (environment)",
          "  [wstree] WSTREE_TRACE_EVENTS='65536'  (default)",
          "  [wstree] WSTREE_RULES='* off; a.c:1 wstree'  (environment)",
          "  [wstree] WSTREE_OMPT='1'  (environment)", "  [wstree] WSTREE_VERBOSE='1'  (environment)",
          "  [wstree] OMP_DISPLAY_ENV='true'  (environment)",
          "  [wstree] OMP_DISPLAY_AFFINITY='true'  (environment)",
          "  [wstree] OMP_AFFINITY_FORMAT=' %n on %A '  (environment)", "WSTREE DISPLAY ENVIRONMENT END"));
}

TEST(Display, ShowsControlCharactersHarmlessly) {
  const char* const envp[] = {"WSTREE_STATS=text=a\nb", nullptr};
  EXPECT_THAT(displayed(load(envp, {}), std::nullopt),
              testing::Contains("  [wstree] WSTREE_STATS='text=a?b'  (environment)"));
}

TEST(FixedText, CutsOffAndSaysSo) {
  FixedText<6> text("abc");
  EXPECT_FALSE(text.truncated());
  text.append("def");
  EXPECT_EQ(text.view(), "abcde");
  EXPECT_TRUE(text.truncated());
  EXPECT_STREQ(text.c_str(), "abcde");
  text.resize_down(2);
  EXPECT_STREQ(text.c_str(), "ab");
  text.clear();
  EXPECT_FALSE(text.truncated());
  EXPECT_STREQ(text.c_str(), "");
}

TEST(FixedText, ShortensForeignTextBetweenCharacters) {
  struct Case {
    std::string_view text;
    std::size_t limit;
    std::string_view shown;
  };
  const Case cases[] = {{"abcdef", 6, "abcdef"},
                        {"abcdefg", 6, "abc..."},
                        {"ab\xe2\x82\xac"
                         "defg",
                         6, "ab..."},
                        {"\x80\x80\x80\x80\x80\x80\x80", 6, "..."},
                        {"a\x01\x1f\x20\x7f", 6, "a?? ?"},
                        {"a\xff\xc3\xa4\xc3", 6, "a?\xc3\xa4?"},
                        {"a\x80\x80\x80\x80\x80\x80\x80\x80\x80", 8, "a?..."},
                        {"\xc2\x9b[", 6, "??["}};
  for (const auto& [text, limit, shown] : cases) {
    FixedText<32> line;
    line.append_foreign(text, limit);
    EXPECT_EQ(line.view(), shown) << text;
  }
}

} // namespace
} // namespace wstree::config
