// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "execution.h"

#include <algorithm>
#include <cstring>

namespace wstree::model {

Execution::End Execution::run(Choices& choices, Visited* visited, bool told) {
  choices_ = &choices;
  visited_ = visited;
  told_ = told;
  choices.begin();
  memory_.reset();
  ++generation_;
  states_.fill(State::ended);
  histories_.fill(0);
  clocks_.fill(0);
  waits_.fill(0);
  uses_.fill(0);
  accesses_.clear();
  news_.fill(true);
  names_.fill(1);
  for (Region& region : regions_) region.used = 0;
  story_.clear();
  failure_.clear();
  steps_ = preempted_ = stale_ = suspended_ = spurious_ = arrived_ = longest_wait_ = 0;
  in_fiber_ = quiet_ = failed_ = cut_short_ = is_tagged_ = false;
  current_ = k_no_thread;
  now = this;
  program_.reset();
  start_threads();
  run_threads();
  if (!failed_ && !cut_short_) program_.finish();
  now = nullptr;
  return failed_ ? End::failed : cut_short_ ? End::cut_short : End::complete;
}

void Execution::start_threads() {
  for (std::uint32_t t = 0; t < program_.threads(); ++t) {
    states_[t] = State::ready;
    fibers_[t].start([this, t] {
      program_.body(t);
      states_[t] = State::ended;
      tell("ends");
      give_way();
    });
  }
}

void Execution::run_threads() {
  give_way();
  while (chosen_ != k_no_thread && !failed_ && !cut_short_) {
    current_ = chosen_;
    in_fiber_ = true;
    fibers_[current_].resume();
    in_fiber_ = false;
  }
}

/// The running thread cannot go on: chooses another one.
void Execution::give_way() {
  candidates_.clear();
  suspends_.clear();
  for (std::uint32_t t = 0; t < program_.threads(); ++t)
    if (states_[t] == State::ready) {
      candidates_.push_back(static_cast<std::uint8_t>(t));
      suspends_.push_back(0);
    }
  choose_thread();
}

void Execution::count_step() {
  if (bounds_.polls && steps_ == bounds_.steps) {
    cut_short_ = true;
    stop_here();
  }
  if (++steps_ > bounds_.steps) fail("no end after " + std::to_string(bounds_.steps) + " steps");
  longest_wait_ = std::max(longest_wait_, ++waits_[current_]);
  if (waits_[current_] > bounds_.patience)
    fail("no thread got anywhere while one thread took " + std::to_string(bounds_.patience) + " steps");
}

void Execution::step() {
  count_step();
  candidates_.assign(1, static_cast<std::uint8_t>(current_));
  suspends_.assign(1, 0);
  const bool may_preempt = preempted_ < bounds_.preemptions;
  const bool may_suspend = suspended_ < bounds_.suspensions;
  bool others_ready = false;
  bool others_live = false;
  for (std::uint32_t t = 0; t < program_.threads(); ++t) {
    if (t == current_) continue;
    others_live |= states_[t] != State::ended;
    if (states_[t] != State::ready) continue;
    others_ready = true;
    if (may_preempt) {
      candidates_.push_back(static_cast<std::uint8_t>(t));
      suspends_.push_back(0);
    }
    if (may_suspend) {
      candidates_.push_back(static_cast<std::uint8_t>(t));
      suspends_.push_back(1);
    }
  }
  if (may_suspend && others_live && !others_ready) {
    candidates_.push_back(static_cast<std::uint8_t>(current_));
    suspends_.push_back(1);
  }
  choose_thread();
  if (cut_short_) stop_here();
  if (bounds_.preemptions != Bounds::k_unbounded)
    preempted_ += chosen_ != current_ && states_[current_] == State::ready;
  if (chosen_ != current_) switch_to(chosen_);
  memory_.view(current_).raise(current_, clock() + 1);
}

void Execution::choose_thread() {
  chosen_ = k_no_thread;
  if (candidates_.empty()) {
    chosen_ = next_when_no_thread_is_ready();
    return;
  }
  unsigned choice = 0;
  if (candidates_.size() > 1) {
    if (has_been_here(0)) {
      cut_short_ = true;
      return;
    }
    choice = choices_->choose(Choice::thread, static_cast<unsigned>(candidates_.size()), candidates_);
  }
  chosen_ = candidates_[choice];
  if (suspends_[choice] != 0) {
    ++suspended_;
    states_[current_] = State::suspended;
    tell("is suspended");
    if (chosen_ == current_) chosen_ = next_when_no_thread_is_ready();
  }
}

bool Execution::has_been_here(std::uint64_t point) {
  return visited_ != nullptr && choices_->on_new_ground() &&
         visited_->add(mix(hash(), point) | 1, preempted_, stale_);
}

std::uint64_t Execution::hash() const {
  std::uint64_t sum = memory_.hash();
  for (std::uint32_t t = 0; t < program_.threads(); ++t)
    sum += mix(t + 1, mix(histories_[t], static_cast<std::uint64_t>(states_[t]) << 1 | (news_[t] ? 1U : 0U)));
  return mix(sum, current_ | suspended_ << 8 | spurious_ << 16);
}

std::uint32_t Execution::next_when_no_thread_is_ready() {
  const std::uint32_t count = program_.threads();
  for (std::uint32_t i = 1; i <= count; ++i) {
    const std::uint32_t t = current_ == k_no_thread ? i - 1 : (current_ + i) % count;
    if (states_[t] != State::waiting) continue;
    states_[t] = State::ready;
    return t;
  }
  bool stuck = false;
  for (std::uint32_t t = 0; t < count; ++t) {
    stuck |= states_[t] == State::at_barrier;
    if (states_[t] != State::suspended) continue;
    quietly([&] { program_.without(t); });
    states_[t] = State::ready;
    if (told_)
      story_.push_back("the others have done what they can; thread " + std::to_string(t) + " goes on");
    return t;
  }
  if (stuck) fail("some threads wait at a barrier for others that have ended");
  return k_no_thread;
}

void Execution::switch_to(std::uint32_t thread) {
  const std::uint32_t me = current_;
  chosen_ = thread;
  fibers_[me].stop();
}

void Execution::stop_here() {
  while (true) {
    chosen_ = k_no_thread;
    fibers_[current_].stop();
  }
}

void Execution::fail(const std::string& why) {
  if (!failed_) {
    failed_ = true;
    failure_ = why;
    if (told_) story_.push_back("FAILED: " + why);
  }
  if (in_fiber_) stop_here();
}

void Execution::wait() {
  if (is_quiet()) return;
  note(1, 0, 0);
  count_step();
  if (std::exchange(news_[current_], false)) return;
  states_[current_] = State::waiting;
  give_way();
  if (cut_short_) stop_here();
  if (chosen_ != current_) switch_to(chosen_);
  news_[current_] = false;
}

void Execution::pass_barrier() {
  if (arrived_ != program_.threads()) {
    states_[current_] = State::at_barrier;
    tell("waits at the barrier");
  } else {
    release_barrier();
  }
  give_way();
  if (cut_short_) stop_here();
  if (chosen_ != current_) switch_to(chosen_);
}

void Execution::release_barrier() {
  tell("opens the barrier");
  arrived_ = 0;
  View all;
  std::uint64_t sum = 0;
  for (std::uint32_t t = 0; t < program_.threads(); ++t) {
    all.join(memory_.view(t));
    sum += mix(t, histories_[t]);
  }
  for (std::uint32_t t = 0; t < program_.threads(); ++t) {
    memory_.view(t) = all;
    histories_[t] = mix(histories_[t], sum);
    states_[t] = State::ready;
  }
}

void* Execution::allocate(std::size_t bytes) {
  if (allocation_fails) return nullptr;
  Region& region = regions_[in_fiber_ ? current_ : k_no_thread];
  if (region.memory == nullptr) region.memory.reset(new (std::align_val_t{128}) std::byte[k_heap]);
  const std::size_t size = (bytes + 127) / 128 * 128;
  if (region.used + size > k_heap) return nullptr;
  std::byte* const memory = region.memory.get() + region.used;
  region.used += size;
  std::memset(memory, 0, size);
  return memory;
}

std::uint64_t Execution::next_name() {
  const std::uint32_t maker = in_fiber_ ? current_ : k_no_thread;
  return std::uint64_t{maker + 1} << 32 | names_[maker]++;
}

void Execution::tell(const std::string& line) {
  if (told_) story_.push_back("thread " + std::to_string(current_) + " " + line);
}

} // namespace wstree::model
