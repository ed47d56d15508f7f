// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "line_reader.h"

#include "system_call.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>

namespace wstree::place {
namespace {

int open_to_read(PathText& path) noexcept {
  if (path.truncated()) return -1;
  const long file = config::system_call(SYS_openat, AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  return file >= 0 ? static_cast<int>(file) : -1;
}

void close_file(int file) noexcept {
  if (file >= 0) config::system_call(SYS_close, file);
}

/// 0 at the end, negative after an error.
long read_some(int file, char* buffer, std::size_t size) noexcept {
  long got = 0;
  do got = config::system_call(SYS_read, file, buffer, size);
  while (got == -EINTR);
  return got;
}

} // namespace

LineReader::LineReader(PathText path) noexcept : file_(open_to_read(path)) {}
LineReader::~LineReader() { close_file(file_); }

bool LineReader::read_more() noexcept {
  if (at_end_ || file_ < 0) return false;
  if (begin_ != 0) {
    std::memmove(buffer_, buffer_ + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const long got = read_some(file_, buffer_ + end_, sizeof buffer_ - end_);
  at_end_ = got <= 0;
  if (got > 0) end_ += static_cast<std::size_t>(got);
  return !at_end_;
}

ByteReader::ByteReader(PathText path) noexcept : file_(open_to_read(path)) {}
ByteReader::~ByteReader() { close_file(file_); }

std::optional<char> ByteReader::next() noexcept {
  if (begin_ == end_) {
    const long got = file_ < 0 ? 0 : read_some(file_, buffer_, sizeof buffer_);
    if (got <= 0) return std::nullopt;
    begin_ = 0;
    end_ = static_cast<std::size_t>(got);
  }
  return buffer_[begin_++];
}

std::optional<std::string_view> LineReader::next() noexcept {
  bool too_long = false;
  for (;;) {
    const std::string_view unread(buffer_ + begin_, end_ - begin_);
    const auto newline = unread.find('\n');
    if (newline != std::string_view::npos) {
      begin_ += newline + 1;
      if (!too_long) return unread.substr(0, newline);
      too_long = false;
      continue;
    }
    if (unread.size() == sizeof buffer_) { // full, and no end of the line in sight
      too_long = true;
      begin_ = end_;
    }
    if (read_more()) continue;
    const std::string_view last(buffer_ + begin_, end_ - begin_);
    begin_ = end_;
    if (last.empty() || too_long) return std::nullopt;
    return last;
  }
}

PathText below(const char* root, std::string_view path) noexcept {
  PathText result{std::string_view(root)};
  result.append(path);
  return result;
}

std::optional<config::FixedText<128>> read_short_line(PathText path) noexcept {
  LineReader lines(path);
  const auto line = lines.next();
  if (!line) return std::nullopt;
  return config::FixedText<128>(*line);
}

} // namespace wstree::place
