// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a team needs of the model checker beyond the schedulers: memory that is counted and may be refused,
// and an end of waiting for a member that is suspended.
#pragma once

#include "engine/platform.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace wstree::model {

/// The memory that the threads of one execution have asked for. A request is known by its thread and its
/// number there, so that the same one is refused in whatever order the threads come.
class TeamMemory {
public:
  static inline TeamMemory* now = nullptr;

  struct Refusals {
    /// Of each thread: bit k refuses its request k. Thread 0 first.
    std::array<std::uint32_t, View::k_most_threads> requests{};
    bool any() const {
      return std::any_of(requests.begin(), requests.end(), [](std::uint32_t mask) { return mask != 0; });
    }
  };

  void reset(const Refusals& refusals) {
    blocks_.clear();
    asked_.fill(0);
    refusals_ = refusals;
    refused_ = over_ = false;
  }
  /// What was refused in earlier regions is no excuse any more.
  void open_region() { refused_ = false; }
  /// No thread runs any more.
  void end() { over_ = true; }

  void* allocate(std::size_t bytes) {
    Execution& execution = *Execution::now;
    const std::uint32_t me = execution.current();
    const bool in_thread = me < View::k_most_threads;
    if (in_thread) {
      const std::uint32_t request = asked_[me]++;
      if ((refusals_.requests[me] >> request & 1) != 0) {
        execution.tell("is refused memory");
        refused_ = true;
        return nullptr;
      }
    }
    void* const memory = execution.allocate(bytes);
    if (memory == nullptr) return nullptr;
    blocks_.push_back({static_cast<std::byte*>(memory), bytes});
    if (in_thread) blocks_.back().content.write(1);
    return memory;
  }

  void release(void* memory, std::size_t bytes) {
    Block* const block = find(memory);
    if (block == nullptr || block->bytes != bytes || block->released)
      return Execution::now->fail("memory is given back that was not handed out, or in another size");
    if (!over_) block->content.write(0); // a race with a thread that still looks at it
    block->released = true;
  }

  /// The running thread looks at what the maker of the block wrote there: it must know that it was written.
  void look_at(const void* memory) {
    Block* const block = find(memory);
    if (block == nullptr || block->released)
      return Execution::now->fail("memory is used that was given back");
    static_cast<void>(block->content.read());
  }

  std::uint32_t unreleased() const {
    return static_cast<std::uint32_t>(
        std::count_if(blocks_.begin(), blocks_.end(), [](const Block& block) { return !block.released; }));
  }
  std::uint32_t most_asked() const { return *std::max_element(asked_.begin(), asked_.end()); }
  bool refused() const { return refused_; }

private:
  struct Block {
    std::byte* memory;
    std::size_t bytes;
    bool released = false;
    Cell<int> content{}; ///< stands for all plain members in the block
  };
  Block* find(const void* memory) {
    const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                    [memory](const Block& block) { return block.memory == memory; });
    return found == blocks_.end() ? nullptr : &*found;
  }

  std::deque<Block> blocks_;
  std::array<std::uint32_t, View::k_most_threads> asked_{};
  Refusals refusals_;
  bool refused_ = false;
  bool over_ = false;
};

/// Waiting of the threads, from the outside.
class TeamWaiting {
public:
  static inline TeamWaiting* now = nullptr;
  /// More than any search among members of a team that all move, or that are all done.
  static constexpr std::uint32_t k_patience = 150;

  void reset() {
    waits_.fill(0);
    has_ended_ = false;
  }
  /// The running thread begins something that may wait.
  void begin() { waits_[Execution::now->current()] = 0; }
  /// The thread waits once more. When it has done so for long, every other thread has done what can be done
  /// without it or is suspended: the execution ends here, and its end is judged.
  void wait() {
    if (++waits_[Execution::now->current()] > k_patience) {
      has_ended_ = true;
      Execution::now->tell("waits for a member that does not come");
      Execution::now->stop_here();
    }
    ModelPlatform::yield();
  }
  bool has_ended() const { return has_ended_; }
  bool waits(std::uint32_t thread) const { return waits_[thread] > 1; }

private:
  std::array<std::uint32_t, View::k_most_threads> waits_{};
  bool has_ended_ = false;
};

struct TeamPlatform : ModelPlatform {
  static void relax() noexcept { TeamWaiting::now->wait(); }
  static void yield() noexcept { TeamWaiting::now->wait(); }
  static void* allocate(std::size_t bytes) noexcept { return TeamMemory::now->allocate(bytes); }
  static void release(void* memory, std::size_t bytes) noexcept { TeamMemory::now->release(memory, bytes); }
};

/// A ring that goes round in three loops, and arenas that are soon exhausted.
struct SmallSizes {
  static constexpr std::uint64_t k_ring = 2;
  static constexpr std::uint32_t k_first_pairs = 2;
  static constexpr std::size_t k_page = 1;
  static constexpr std::uint32_t k_spins = 1;
};

} // namespace wstree::model
