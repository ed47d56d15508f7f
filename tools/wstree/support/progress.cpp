// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "progress.h"

#include <cstdio>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

constexpr double k_first_after = 1;       // seconds
constexpr double k_least_part = 0.02;     // part of the work before a time for the rest is shown
constexpr std::size_t k_usual_width = 80; // columns

std::string with_time_left(const std::string& text, std::optional<double> left) {
  return left && *left > 0 ? fmt::format("{}, {} left", text, wait_text(*left)) : text;
}

} // namespace

std::string wait_text(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{}:{:02} min", whole / 60, whole % 60);
}

double Progress::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void Progress::show(const std::string& text, std::optional<double> left) {
  if (!terminal_.is_one) return;
  const std::lock_guard lock(mutex_);
  constexpr auto k_between = std::chrono::milliseconds(100);
  const auto now = Clock::now();
  if (seconds() < k_first_after || (is_shown_ && now - shown_ < k_between)) return;
  const auto width = (terminal_.width > 1 ? terminal_.width : k_usual_width) - 1;
  fmt::print(stderr, "\r\x1b[K{}", fitted(with_time_left(text, left), width));
  std::fflush(stderr);
  shown_ = now;
  is_shown_ = true;
}

void Progress::show_part(const std::string& text, double done) {
  show(text, done > k_least_part ? std::optional(seconds() * (1 - done) / done) : std::nullopt);
}

void Progress::note(const std::string& text, std::optional<double> left) const {
  if (!terminal_.is_one) return;
  fmt::print(stderr, "{}\n", inked(terminal_, Ink::dim, with_time_left(text, left)));
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (!is_shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  is_shown_ = false;
}

} // namespace wstree::cli
