// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a team's storage keeps apart.
#include "team_storage.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>

namespace wstree::loop {
namespace {

using StoragePlatform = core::StdPlatform;

TEST(team_storage, WhatOthersReadOfAMemberIsOnPagesOfItsOwn) {
  // So that it is in the memory of the member's NUMA node, whichever member made the storage.
  constexpr std::uint32_t k_team = 9;
  constexpr std::uintptr_t k_page = 4096;
  Storage<StoragePlatform>* storage = Storage<StoragePlatform>::create(k_team, nullptr);
  ASSERT_NE(storage, nullptr);
  std::map<std::uintptr_t, std::uint32_t> owners;
  auto expect_own = [&](const void* begin, std::size_t bytes, std::uint32_t member) {
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    for (auto page = first / k_page; page <= (first + bytes - 1) / k_page; ++page)
      EXPECT_EQ(owners.try_emplace(page, member).first->second, member);
  };
  for (std::uint32_t m = 0; m < k_team; ++m) {
    expect_own(&storage->line(m), sizeof(storage->line(m)), m);
    for (std::uint64_t loop = 0; loop < k_ring; ++loop) {
      expect_own(storage->slot(loop).tree.root(m), sizeof(core::Node<StoragePlatform>), m);
      expect_own(&storage->account(loop, m), sizeof(Account), m);
      expect_own(&storage->fresh_arena(loop, m), sizeof(core::Arena<StoragePlatform>), m);
    }
  }
  // The first nodes of its arenas share a page with those of the members beside it at most.
  for (std::uint32_t m = 0; m < k_team; ++m)
    for (std::uint64_t loop = 0; loop < k_ring; ++loop) {
      const auto page = reinterpret_cast<std::uintptr_t>(storage->fresh_arena(loop, m).take()) / k_page;
      const auto owner = owners.find(page);
      if (owner != owners.end()) {
        EXPECT_EQ(owner->second, m);
      }
    }
  Storage<StoragePlatform>::destroy(storage);
}

} // namespace
} // namespace wstree::loop
