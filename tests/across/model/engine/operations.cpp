// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores and read-modify-writes of an execution.
#include "execution.h"
#include "tags.h"

#include <cstdio>

namespace wstree::model {
Spot::Spot() noexcept : name(Execution::now != nullptr ? Execution::now->next_name() : 0) {}
Spot::Spot(std::uint64_t value) noexcept : Spot() { initial = value; }

std::memory_order Execution::weakened(Tagged tagged, Use use, std::memory_order order) {
  if (!tagged.is_tagged) return order;
  orders_.add(tagged.tag, use, order);
  return mutation_.weakened(tagged.tag, use, order);
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
  const bool is_bounded = bounds_.stale != Bounds::k_unbounded;
  if (options.size() == 1 || (is_bounded && stale_ >= bounds_.stale)) return options[0];
  if (has_been_here(1)) {
    cut_short_ = true;
    stop_here();
  }
  const unsigned chosen = choices_->choose(Choice::message, static_cast<unsigned>(options.size()), suspends_);
  stale_ += is_bounded && chosen != 0;
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

void Execution::check_step() {
  if (checks_steps) quietly([this] { program_.after_step(); });
}

void Execution::tell_operation(Tagged tagged, const char* what, const Spot& spot, std::uint64_t old,
                               std::uint64_t value, std::memory_order order, bool is_write, bool is_old) {
  if (!told_) return;
  char line[200];
  char values[64];
  if (is_write)
    std::snprintf(values, sizeof values, "%#llx -> %#llx", static_cast<unsigned long long>(old),
                  static_cast<unsigned long long>(value));
  else
    std::snprintf(values, sizeof values, "%#llx", static_cast<unsigned long long>(old));
  const std::string_view tag = tagged.is_tagged ? name_of_tag(tagged.tag) : "";
  std::snprintf(line, sizeof line, "%-14.*s %-16s #%-3u %s %s%s", static_cast<int>(tag.size()), tag.data(),
                what, spot.index - View::k_most_threads, values, name_of(order),
                is_old ? " (not the newest)" : "");
  tell(line);
}

std::uint64_t Execution::load(Spot& spot, std::memory_order order) {
  const Tagged tagged = take_tag();
  if (is_quiet()) {
    if (spot.generation != generation_) return spot.initial;
    return memory_.location(spot.index).messages.back().value;
  }
  return load(spot, weakened(tagged, Use::load, order), tagged);
}

std::uint64_t Execution::load(Spot& spot, std::memory_order order, Tagged tagged) {
  step();
  const std::uint32_t where = locate(spot);
  memory_.readable(current_, where, order == std::memory_order_seq_cst, options_);
  const std::uint32_t position = choose_message(options_);
  memory_.read(current_, where, position, order);
  const Memory::Location& location = memory_.location(where);
  const Message& message = location.messages[position];
  note(k_load, location.name, message.identity);
  tell_operation(tagged, "load", spot, message.value, 0, order, false,
                 position + 1 != location.messages.size());
  return message.value;
}

void Execution::store(Spot& spot, std::uint64_t value, std::memory_order order) {
  const Tagged tagged = take_tag();
  if (is_quiet()) {
    if (spot.generation != generation_)
      spot.initial = value;
    else
      memory_.write(0, spot.index, static_cast<std::uint32_t>(memory_.location(spot.index).messages.size()),
                    value, order, value);
    return;
  }
  store(spot, value, weakened(tagged, Use::store, order), tagged);
}

void Execution::store(Spot& spot, std::uint64_t value, std::memory_order order, Tagged tagged) {
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
  tell_operation(tagged, "store", spot, old, value, order, true, is_old);
  check_step();
}

std::uint64_t Execution::update(Spot& spot, std::memory_order order, Change change, std::uint64_t operand,
                                const char* what) {
  const Tagged tagged = take_tag();
  if (is_quiet()) {
    const std::uint64_t old = load(spot, order);
    store(spot, change(old, operand), order);
    return old;
  }
  order = weakened(tagged, Use::update, order);
  if (is_split(tagged)) {
    const std::uint64_t old = load(spot, order, tagged);
    store(spot, change(old, operand), order, tagged);
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
  tell_operation(tagged, what, spot, old, value, order, true, is_old);
  check_step();
  return old;
}

bool Execution::compare_exchange(Spot& spot, std::uint64_t& expected, std::uint64_t wanted,
                                 std::memory_order success, std::memory_order failure, bool is_weak) {
  const Tagged tagged = take_tag();
  if (is_quiet()) {
    const std::uint64_t old = load(spot, success);
    if (old == expected) store(spot, wanted, success);
    return std::exchange(expected, old) == old;
  }
  success = weakened(tagged, Use::success, success);
  failure = weakened(tagged, Use::failure, failure);
  if (is_split(tagged)) return split_exchange(spot, expected, wanted, success, tagged);
  step();
  const std::uint32_t where = locate(spot);
  find_exchangeable(where, expected, success, failure);
  const std::uint32_t position = choose_message(extensible_);
  const Memory::Location& location = memory_.location(where);
  const bool is_old = position + 1 != location.messages.size();
  const std::uint64_t old = location.messages[position].value;
  const std::uint64_t identity = location.messages[position].identity;
  const bool is_refused = is_weak && old == expected && is_refused_for_nothing();
  if (old != expected || is_refused) {
    memory_.read(current_, where, position, failure);
    note(is_refused ? k_refused : k_load, location.name, identity);
    expected = old;
    tell_operation(tagged, is_refused ? "refused exchange" : "failed exchange", spot, old, 0, failure, false,
                   is_old);
    return false;
  }
  note(k_exchanged, location.name, identity);
  memory_.update(current_, where, position, wanted, success, histories_[current_]);
  wrote();
  tell_operation(tagged, "compare_exchange", spot, old, wanted, success, true, is_old);
  check_step();
  return true;
}

/// The messages that a compare-and-swap may read, into extensible_: one that it will extend has to be free.
void Execution::find_exchangeable(std::uint32_t where, std::uint64_t expected, std::memory_order success,
                                  std::memory_order failure) {
  const Memory::Location& location = memory_.location(where);
  memory_.readable(current_, where, false, options_);
  in_order_ = options_;
  if (success == std::memory_order_seq_cst || failure == std::memory_order_seq_cst)
    memory_.readable(current_, where, true, in_order_);
  extensible_.clear();
  for (const std::uint32_t position : options_) {
    const bool equal = location.messages[position].value == expected;
    const bool in_order = (equal ? success : failure) == std::memory_order_seq_cst;
    if (in_order && position < in_order_.back()) continue;
    if (!equal || memory_.is_extensible(where, position)) extensible_.push_back(position);
  }
}

bool Execution::is_refused_for_nothing() {
  if (spurious_ >= bounds_.spurious) return false;
  const unsigned chosen = choices_->choose(Choice::failure, 2, suspends_);
  spurious_ += chosen;
  return chosen != 0;
}

/// The mistake Mistake::non_atomic.
bool Execution::split_exchange(Spot& spot, std::uint64_t& expected, std::uint64_t wanted,
                               std::memory_order success, Tagged tagged) {
  const std::uint64_t old = load(spot, success, tagged);
  if (old == expected) {
    store(spot, wanted, success, tagged);
    return true;
  }
  expected = old;
  return false;
}

void Execution::fence(std::memory_order order) {
  const Tagged tagged = take_tag();
  if (is_quiet()) return;
  order = weakened(tagged, Use::fence, order);
  if (order == std::memory_order_relaxed) return; // which is no fence
  step();
  note(k_fence, static_cast<std::uint64_t>(order), memory_.hash());
  memory_.fence(current_, order, histories_[current_]);
  if (!told_) return;
  const std::string_view tag = tagged.is_tagged ? name_of_tag(tagged.tag) : "";
  tell(std::string(tag) + " fence " + name_of(order));
}

Execution::Accesses& Execution::accesses(std::uint32_t& index, std::uint32_t& generation) {
  if (generation != generation_) {
    index = static_cast<std::uint32_t>(accesses_.size());
    generation = generation_;
    accesses_.emplace_back();
  }
  return accesses_[index];
}

void Execution::race(std::uint32_t other) {
  fail("a data race between threads " + std::to_string(other) + " and " + std::to_string(current_));
}

void Execution::check_read(std::uint32_t& index, std::uint32_t& generation) {
  Accesses& so_far = accesses(index, generation);
  View& view = memory_.view(current_);
  if (so_far.written > view[so_far.writer]) return race(so_far.writer);
  if (so_far.written != 0 && so_far.use != use())
    return fail("thread " + std::to_string(current_) + ", which works for use " + std::to_string(use()) +
                ", reads what was written for use " + std::to_string(so_far.use));
  view.raise(current_, view[current_] + 1); // after whatever was released before
  so_far.read[current_] = view[current_];
}

void Execution::check_write(std::uint32_t& index, std::uint32_t& generation) {
  Accesses& so_far = accesses(index, generation);
  View& view = memory_.view(current_);
  if (so_far.written > view[so_far.writer]) return race(so_far.writer);
  for (std::uint32_t t = 0; t < View::k_most_threads; ++t)
    if (view[t] < so_far.read[t]) return race(t);
  view.raise(current_, view[current_] + 1);
  so_far = {current_, view[current_], use(), {}};
}

} // namespace wstree::model
