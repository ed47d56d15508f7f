// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "label.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace {

using namespace wstree::observe;

TEST(Labels, SameTextFromManyThreadsIsOneLabel) {
  constexpr int k_texts = 100;
  std::vector<std::vector<const Label*>> found(4, std::vector<const Label*>(k_texts));
  std::vector<std::thread> threads;
  for (auto& own : found)
    threads.emplace_back([&own] {
      for (int i = 0; i < k_texts; ++i) {
        const std::string text = "label " + std::to_string(i);
        own[static_cast<std::size_t>(i)] = find_label(text);
        ASSERT_EQ(own[static_cast<std::size_t>(i)]->view(), text);
      }
    });
  for (auto& thread : threads) thread.join();
  for (const auto& own : found) EXPECT_EQ(own, found[0]);
}

TEST(LabelsDeathTest, ThereIsAnEnd) {
  // In a process of its own: the table has no way back.
  EXPECT_EXIT(
      {
        std::uint32_t made = 0;
        while (find_label("text " + std::to_string(made)) != nullptr) ++made;
        const bool keeps_the_old = find_label("text 0") != nullptr;
        std::exit(made <= k_most_labels && made + 200 > k_most_labels && keeps_the_old ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

} // namespace
