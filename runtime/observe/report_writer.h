// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wstree::observe {

/// Collects text in a fixed buffer and writes it to one descriptor, in pieces that end with a line where that
/// is possible. Remembers the first error and writes nothing after it. Numbers never depend on the locale.
/// One thread, under a HostGuard if there is a descriptor. It may write to memory instead, as much as fits.
class ReportWriter {
public:
  static constexpr std::size_t k_buffer_size = 4096; // bytes that a pipe takes in one piece

  /// Text that was not flushed at the end is dropped.
  explicit ReportWriter(int descriptor) noexcept : descriptor_(descriptor) {}
  ReportWriter(char* memory, std::size_t room) noexcept
      : descriptor_(k_memory), memory_(memory), room_(room) {}

  ReportWriter& text(std::string_view text) noexcept;
  /// Appends text that may hold anything, with ? for control characters and for bytes that are no UTF-8.
  ReportWriter& visible(std::string_view text) noexcept;
  ReportWriter& spaces(std::size_t count) noexcept;
  ReportWriter& number(std::uint64_t number) noexcept;
  /// Writes a number with commas between groups of three digits.
  ReportWriter& grouped(std::uint64_t number) noexcept;
  /// `scaled` / 10^digits with all its `digits` digits after the point; digits <= 19.
  ReportWriter& decimal(std::uint64_t scaled, unsigned digits) noexcept;
  /// Writes a JSON string with its quotes. Bytes that are not UTF-8 become the replacement character U+FFFD,
  /// control characters are escaped.
  ReportWriter& json_string(std::string_view text) noexcept;

  /// Writes all that is left; 0 or the error number of the first write that failed.
  int flush() noexcept;
  /// Returns the bytes that were written, or would have been if there had been room; after flush().
  std::size_t written() const noexcept { return written_; }

private:
  void put(char c) noexcept;
  void write_out(std::size_t size) noexcept;

  static constexpr int k_memory = -2; // no descriptor

  int descriptor_;
  int error_ = 0;
  char* memory_ = nullptr; // the next byte goes here
  std::size_t room_ = 0;
  std::size_t written_ = 0;
  std::size_t size_ = 0;
  std::size_t line_end_ = 0; // behind the last newline in the buffer
  char buffer_[k_buffer_size];
};

/// Returns the number of characters that grouped() writes.
std::size_t grouped_width(std::uint64_t number) noexcept;

} // namespace wstree::observe
