// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores and read-modify-writes of an execution.
#include "execution.h"
#include "tags.h"

#include <cstdio>

namespace wstree::model {
namespace {

const char* name_of(std::memory_order order) {
  switch (order) {
  case std::memory_order_relaxed:
    return "relaxed";
  case std::memory_order_consume:
  case std::memory_order_acquire:
    return "acquire";
  case std::memory_order_release:
    return "release";
  case std::memory_order_acq_rel:
    return "acq_rel";
  case std::memory_order_seq_cst:
    break;
  }
  return "seq_cst";
}

enum Operation : std::uint64_t { k_load = 2, k_store, k_update, k_exchanged };

} // namespace

Spot::Spot() noexcept : name(Execution::now != nullptr ? Execution::now->next_name() : 0) {}
Spot::Spot(std::uint64_t value) noexcept : Spot() { initial = value; }

std::memory_order Execution::order(core::Tag tag, std::memory_order needed) {
  tag_ = tag;
  is_tagged_ = true;
  if (mutation_.hits(tag, Mistake::relaxed)) return std::memory_order_relaxed;
  if (mutation_.hits(tag, Mistake::acq_rel) && needed == std::memory_order_seq_cst)
    return std::memory_order_acq_rel; // a load acquires and a store releases (memory.h)
  return needed;
}

std::uint32_t Execution::locate(Spot& spot) {
  if (spot.generation == generation_) return spot.index;
  std::uint64_t name = spot.name;
  if (name == 0) {
    const auto* const at = reinterpret_cast<const std::byte*>(&spot);
    name = reinterpret_cast<std::uintptr_t>(at);
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      const std::byte* const begin = regions_[r].memory.get();
      if (begin != nullptr && at >= begin && at < begin + k_heap)
        name = std::uint64_t{r + 100} << 32 | static_cast<std::uint64_t>(at - begin);
    }
  }
  spot.index = memory_.add(name, spot.initial);
  spot.generation = generation_;
  return spot.index;
}

std::uint32_t Execution::choose_message(const std::vector<std::uint32_t>& options) {
  if (options.size() == 1 || stale_ >= bounds_.stale) return options[0];
  const unsigned chosen = choices_->choose(Choice::message, static_cast<unsigned>(options.size()), suspends_);
  stale_ += chosen != 0;
  return options[chosen];
}

void Execution::note(std::uint64_t operation, std::uint64_t name, std::uint64_t identity) {
  histories_[current_] = mix(histories_[current_], mix(operation ^ name << 3, identity));
}

void Execution::wrote() {
  for (std::uint32_t t = 0; t < program_.threads(); ++t) {
    if (t == current_) continue;
    news_[t] = true;
    if (states_[t] == State::waiting) states_[t] = State::ready;
  }
}

void Execution::tell_operation(const char* what, const Spot& spot, std::uint64_t old, std::uint64_t value,
                               std::memory_order order, bool is_write, bool is_old) {
  if (!told_) return;
  char line[200];
  char values[64];
  if (is_write)
    std::snprintf(values, sizeof values, "%#llx -> %#llx", static_cast<unsigned long long>(old),
                  static_cast<unsigned long long>(value));
  else
    std::snprintf(values, sizeof values, "%#llx", static_cast<unsigned long long>(old));
  const std::string_view tag = is_tagged_ ? name_of_tag(tag_) : "";
  std::snprintf(line, sizeof line, "%-14.*s %-16s #%-3u %s %s%s", static_cast<int>(tag.size()), tag.data(),
                what, spot.index - View::k_most_threads, values, name_of(order),
                is_old ? " (not the newest)" : "");
  tell(line);
}

std::uint64_t Execution::load(Spot& spot, std::memory_order order) {
  const core::Tag tag = tag_;
  const bool is_tagged = std::exchange(is_tagged_, false);
  if (is_quiet()) {
    if (spot.generation != generation_) return spot.initial;
    return memory_.location(spot.index).messages.back().value;
  }
  step();
  const std::uint32_t where = locate(spot);
  memory_.readable(current_, where, order == std::memory_order_seq_cst, options_);
  const std::uint32_t position = choose_message(options_);
  memory_.read(current_, where, position, order);
  const Memory::Location& location = memory_.location(where);
  note(k_load, location.name, location.messages[position].identity);
  const std::uint64_t value = location.messages[position].value;
  tag_ = tag;
  is_tagged_ = is_tagged;
  tell_operation("load", spot, value, 0, order, false, position + 1 != location.messages.size());
  is_tagged_ = false;
  return value;
}

