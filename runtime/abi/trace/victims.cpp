// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/trace.h"

namespace wstree::abi {
namespace {

using loop::Event;
using loop::Track;

/// Returns the number of the first event that ended after `time`; events of one thread end in the order of
/// their numbers.
std::uint64_t first_after(const Track& track, std::uint64_t oldest, std::uint64_t total,
                          std::uint64_t time) noexcept {
  while (oldest < total) {
    const std::uint64_t middle = oldest + (total - oldest) / 2;
    if (track.at(middle).end < time)
      oldest = middle + 1;
    else
      total = middle;
  }
  return oldest;
}

/// Returns the batch of `steal.execution` that the thread was busy with at `steal.end`, or the batch before.
const Event* batch_at(const Track& track, const Event& steal) noexcept {
  constexpr std::uint64_t k_looked_at = 8; // events of nested loops may stand between
  const std::uint64_t total = track.total();
  const std::uint64_t oldest = track.oldest(total);
  const std::uint64_t here = first_after(track, oldest, total, steal.begin);
  const Event* found = nullptr;
  const std::uint64_t from = here > oldest + 1 ? here - 2 : oldest;
  for (std::uint64_t i = from; i < total && i < here + k_looked_at; ++i) {
    const Event& event = track.at(i);
    if (event.begin > steal.end) break;
    if (event.kind == Event::Kind::batch && event.execution == steal.execution && event.past <= steal.first)
      found = &event;
  }
  return found;
}

} // namespace

const Event* find_victim(const Track* tracks, const Event& steal, const Track*& track) noexcept {
  // A thief takes the right part of its victim's units, so that no other member is between the two.
  const Event* nearest = nullptr;
  for (const Track* other = tracks; other != nullptr; other = other->next) {
    const Event* batch = batch_at(*other, steal);
    if (batch == nullptr || batch->member == steal.member) continue;
    if (nearest != nullptr && batch->past <= nearest->past) continue;
    nearest = batch;
    track = other;
  }
  return nearest;
}

} // namespace wstree::abi
