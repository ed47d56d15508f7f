// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory.h"

#include <cassert>

namespace wstree::model {

void Memory::reset() {
  used_ = View::k_most_threads;
  used_views_ = 1;
  sum_ = 0;
  for (View& view : threads_) view.clear();
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

void Memory::readable(std::uint32_t thread, std::uint32_t location, bool seq_cst,
                      std::vector<std::uint32_t>& out) {
  const Location& where = locations_[location];
  const Time oldest = std::max(threads_[thread][location], seq_cst ? where.floor : 0);
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
  const Time oldest = std::max(threads_[thread][location], seq_cst ? where.floor : 0);
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
  if (acquires(order) && message.view != k_nothing) threads_[thread].join(views_[message.view]);
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
  if (releases(order)) {
    message.view = new_view();
    views_[message.view] = threads_[thread];
  }
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
  if (releases(order)) {
    message.view = new_view();
    views_[message.view] = threads_[thread];
    if (source.view != k_nothing) views_[message.view].join(views_[source.view]);
  }
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

std::uint32_t Memory::new_view() {
  if (used_views_ == views_.size()) views_.emplace_back();
  return used_views_++;
}

} // namespace wstree::model