void Execution::store(Spot& spot, std::uint64_t value, std::memory_order order) {
  const core::Tag tag = tag_;
  const bool is_tagged = std::exchange(is_tagged_, false);
  if (is_quiet()) {
    if (spot.generation != generation_)
      spot.initial = value;
    else
      memory_.write(0, spot.index, static_cast<std::uint32_t>(memory_.location(spot.index).messages.size()),
                    value, order, value);
    return;
  }
  step();
  const std::uint32_t where = locate(spot);
  memory_.writable(current_, where, order == std::memory_order_seq_cst, options_);
  const std::uint32_t position = choose_message(options_);
  const Memory::Location& location = memory_.location(where);
  note(k_store, location.name, location.messages[position - 1].identity);
  const std::uint64_t old = location.messages[position - 1].value;
  const bool is_old = position != location.messages.size();
  memory_.write(current_, where, position, value, order, histories_[current_]);
  wrote();
  tag_ = tag;
  is_tagged_ = is_tagged;
  tell_operation("store", spot, old, value, order, true, is_old);
  is_tagged_ = false;
}

std::uint64_t Execution::update(Spot& spot, std::memory_order order, Change change, std::uint64_t operand,
                                const char* what) {
  const core::Tag tag = tag_;
  const bool is_tagged = std::exchange(is_tagged_, false);
  if (is_quiet()) {
    const std::uint64_t old = load(spot, order);
    store(spot, change(old, operand), order);
    return old;
  }
  if (is_tagged && mutation_.hits(tag, Mistake::non_atomic)) {
    const std::uint64_t old = load(spot, order);
    tag_ = tag;
    is_tagged_ = true;
    store(spot, change(old, operand), order);
    return old;
  }
  step();
  const std::uint32_t where = locate(spot);
  memory_.readable(current_, where, order == std::memory_order_seq_cst, options_);
  extensible_.clear();
  for (const std::uint32_t position : options_)
    if (memory_.is_extensible(where, position)) extensible_.push_back(position);
  const std::uint32_t position = choose_message(extensible_);
  const Memory::Location& location = memory_.location(where);
  note(k_update, location.name, location.messages[position].identity);
  const std::uint64_t old = location.messages[position].value;
  const bool is_old = position + 1 != location.messages.size();
  const std::uint64_t value = change(old, operand);
  memory_.update(current_, where, position, value, order, histories_[current_]);
  wrote();
  tag_ = tag;
  is_tagged_ = is_tagged;
  tell_operation(what, spot, old, value, order, true, is_old);
  is_tagged_ = false;
  return old;
}

bool Execution::compare_exchange(Spot& spot, std::uint64_t& expected, std::uint64_t wanted,
                                 std::memory_order success, std::memory_order failure) {
  const core::Tag tag = tag_;
  const bool is_tagged = std::exchange(is_tagged_, false);
  if (is_quiet() || (is_tagged && mutation_.hits(tag, Mistake::non_atomic))) {
    tag_ = tag;
    is_tagged_ = is_tagged;
    const std::uint64_t old = load(spot, success);
    if (old != expected) {
      expected = old;
      return false;
    }
    tag_ = tag;
    is_tagged_ = is_tagged;
    store(spot, wanted, success);
    return true;
  }
  step();
  const std::uint32_t where = locate(spot);
  const Memory::Location& location = memory_.location(where);
  memory_.readable(current_, where, false, options_);
  extensible_.clear();
  for (const std::uint32_t position : options_) {
    const Message& message = location.messages[position];
    const bool equal = message.value == expected;
    const bool in_order = (equal ? success : failure) == std::memory_order_seq_cst;
    if (in_order && message.time < location.floor) continue;
    if (!equal || memory_.is_extensible(where, position)) extensible_.push_back(position);
  }
  const std::uint32_t position = choose_message(extensible_);
  const bool is_old = position + 1 != location.messages.size();
  const std::uint64_t old = location.messages[position].value;
  const std::uint64_t identity = location.messages[position].identity;
  tag_ = tag;
  if (old != expected) {
    memory_.read(current_, where, position, failure);
    note(k_load, location.name, identity);
    expected = old;
    is_tagged_ = is_tagged;
    tell_operation("failed exchange", spot, old, 0, failure, false, is_old);
    is_tagged_ = false;
    return false;
  }
  note(k_exchanged, location.name, identity);
  memory_.update(current_, where, position, wanted, success, histories_[current_]);
  wrote();
  is_tagged_ = is_tagged;
  tell_operation("compare_exchange", spot, old, wanted, success, true, is_old);
  is_tagged_ = false;
  return true;
}

} // namespace wstree::model
