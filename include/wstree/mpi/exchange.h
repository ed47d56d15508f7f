// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a loop: each rank learns how it ended, and gets the values of all segments.
#pragma once

#include "wstree/mpi/drive.h"
#include "wstree/mpi/segments.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// A container of values that are sent as bytes: std::vector<double>, std::string.
template <class T>
concept byte_container = std::default_initializable<T> && requires(T container) {
  requires std::default_initializable<std::remove_reference_t<decltype(*container.data())>>;
  container.resize(std::size_t{1});
  { container.size() } -> std::convertible_to<std::size_t>;
  requires std::is_trivially_copyable_v<std::remove_reference_t<decltype(*container.data())>>;
};

class Parcel;

/// Types that bring their own way into a Parcel.
template <class T>
concept packs_itself = requires(const T& value, Parcel& parcel) {
  value.pack(parcel);
  { T::unpacked(parcel) } -> std::same_as<T>;
};

/// Values that one rank can send to another.
template <class T>
concept sendable = std::is_trivially_copyable_v<T> || byte_container<T> || packs_itself<T>;

/// Returns a number that differs where values have other bytes on another rank: of another type or size.
template <class T> constexpr std::uint64_t form_of() {
  constexpr std::uint64_t k_floating = std::uint64_t{1} << 32, k_signed = k_floating << 1,
                          k_list = k_floating << 2;
  if constexpr (std::is_arithmetic_v<T>)
    return sizeof(T) | (std::is_floating_point_v<T> ? k_floating : 0) | (std::is_signed_v<T> ? k_signed : 0);
  else if constexpr (!std::is_trivially_copyable_v<T> && byte_container<T>)
    return k_list | form_of<std::remove_cvref_t<decltype(*std::declval<T&>().data())>>();
  else if constexpr (requires { typename T::Element; })
    return sizeof(T) ^ form_of<typename T::Element>();
  else
    return sizeof(T);
}

/// Values as bytes.
class Parcel {
public:
  template <class T> void put(const T& value) {
    if constexpr (packs_itself<T>) {
      value.pack(*this);
    } else if constexpr (std::is_trivially_copyable_v<T>) {
      put_bytes(&value, sizeof value);
    } else {
      put(std::uint64_t{value.size()});
      put_bytes(value.data(), value.size() * sizeof *value.data());
    }
  }
  void put_bytes(const void* from, std::size_t count) {
    const auto* first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + count);
  }
  template <class T> T get() {
    if constexpr (packs_itself<T>) {
      return T::unpacked(*this);
    } else if constexpr (std::is_trivially_copyable_v<T>) {
      std::array<std::byte, sizeof(T)> bytes; // T may have no default constructor
      get_bytes(bytes.data(), sizeof(T));
      return std::bit_cast<T>(bytes);
    } else {
      T value;
      value.resize(get<std::uint64_t>());
      get_bytes(value.data(), value.size() * sizeof *value.data());
      return value;
    }
  }
  void get_bytes(void* to, std::size_t count) {
    if (count != 0) std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
  }
  bool at_end() const noexcept { return at_ == bytes_.size(); }
  std::vector<std::byte>& bytes() noexcept { return bytes_; }

private:
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
};

/// A rank's state at the end of a loop.
struct End {
  std::uint64_t bytes = 0;                // length of the rank's parcel: set by Ends
  std::uint64_t hit = Events::k_none;     // the rank's first hit
  std::uint64_t thrower = Events::k_none; // the first element that has thrown
  std::uint64_t dropped = Events::k_none; // the first element that no rank has executed
  std::uint64_t is_stopped = 0;           // 1: a stop was requested here
  double seconds = 0;                     // seconds that the rank has worked
};

/// The ends of all ranks.
class Ends {
public:
  /// The exchange of a loop that is over, in which all ranks of a node rest with packets of rest_with().
  /// `parcel`: the rank's values, for gather(); nullptr: there are none.
  static Ends of_loop(Group& group, const End& mine, Parcel* parcel) {
    Ends ends(group);
    if (Board* const board = group.words().board(); board != nullptr)
      ends.read(*board);
    else
      ends.exchange_by_messages(with_bytes(mine, parcel));
    ends.combine();
    return ends;
  }
  static void rest_with(Board& board, const End& mine, Parcel* parcel) {
    const End end = with_bytes(mine, parcel);
    board.rest(std::as_bytes(std::span(&end, 1)), small_part_of(parcel));
  }
  /// An exchange behind that.
  Ends(Group& group, const End& mine) : Ends(group) {
    if (Board* const board = group.words().board(); board != nullptr) {
      board->post(std::as_bytes(std::span(&mine, 1)), {});
      wait_until([&] { return board->are_all_there(); }, group.comm(), board->keeps_processor());
      read(*board);
    } else {
      exchange_by_messages(mine);
    }
    combine();
  }

  /// Returns the first hit; Events::k_none: there was none.
  std::uint64_t hit() const noexcept { return hit_; }
  /// Returns whether elements that might be a hit before the first one were not executed.
  bool has_dropped() const noexcept { return dropped_ < hit_; }

