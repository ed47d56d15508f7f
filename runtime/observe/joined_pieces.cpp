// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "joined_pieces.h"

#include <algorithm>
#include <cstdlib>

namespace wstree::observe {
namespace {

template <class T> T* allocate(std::size_t count) noexcept {
  return static_cast<T*>(std::calloc(count != 0 ? count : 1, sizeof(T)));
}

} // namespace

JoinedPieces::JoinedPieces(std::size_t most) noexcept
    : most_(most), ends_(allocate<End>(2 * most)), pieces_(allocate<JoinedPiece>(2 * most)) {}

JoinedPieces::~JoinedPieces() {
  std::free(ends_);
  std::free(pieces_);
}

void JoinedPieces::add(std::uint64_t begin, std::uint64_t end, std::uint64_t count, std::uint64_t ticks,
                       std::uint32_t member) noexcept {
  if (end_count_ == 2 * most_) return;
  const Wide density = (Wide{ticks} << k_density_bits) / (end - begin);
  ends_[end_count_++] = {begin, density, member, true};
  ends_[end_count_++] = {end, density, member, false};
  iterations_ += count;
  exact_ = exact_ && count == end - begin;
}

bool JoinedPieces::join(std::uint64_t iterations) noexcept {
  if (iterations_ != iterations || iterations == 0) return false;
  // Ends before begins, so that pieces that only touch do not overlap.
  std::sort(ends_, ends_ + end_count_, [](const End& a, const End& b) {
    if (a.position != b.position) return a.position < b.position;
    return !a.is_begin && b.is_begin;
  });
  if (ends_[0].position != 0 || ends_[end_count_ - 1].position != iterations) return false;
  std::uint64_t open = 0; // pieces that span the present place
  Wide density = 0;       // sum of their densities
  for (std::size_t i = 0; i < end_count_; ++i) {
    const End& at = ends_[i];
    if (!at.is_begin) {
      --open;
      density -= at.density;
    } else {
      ++open;
      density += at.density;
      if (exact_ && open > 1) return false;
    }
    const std::uint64_t next = i + 1 < end_count_ ? ends_[i + 1].position : iterations;
    if (next == at.position) continue;
    if (open == 0) return false;
    const Wide ticks = density * (next - at.position) + (Wide{1} << k_density_bits) / 2;
    pieces_[size_++] = {at.position, static_cast<std::uint64_t>(ticks >> k_density_bits), at.member};
  }
  return true;
}

void JoinedPieces::coarsen(std::size_t most) noexcept {
  std::uint64_t all = 0;
  for (const JoinedPiece& piece : *this) all += piece.ticks;
  // Pieces above half of the target are not touched, so expensive iterations stay apart.
  for (std::uint64_t target = all / most / 2 + 1; size_ > most; target *= 2) {
    // Pieces without costs: at the latest now everything is cheap.
    const std::uint64_t cheap = target > 2 * all ? all : target / 2;
    JoinedPiece* kept = pieces_;
    for (std::size_t i = 1; i < size_; ++i) {
      if (kept->ticks <= cheap && pieces_[i].ticks <= cheap)
        kept->ticks += pieces_[i].ticks;
      else
        *++kept = pieces_[i];
    }
    size_ = static_cast<std::size_t>(kept + 1 - pieces_);
    if (all == 0) break;
  }
}

} // namespace wstree::observe
