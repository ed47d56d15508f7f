// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "utf8.h"

namespace wstree::config {

/// Text of at most Size - 1 bytes in a buffer of its own, always null-terminated. A text that does not fit is
/// cut off, which is remembered. Trivially copyable, never allocates, needs nothing of an initialised C
/// library. Not for use by several threads at once.
template <std::size_t Size> class FixedText {
  static_assert(Size > 4);

public:
  constexpr FixedText() noexcept = default;
  explicit constexpr FixedText(std::string_view text) noexcept { append(text); }

  constexpr FixedText& append(char c) noexcept {
    if (size_ + 1 < Size)
      data_[size_++] = c;
    else
      truncated_ = true;
    return *this;
  }

  constexpr FixedText& append(std::string_view text) noexcept {
    for (const char c : text) append(c);
    return *this;
  }

  FixedText& append_number(std::uint64_t number, int base = 10) noexcept {
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof digits, number, base).ptr;
    return append(std::string_view(digits, static_cast<std::size_t>(end - digits)));
  }

  /// Appends at most `limit` bytes of text that came from outside and may be anything: control characters and
  /// bytes that are no UTF-8 become ?, a longer text ends in "..." and is not cut inside a UTF-8 sequence.
  constexpr FixedText& append_foreign(std::string_view text, std::size_t limit) noexcept {
    constexpr std::size_t k_most_continuations = 3;
    const bool cut = text.size() > limit;
    if (cut) {
      const std::size_t most = limit > 3 ? limit - 3 : 0;
      std::size_t keep = most;
      while (keep > 0 && most - keep < k_most_continuations &&
             (static_cast<unsigned char>(text[keep]) & 0xc0u) == 0x80u)
        --keep;
      text = text.substr(0, keep);
    }
    for_each_visible(text, [this](char c) { append(c); });
    return cut ? append("...") : *this;
  }

  /// Appends the bytes that `read(place, room)` puts there: it returns their number, at most `room`, or -1.
  template <typename Read> FixedText& append_read(Read read) noexcept {
    const std::size_t room = Size - 1 - size_;
    const auto count = read(data_ + size_, room);
    if (count < 0) return *this;
    truncated_ |= static_cast<std::size_t>(count) == room; // there may have been more
    size_ += static_cast<std::size_t>(count);
    return *this;
  }

  constexpr void clear() noexcept {
    size_ = 0;
    truncated_ = false;
  }

  /// Shortens the text to `size` bytes; does nothing if it is shorter already.
  constexpr void resize_down(std::size_t size) noexcept {
    if (size < size_) size_ = size;
  }

  constexpr std::string_view view() const noexcept { return {data_, size_}; }
  const char* c_str() noexcept {
    data_[size_] = '\0';
    return data_;
  }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  /// True if something did not fit since the last clear().
  constexpr bool truncated() const noexcept { return truncated_; }
  static constexpr std::size_t capacity() noexcept { return Size - 1; }

private:
  std::size_t size_ = 0;
  bool truncated_ = false;
  char data_[Size] = {};
};

} // namespace wstree::config
