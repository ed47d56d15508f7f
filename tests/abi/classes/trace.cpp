// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/trace.h"
#include "trace/team_filter.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace wstree::abi {
namespace {

using loop::Event;
using loop::Track;

constexpr std::uint64_t k_capacity = 1024;

struct TrackMemory {
  std::array<Event, k_capacity> of_events{};
};
struct OwnTrack : TrackMemory, Track {
  OwnTrack() : Track(of_events.data(), k_capacity) {}
};

Event batch(std::uint32_t member, std::uint64_t first, std::uint64_t past, std::uint64_t begin,
            std::uint64_t end) {
  return {begin, end, first, past, 7, nullptr, Event::Kind::batch, member, 0, 1};
}

TEST(Track, KeepsTheLatestEvents) {
  const auto track = std::make_unique<OwnTrack>();
  for (std::uint64_t i = 0; i < k_capacity + 10; ++i) track->add(batch(0, i, i + 1, i, i + 1));
  EXPECT_EQ(track->total(), k_capacity + 10);
  EXPECT_EQ(track->oldest(track->total()), 11U); // one less: it may be replaced meanwhile
  EXPECT_EQ(track->at(11).first, 11U);
  EXPECT_EQ(track->at(k_capacity + 9).first, k_capacity + 9);
  track->clear();
  EXPECT_EQ(track->total(), 0U);
}

TEST(TracedBatches, BatchesThatTouchBecomeOneWhileTheyAreShort) {
  const auto track = std::make_unique<OwnTrack>();
  loop::TracedBatches batches(*track, Event{}, 100);
  batches.stop(0);
  batches.start({0, 10, false}, 0);
  batches.stop(50);
  batches.start({10, 20, false}, 50);
  batches.go_on(10, 1);
  batches.stop(120);
  batches.start({30, 40, false}, 120); // long enough
  batches.stop(130);
  batches.start({60, 70, false}, 130); // elsewhere
  batches.stop(140);
  batches.searched(nullptr, 150);
  ASSERT_EQ(track->total(), 4U);
  EXPECT_EQ(track->at(0).past, 30U);
  EXPECT_EQ(track->at(0).count, 3U);
  EXPECT_EQ(track->at(0).end, 120U);
  EXPECT_EQ(track->at(1).past, 40U);
  EXPECT_EQ(track->at(2).first, 60U);
  EXPECT_EQ(track->at(3).kind, Event::Kind::search);
  EXPECT_EQ(track->at(3).begin, 140U);
  EXPECT_EQ(track->at(3).end, 150U);
}

TEST(Victim, IsTheThreadThatWasBusyLeftOfTheStolenPart) {
  const auto first = std::make_unique<OwnTrack>();
  const auto second = std::make_unique<OwnTrack>();
  const auto thief = std::make_unique<OwnTrack>();
  first->next = second.get();
  second->next = thief.get();
  first->add(batch(0, 0, 10, 0, 90));
  first->add(batch(0, 10, 20, 90, 200));
  second->add(batch(1, 100, 110, 0, 80));
  second->add(batch(1, 110, 120, 80, 200));
  second->add(batch(1, 400, 420, 300, 400)); // later
  thief->add(batch(2, 200, 300, 0, 95));
  Event steal = batch(2, 50, 60, 95, 100);
  steal.kind = Event::Kind::steal;
  const Track* track = nullptr;
  const Event* found = find_victim(first.get(), steal, track);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->member, 0U);
  EXPECT_EQ(track, first.get());
  steal.first = 160;
  found = find_victim(first.get(), steal, track);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->member, 1U);
  EXPECT_EQ(found->past, 120U);
  steal.execution = 8;
  EXPECT_EQ(find_victim(first.get(), steal, track), nullptr);
}

TEST(TeamFilters, LeaveOutTracksOfOtherTeams) {
  constexpr std::size_t k_teams = 100;
  constexpr std::size_t k_members = 2;
  std::vector<std::byte> teams(k_teams * 256);
  const auto execution = [&](std::size_t team, std::uint64_t loop) {
    return loop::execution_of(&teams[team * 256], loop);
  };
  std::vector<std::unique_ptr<OwnTrack>> tracks;
  for (std::size_t t = 0; t < k_teams * k_members; ++t) {
    tracks.push_back(std::make_unique<OwnTrack>());
    if (t != 0) tracks[t - 1]->next = tracks[t].get();
    Event event = batch(0, 0, 1, 0, 1);
    event.kind = Event::Kind::loop;
    event.execution = execution(t / k_members, 8);
    tracks[t]->add(event);
  }
  const auto filters = std::make_unique<TeamFilters>();
  filters->fill(tracks[0].get());
  std::size_t others = 0;
  for (std::size_t team = 0; team < k_teams; ++team)
    for (std::size_t t = 0; t < tracks.size(); ++t) {
      const bool may = filters->may_have(t, execution(team, 1'000)); // any loop of the team
      if (t / k_members == team)
        EXPECT_TRUE(may) << t;
      else
        others += may ? 1 : 0;
    }
  EXPECT_LT(others, k_teams * tracks.size() / 100) << "nearly all of the tracks of others";
  EXPECT_TRUE(filters->may_have(tracks.size(), 0)) << "of a track that came later nothing is known";
}

} // namespace
} // namespace wstree::abi
