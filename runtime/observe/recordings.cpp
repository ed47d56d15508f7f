// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recordings.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <memory>
#include <new>

#include "kept_execution.h"
#include "site_table.h"

namespace wstree::observe {
namespace {

// One profile may take so much of the memory that is left: there is always some for the next one.
constexpr std::size_t k_share = 16;
constexpr std::size_t k_fewest_pieces = 16; // fewer show nothing

constinit std::atomic<std::size_t> g_bytes_left{k_most_profile_bytes};

std::size_t affordable_pieces() noexcept {
  // [O15] relaxed, here and below: a number that nothing else depends on. Two threads that read it at one
  //       time may take a sixteenth each; the sum stays right, and above 0 because of the check in keep().
  const std::size_t bytes = g_bytes_left.load(std::memory_order_relaxed) / k_share;
  return std::min(k_most_kept_pieces, bytes / sizeof(JoinedPiece));
}

bool take_bytes(std::size_t bytes) noexcept {
  std::size_t left = g_bytes_left.load(std::memory_order_relaxed); // [O15]
  do {
    if (left < bytes) return false;
  } while (!g_bytes_left.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed,
                                               std::memory_order_relaxed));
  return true;
}

} // namespace

Profile* Profile::make(const RecordedExecution& execution, const JoinedPieces& pieces) noexcept {
  void* memory = std::malloc(bytes(pieces.size()));
  if (memory == nullptr) return nullptr;
  auto* made = ::new (memory) Profile;
  made->execution = execution;
  made->size = pieces.size();
  std::uninitialized_copy(pieces.begin(), pieces.end(), const_cast<JoinedPiece*>(made->pieces()));
  return made;
}

void Profile::destroy(Profile* profile) noexcept { std::free(profile); }

bool is_kept(std::uint64_t number) noexcept { return number <= k_first_kept || std::has_single_bit(number); }

void keep(LoopSite& site, const RecordedExecution& execution, JoinedPieces& pieces) noexcept {
  const std::size_t most = affordable_pieces();
  if (most < k_fewest_pieces || !pieces.join(execution.units)) return;
  pieces.coarsen(most);
  if (!take_bytes(Profile::bytes(pieces.size()))) return;
  if (Profile* made = Profile::make(execution, pieces)) site.add_profile(made);
}

void forget_recordings() noexcept {
  site_table().for_each([](LoopSite& site, const void*) {
    for (Profile* profile = site.take_profiles(); profile != nullptr;) {
      Profile* next = profile->next;
      Profile::destroy(profile);
      profile = next;
    }
  });
  g_bytes_left.store(k_most_profile_bytes, std::memory_order_relaxed); // [O15]
}

} // namespace wstree::observe
