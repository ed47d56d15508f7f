// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report_writer.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "utf8.h"
#include "write_fully.h"

namespace wstree::observe {
namespace {

constexpr std::size_t k_max_digits = 20; // digits of a 64-bit number

struct Digits {
  explicit Digits(std::uint64_t number) noexcept {
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;
    size = static_cast<std::size_t>(end - text);
  }
  std::string_view view() const noexcept { return {text, size}; }

  char text[k_max_digits];
  std::size_t size;
};

} // namespace

void ReportWriter::write_out(std::size_t size) noexcept {
  if (descriptor_ == k_memory) {
    const std::size_t fits = std::min(size, room_);
    if (fits != 0) std::memcpy(memory_, buffer_, fits);
    memory_ += fits;
    room_ -= fits;
  } else if (error_ == 0) {
    error_ = write_fully(descriptor_, {buffer_, size});
  }
  written_ += size;
  std::memmove(buffer_, buffer_ + size, size_ - size);
  size_ -= size;
  line_end_ = 0;
}

void ReportWriter::put(char c) noexcept {
  if (size_ == k_buffer_size) write_out(line_end_ != 0 ? line_end_ : size_);
  buffer_[size_++] = c;
  if (c == '\n') line_end_ = size_;
}

int ReportWriter::flush() noexcept {
  write_out(size_);
  return error_;
}

ReportWriter& ReportWriter::text(std::string_view text) noexcept {
  for (const char c : text) put(c);
  return *this;
}

ReportWriter& ReportWriter::visible(std::string_view text) noexcept {
  config::for_each_visible(text, [this](char c) { put(c); });
  return *this;
}

ReportWriter& ReportWriter::spaces(std::size_t count) noexcept {
  for (; count > 0; --count) put(' ');
  return *this;
}

ReportWriter& ReportWriter::number(std::uint64_t number) noexcept { return text(Digits(number).view()); }

ReportWriter& ReportWriter::grouped(std::uint64_t number) noexcept {
  const Digits digits(number);
  for (std::size_t i = 0; i < digits.size; ++i) {
    if (i > 0 && (digits.size - i) % 3 == 0) put(',');
    put(digits.text[i]);
  }
  return *this;
}

ReportWriter& ReportWriter::decimal(std::uint64_t scaled, unsigned digits) noexcept {
  const Digits all(scaled);
  const std::size_t whole = all.size > digits ? all.size - digits : 0;
  text(whole != 0 ? all.view().substr(0, whole) : "0").put('.');
  for (std::size_t i = all.size; i < digits; ++i) put('0');
  for (std::size_t i = whole; i < all.size; ++i) put(all.text[i]);
  return *this;
}

ReportWriter& ReportWriter::json_string(std::string_view text) noexcept {
  constexpr char k_hex[] = "0123456789abcdef";
  put('"');
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t size = config::utf8_size(text);
    if (size == 0) {
      this->text("\\ufffd");
    } else if (c == '"' || c == '\\') {
      put('\\');
      put(c);
    } else if (config::is_control(text, size)) {
      const auto code = static_cast<unsigned char>(text[size - 1]); // also of those with two bytes
      this->text("\\u00");
      put(k_hex[code >> 4]);
      put(k_hex[code & 15]);
    } else {
      this->text(text.substr(0, size));
    }
    text.remove_prefix(size != 0 ? size : 1);
  }
  put('"');
  return *this;
}

std::size_t grouped_width(std::uint64_t number) noexcept {
  const std::size_t digits = Digits(number).size;
  return digits + (digits - 1) / 3;
}

} // namespace wstree::observe
