// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace wstree::observe {

/// Neighbouring iterations of a loop, from `begin` to where the next piece begins.
struct JoinedPiece {
  std::uint64_t begin = 0;
  std::uint64_t ticks = 0;
  std::uint32_t member = 0; ///< the member that executed it, or the larger part of it
};

/// Makes one sequence of the recordings of a loop by the members of a team. A member's piece may stand for a
/// part of the iterations that it spans only; its time is then spread evenly over the span.
class JoinedPieces {
public:
  /// For at most `most` pieces; is_ready() is false if there is no memory.
  explicit JoinedPieces(std::size_t most) noexcept;
  ~JoinedPieces();
  JoinedPieces(const JoinedPieces&) = delete;
  JoinedPieces& operator=(const JoinedPieces&) = delete;
  bool is_ready() const noexcept { return ends_ != nullptr && pieces_ != nullptr; }

  /// `count` of the iterations in [begin, end), 0 < count <= end - begin.
  void add(std::uint64_t begin, std::uint64_t end, std::uint64_t count, std::uint64_t ticks,
           std::uint32_t member) noexcept;
  /// Once, when all were added. False if they are not each of the iterations 0 to `iterations` - 1 once.
  bool join(std::uint64_t iterations) noexcept;
  /// Merges cheap neighbours until at most `most` pieces are left, 0 < most.
  void coarsen(std::size_t most) noexcept;

  std::size_t size() const noexcept { return size_; }
  const JoinedPiece* begin() const noexcept { return pieces_; }
  const JoinedPiece* end() const noexcept { return pieces_ + size_; }

private:
  __extension__ using Wide = unsigned __int128;
  static constexpr unsigned k_density_bits = 32;

  /// The begin or the end of a piece.
  struct End {
    std::uint64_t position;
    Wide density; // ticks per iteration, << k_density_bits
    std::uint32_t member;
    bool is_begin;
  };

  std::size_t most_;
  End* ends_;
  JoinedPiece* pieces_;
  std::size_t end_count_ = 0;
  std::size_t size_ = 0;
  std::uint64_t iterations_ = 0; // iterations of all pieces that were added
  bool exact_ = true;            // every piece stands for all that it spans
};

} // namespace wstree::observe
