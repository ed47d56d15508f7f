// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "choices.h"

#include <algorithm>
#include <charconv>

namespace wstree::model {

std::string Choices::text() const {
  std::string text;
  for (std::size_t i = 0; i < taken_.size(); ++i)
    if (taken_[i] != 0)
      text += (text.empty() ? "" : " ") + std::to_string(i) + "=" + std::to_string(taken_[i]);
  return text.empty() ? "0=0" : text;
}

bool AllChoices::advance() {
  while (!path_.empty() && path_.back().chosen + 1 == path_.back().count) path_.pop_back();
  if (path_.empty()) return false;
  ++path_.back().chosen;
  return true;
}

unsigned AllChoices::decide(Choice, unsigned count, const std::vector<std::uint8_t>&) {
  if (position() == path_.size()) path_.push_back({0, count});
  return path_[position()].chosen;
}

unsigned RandomChoices::decide(Choice kind, unsigned count, const std::vector<std::uint8_t>&) {
  const unsigned calm = kind == Choice::thread ? 5 : 4; // of 6
  return random_.below(6) < calm ? 0 : random_.below(count);
}

void PriorityChoices::begin() {
  Choices::begin();
  priorities_.clear();
  lowest_ = 0;
  drops_.clear();
  for (unsigned i = 1; i < depth_; ++i) drops_.push_back(random_.below(length_));
}

unsigned PriorityChoices::decide(Choice kind, unsigned count, const std::vector<std::uint8_t>& threads) {
  if (kind != Choice::thread) return random_.below(4) != 0 ? 0 : random_.below(count);
  for (const std::uint8_t thread : threads)
    while (thread >= priorities_.size()) priorities_.push_back(1 + random_.below(1000));
  if (std::find(drops_.begin(), drops_.end(), position()) != drops_.end())
    priorities_[threads[0]] = --lowest_;
  unsigned best = 0;
  for (unsigned i = 1; i < count; ++i)
    if (priorities_[threads[i]] > priorities_[threads[best]]) best = i;
  return best;
}

WrittenChoices::WrittenChoices(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::size_t position = 0;
    unsigned chosen = 0;
    auto parsed = std::from_chars(at, end, position);
    if (parsed.ec != std::errc{} || parsed.ptr == end || *parsed.ptr != '=') return;
    parsed = std::from_chars(parsed.ptr + 1, end, chosen);
    if (parsed.ec != std::errc{}) return;
    at_[position] = chosen;
    at = parsed.ptr;
    while (at != end && *at == ' ') ++at;
  }
}

unsigned WrittenChoices::decide(Choice, unsigned count, const std::vector<std::uint8_t>&) {
  const auto found = at_.find(position());
  return found == at_.end() ? 0 : std::min(found->second, count - 1);
}

} // namespace wstree::model
