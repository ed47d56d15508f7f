// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory for the nodes that one member of a team adds to one loop.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/tree/node.h"
#include "wstree/core/tuning.h"

#include <cstdint>
#include <type_traits>

namespace wstree::core {

/// Hands out pairs of nodes and takes all of them back at once. Only its member calls it. Other members read
/// the nodes, so reset() is for the moment when every member has left the loop (loop/team.h sees to that).
///
/// Zeroed memory is a valid arena that was not reset yet. The first chunk belongs to the caller. Further
/// chunks are allocated when a loop needs them and kept until the arena dies: in the steady state nothing
/// is allocated.
template <class P> class Arena {
public:
  using Pair = typename Node<P>::Pair;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    for (Chunk* chunk = more_; chunk != nullptr;) {
      Chunk* next = chunk->next;
      P::release(chunk, chunk->bytes);
      chunk = next;
    }
  }

  /// `nodes` has room for `pairs` pairs and stays until the next reset.
  void reset(Node<P>* nodes, std::uint32_t pairs) noexcept {
    cursor_ = nodes;
    end_ = nodes + 2ULL * pairs;
    current_ = nullptr;
  }

  /// Returns room for two nodes with unspecified content; nullptr if there is no memory.
  Pair take() noexcept {
    if (cursor_ == end_ && !open_next_chunk()) return nullptr;
    Pair pair = cursor_;
    cursor_ += 2;
    return pair;
  }

  /// Takes back the pair of the latest take(), which no other member has seen.
  void untake(Pair pair) noexcept { cursor_ = pair; }

private:
  struct alignas(k_line_pair) Chunk {
    Chunk* next;
    std::size_t bytes;
    std::uint32_t pairs;
    Node<P>* nodes() noexcept { return reinterpret_cast<Node<P>*>(this + 1); }
  };

  bool open_next_chunk() noexcept {
    Chunk* next = current_ == nullptr ? more_ : current_->next;
    if (next == nullptr) {
      const std::uint32_t pairs = current_ == nullptr
                                      ? tuning::k_first_chunk
                                      : std::min(current_->pairs * 2, tuning::k_largest_chunk);
      const std::size_t bytes = sizeof(Chunk) + 2ULL * pairs * sizeof(Node<P>);
      void* memory = P::allocate(bytes);
      if (memory == nullptr) return false;
      next = ::new (memory) Chunk{nullptr, bytes, pairs};
      for (std::uint32_t i = 0; i < 2 * pairs; ++i) ::new (static_cast<void*>(next->nodes() + i)) Node<P>();
      (current_ == nullptr ? more_ : current_->next) = next;
    }
    current_ = next;
    cursor_ = next->nodes();
    end_ = cursor_ + 2ULL * next->pairs;
    return true;
  }

  Node<P>* cursor_ = nullptr;
  Node<P>* end_ = nullptr;
  Chunk* current_ = nullptr; // nullptr while in the first chunk
  Chunk* more_ = nullptr;
};

/// The source of a member's pairs on this platform.
template <class P> struct ArenaOfPlatform : std::type_identity<Arena<P>> {};
template <class P>
requires requires { typename P::NodeArena; }
struct ArenaOfPlatform<P> : std::type_identity<typename P::NodeArena> {};
template <class P> using ArenaOf = typename ArenaOfPlatform<P>::type;

} // namespace wstree::core
