// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops by direct calls to GCC's loop entries, in every form and with bounds that no compiler's arithmetic
// shortens, and the check of what was handed out.
#pragma once

#include "check.h"
#include "gomp_abi.h"
#include "omp_decls.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace forms {

__extension__ typedef __int128 Wide;

enum class Through { plain, ull };
enum class End { barrier, nowait, cancellable };

/// [start, end) in steps of incr, all within the entry's type.
struct Range {
  Through through = Through::plain;
  Wide start = 0, end = 0, incr = 1;

  bool up() const { return incr > 0; }
  Wide trips() const {
    const Wide span = up() ? end - start : start - end, step = up() ? incr : -incr;
    return span <= 0 ? 0 : (span + step - 1) / step;
  }
};

struct Piece {
  Wide start, end;
};

inline void leave(End end) {
  switch (end) {
  case End::barrier:
    gomp::GOMP_loop_end();
    break;
  case End::nowait:
    gomp::GOMP_loop_end_nowait();
    break;
  default:
    CHECK(!gomp::GOMP_loop_end_cancel(), "%s", "the region was not cancelled");
  }
}

/// What one member is handed out of a loop, in this order. `Calls` has start(first, end) and next(first,
/// end).
template <class T, class Calls> std::vector<Piece> drain(Calls&& calls) {
  std::vector<Piece> pieces;
  T first{}, end{};
  for (bool more = calls.start(&first, &end); more; more = calls.next(&first, &end)) {
    pieces.push_back({Wide{first}, Wide{end}});
    check::spin(pieces.size() * 37 % 256);
  }
  return pieces;
}

/// The entries that the tree may serve; see gomp::Kind.
template <class T> struct Served {
  const Range& range;
  std::int32_t kind;

  bool start(T* first, T* end) const {
    const T from = static_cast<T>(range.start), to = static_cast<T>(range.end),
            incr = static_cast<T>(range.incr);
    if constexpr (std::is_same_v<T, gomp::Ull>)
      return gomp::start(kind, 1, range.up(), from, to, incr, first, end);
    else
      return gomp::start(kind, 1, from, to, incr, first, end);
  }
  bool next(T* first, T* end) const { return gomp::next(kind, first, end); }
};

inline std::vector<Piece> drain_served(const Range& range, std::int32_t kind) {
  if (range.through == Through::ull) return drain<gomp::Ull>(Served<gomp::Ull>{range, kind});
  return drain<long>(Served<long>{range, kind});
}

inline std::string text(Wide value) {
  if (value < 0) return "-" + text(-value);
  const std::string digit(1, static_cast<char>('0' + static_cast<int>(value % 10)));
  return value < 10 ? digit : text(value / 10) + digit;
}

inline std::string describe(const Range& range) {
  return std::string(range.through == Through::ull ? "ull " : "long ") + text(range.start) + ".." +
         text(range.end) + " by " + text(range.incr);
}

/// The pieces of all members together are the loop, and the last one ends exactly where the loop does,
/// however far the stride steps over that.
inline void must_tile(const Range& range, std::vector<Piece> pieces, const char* what) {
  std::sort(pieces.begin(), pieces.end(), [&](const Piece& a, const Piece& b) {
    return range.up() ? a.start < b.start : a.start > b.start;
  });
  Wide at = range.start;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    const bool is_last = i + 1 == pieces.size();
    CHECK(piece.start == at, "%s: piece %zu starts at %s instead of %s; %s", what, i,
          text(piece.start).c_str(), text(at).c_str(), describe(range).c_str());
    CHECK(range.up() ? piece.end > piece.start : piece.end < piece.start, "%s: empty piece at %s; %s", what,
          text(at).c_str(), describe(range).c_str());
    CHECK(is_last ? piece.end == range.end
                  : (piece.end - range.start) % range.incr == 0 &&
                        (range.up() ? piece.end < range.end : piece.end > range.end),
          "%s: piece %zu of %zu ends at %s; %s", what, i, pieces.size(), text(piece.end).c_str(),
          describe(range).c_str());
    at = piece.end;
  }
  CHECK((range.trips() == 0) == pieces.empty(), "%s: %zu pieces; %s", what, pieces.size(),
        describe(range).c_str());
}

/// Pieces of several loops, collected from several members.
class Collected {
public:
  explicit Collected(std::size_t loops) : pieces_(loops) {}

  void add(std::size_t loop, const std::vector<Piece>& pieces) {
    const std::lock_guard<std::mutex> lock(mutex_);
    pieces_[loop].insert(pieces_[loop].end(), pieces.begin(), pieces.end());
  }

  const std::vector<Piece>& operator[](std::size_t loop) const { return pieces_[loop]; }

private:
  std::mutex mutex_;
  std::vector<std::vector<Piece>> pieces_;
};

} // namespace forms