  /// Returns whether a stop on any rank has left elements undone.
  bool is_cancelled() const noexcept { return is_stopped_ && dropped_ != Events::k_none; }

  /// As rethrow(), of all ranks, where this one has its own events.
  static void rethrow_first(Group& group, const Events& events, std::uint64_t before) {
    Ends(group, {.thrower = events.thrower()}).rethrow(events, before);
  }

  /// Throws, on all ranks, the exception of the first thrower, unless it is behind the first hit of all
  /// elements. `before`: iterations before element 0.
  void rethrow(const Events& events, std::uint64_t before) const {
    const std::uint64_t element = all_[thrower_].thrower;
    if (element == Events::k_none || (hit_ < element && !has_dropped())) return;
    char text[512] = {};
    const bool is_mine = thrower_ == group_.rank();
    if (is_mine) describe(events.thrown(), text);
    check(MPI_Bcast(text, sizeof text, MPI_CHAR, static_cast<int>(thrower_), group_.comm()));
    if (is_mine) std::rethrow_exception(events.thrown());
    throw remote_exception(text, static_cast<int>(thrower_), before + element);
  }

  /// Returns the seconds that all ranks have worked.
  double seconds() const noexcept { return seconds_; }

  /// Returns the parcels of all ranks, in the order of the ranks; to all ranks, or to `root` alone.
  Parcel gather(Parcel& mine, int root) {
    const bool is_wanted = root < 0 || static_cast<std::uint32_t>(root) == group_.rank();
    if (are_parcels_there_) return is_wanted ? std::move(parcels_) : Parcel();
    std::vector<int> counts(group_.ranks()), places(group_.ranks());
    std::uint64_t total = 0;
    for (std::uint32_t r = 0; r < group_.ranks(); ++r) {
      places[r] = static_cast<int>(total);
      total += all_[r].bytes;
      if (total > INT_MAX) throw error("wstree: the values of a loop on ranks take more than 2 GB");
      counts[r] = static_cast<int>(all_[r].bytes);
    }
    Parcel result;
    const int count = counts[group_.rank()];
    if (is_wanted) result.bytes().resize(total);
    MPI_Request request = MPI_REQUEST_NULL;
    if (root < 0)
      check(MPI_Iallgatherv(mine.bytes().data(), count, MPI_BYTE, result.bytes().data(), counts.data(),
                            places.data(), MPI_BYTE, group_.comm(), &request));
    else
      check(MPI_Igatherv(mine.bytes().data(), count, MPI_BYTE, result.bytes().data(), counts.data(),
                         places.data(), MPI_BYTE, root, group_.comm(), &request));
    wait_for(request);
    return result;
  }

private:
  explicit Ends(Group& group) : group_(group), all_(group.ranks()) {}

  static End with_bytes(End end, Parcel* parcel) noexcept {
    end.bytes = parcel != nullptr ? parcel->bytes().size() : 0;
    return end;
  }
  /// Returns the bytes of a parcel that is small enough to travel with an End.
  static std::span<const std::byte> small_part_of(Parcel* parcel) noexcept {
    if (parcel == nullptr || sizeof(End) + parcel->bytes().size() > Board::k_most) return {};
    return parcel->bytes();
  }
  void read(const Board& board) {
    are_parcels_there_ = true;
    for (std::uint32_t r = 0; r < group_.ranks(); ++r) {
      const std::span<const std::byte> packet = board.packet(r);
      std::memcpy(&all_[r], packet.data(), sizeof all_[r]);
      parcels_.put_bytes(packet.data() + sizeof all_[r], packet.size() - sizeof all_[r]);
      are_parcels_there_ = are_parcels_there_ && packet.size() == sizeof all_[r] + all_[r].bytes;
    }
  }
  void combine() noexcept {
    for (std::uint32_t r = 0; r < group_.ranks(); ++r) {
      if (all_[r].thrower < all_[thrower_].thrower) thrower_ = r;
      hit_ = std::min(hit_, all_[r].hit);
      dropped_ = std::min(dropped_, all_[r].dropped);
      is_stopped_ |= all_[r].is_stopped != 0;
      seconds_ += all_[r].seconds;
    }
  }
  void exchange_by_messages(const End& mine) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, all_.data(), sizeof mine, MPI_BYTE, group_.comm(),
                         &request));
    wait_for(request);
  }
  static void describe(const std::exception_ptr& thrown, char (&text)[512]) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& exception) {
      std::strncpy(text, exception.what(), sizeof text - 1);
    } catch (...) {
      std::strncpy(text, "an exception that is not a std::exception", sizeof text - 1);
    }
  }

  Group& group_;
  std::vector<End> all_;
  Parcel parcels_;
  bool are_parcels_there_ = false; // of all ranks
  std::uint32_t thrower_ = 0;      // the rank of the first element that has thrown
  std::uint64_t hit_ = Events::k_none;
  std::uint64_t dropped_ = Events::k_none;
  bool is_stopped_ = false;
  double seconds_ = 0;
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
