// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory.h"

#include <algorithm>
#include <cassert>

namespace wstree::model {

void Memory::reset() {
  used_ = View::k_most_threads;
  used_views_ = 1;
  sum_ = 0;
  for (View& view : threads_) view.clear();
  for (View& view : seen_) view.clear();
  for (bool& has_released : has_released_) has_released = false;
  fenced_.clear();
  fences_ = 0;
  if (locations_.size() < used_) locations_.resize(used_);
  if (views_.empty()) views_.resize(1);
}

std::uint32_t Memory::add(std::uint64_t name, std::uint64_t value) {
  if (used_ == locations_.size()) locations_.emplace_back();
  Location& location = locations_[used_];
  location.messages.clear();
  location.messages.push_back({value, 0, k_gap, k_nothing, false});
  location.name = name;
  location.order = 0;
  location.floor = 0;
  location.floor_identity = 0;
  remember(location);
  return used_++;
}

Time Memory::known(std::uint32_t thread, std::uint32_t location, bool seq_cst) const {
  const Time own = threads_[thread][location];
  return seq_cst ? std::max({own, locations_[location].floor, fenced_[location]}) : own;
}

void Memory::readable(std::uint32_t thread, std::uint32_t location, bool seq_cst,
                      std::vector<std::uint32_t>& out) {
  const Location& where = locations_[location];
  const Time oldest = known(thread, location, seq_cst);
  out.clear();
  for (auto i = static_cast<std::uint32_t>(where.messages.size()); i-- > 0;) {
    if (where.messages[i].time < oldest) break;
    out.push_back(i);
  }
}

bool Memory::is_extensible(std::uint32_t location, std::uint32_t position) const {
  const auto& messages = locations_[location].messages;
  return position + 1 == messages.size() || !messages[position + 1].glued;
}

void Memory::writable(std::uint32_t thread, std::uint32_t location, bool seq_cst,
                      std::vector<std::uint32_t>& out) {
  const Location& where = locations_[location];
  const Time oldest = known(thread, location, seq_cst);
  out.clear();
  out.push_back(static_cast<std::uint32_t>(where.messages.size()));
  for (auto i = static_cast<std::uint32_t>(where.messages.size()); i-- > 1;) {
    if (where.messages[i].time <= oldest) break;
    if (!where.messages[i].glued) out.push_back(i);
  }
}

void Memory::read(std::uint32_t thread, std::uint32_t location, std::uint32_t position,
                  std::memory_order order) {
  Location& where = locations_[location];
  const Message& message = where.messages[position];
  threads_[thread].raise(location, message.time);
  if (message.view != k_nothing) (acquires(order) ? threads_ : seen_)[thread].join(views_[message.view]);
  if (order == std::memory_order_seq_cst) see_in_order(where, message);
}

void Memory::write(std::uint32_t thread, std::uint32_t location, std::uint32_t position, std::uint64_t value,
                   std::memory_order order, std::uint64_t identity) {
  Location& where = locations_[location];
  Message message{value, identity, where.messages[position - 1].time + k_gap, k_nothing, false};
  if (position < where.messages.size()) {
    const Time before = where.messages[position - 1].time;
    message.time = before + (where.messages[position].time - before) / 2;
    assert(message.time != before);
  }
  threads_[thread].raise(location, message.time);
  message.view = released(thread, order, k_nothing);
  insert(where, position, message);
  if (order == std::memory_order_seq_cst) see_in_order(where, message);
}

void Memory::update(std::uint32_t thread, std::uint32_t location, std::uint32_t position, std::uint64_t value,
                    std::memory_order order, std::uint64_t identity) {
  read(thread, location, position, order == std::memory_order_seq_cst ? std::memory_order_acq_rel : order);
  Location& where = locations_[location];
  const Message source = where.messages[position];
  Message message{value, identity, source.time + 1, source.view, true};
  assert(position + 1 == where.messages.size() || where.messages[position + 1].time > message.time);
  threads_[thread].raise(location, message.time);
  message.view = released(thread, order, source.view);
  insert(where, position + 1, message);
  if (order == std::memory_order_seq_cst) see_in_order(where, message);
}

void Memory::insert(Location& location, std::uint32_t position, const Message& message) {
  forget(location);
  location.messages.insert(location.messages.begin() + position, message);
  if (position + 1 == location.messages.size()) {
    location.order = mix(location.order, message.identity);
  } else {
    location.order = 0;
    for (std::size_t i = 1; i < location.messages.size(); ++i)
      location.order = mix(location.order, location.messages[i].identity);
  }
  remember(location);
}

void Memory::see_in_order(Location& location, const Message& message) {
  if (message.time <= location.floor) return;
  forget(location);
  location.floor = message.time;
  location.floor_identity = message.identity + 1;
  remember(location);
}

std::uint32_t Memory::released(std::uint32_t thread, std::memory_order order, std::uint32_t inherited) {
  if (!releases(order) && !has_released_[thread]) return inherited;
  const std::uint32_t made = new_view();
  views_[made] = releases(order) ? threads_[thread] : released_[thread];
  if (inherited != k_nothing) views_[made].join(views_[inherited]);
  return made;
}

void Memory::fence(std::uint32_t thread, std::memory_order order, std::uint64_t history) {
  View& known = threads_[thread];
  if (acquires(order)) known.join(seen_[thread]);
  if (order == std::memory_order_seq_cst) {
    for (std::uint32_t i = View::k_most_threads; i < used_; ++i) {
      known.raise(i, std::max(fenced_[i], locations_[i].floor));
      fenced_.raise(i, known[i]);
    }
    fences_ = mix(fences_, history);
  }
  if (releases(order)) {
    released_[thread] = known;
    has_released_[thread] = true;
  }
}

std::uint32_t Memory::new_view() {
  if (used_views_ == views_.size()) views_.emplace_back();
  return used_views_++;
}

} // namespace wstree::model
