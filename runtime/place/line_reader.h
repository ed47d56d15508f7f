// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the small text files in which the kernel answers questions.
#pragma once

#include "fixed_text.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace wstree::place {

/// A longer path counts as a file that cannot be read.
using PathText = config::FixedText<1024>;

/// A file line by line, through a buffer of its own: nothing is allocated, and the size of the file does not
/// matter. Changes errno.
class LineReader {
public:
  /// Longest line, in bytes.
  static constexpr std::size_t k_longest = 4096;

  explicit LineReader(PathText path) noexcept;
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  ~LineReader();

  bool is_open() const noexcept { return file_ >= 0; }
  /// Returns the next line without its end, valid until the next call. nullopt: there is none, or it cannot
  /// be read. Lines that are too long are left out.
  std::optional<std::string_view> next() noexcept;

private:
  bool read_more() noexcept;

  int file_ = -1;
  bool at_end_ = false;
  std::size_t begin_ = 0; // begin of the text that has not been handed out
  std::size_t end_ = 0;
  char buffer_[k_longest + 1];
};

/// Reads a file byte by byte, for files whose entries end with zero bytes.
class ByteReader {
public:
  explicit ByteReader(PathText path) noexcept;
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;
  ~ByteReader();

  std::optional<char> next() noexcept;

private:
  int file_ = -1;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  char buffer_[1024];
};

/// `root` in front of `path`, which begins with a slash.
PathText below(const char* root, std::string_view path) noexcept;

/// Returns the only line, or the first one; nullopt if the file cannot be read.
std::optional<config::FixedText<128>> read_short_line(PathText path) noexcept;

} // namespace wstree::place
