// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One execution of a program under the model checker: threads as fibers, one operation at a time.
#pragma once

#include "choices.h"
#include "fiber.h"
#include "memory.h"
#include "mutation.h"
#include "visited.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace wstree::model {

/// What is explored. Without surprises a thread runs until it has to wait, and reads what is newest; each
/// surprise costs one of its kind.
struct Bounds {
  static constexpr std::uint32_t k_unbounded = ~0U;

  std::uint32_t preemptions = 2; ///< at most 7, or k_unbounded
  std::uint32_t stale = 1;       ///< loads of what is not newest, stores before others; likewise
  /// Threads that stop for ever before any of their operations; at most 1. When the others are done or wait
  /// for it, the program is asked what it thinks of that, and the thread goes on.
  std::uint32_t suspensions = 0;
  std::uint32_t spurious = 1; ///< weak compare-and-swaps that fail without a reason
  std::uint32_t steps = 3000; ///< more than that without an end: a livelock
  /// Threads wait by writing to what others wait for, so that two of them can keep a third one from ever
  /// being chosen: an execution of so many steps is cut short.
  /// That there is no livelock has to be shown elsewhere.
  bool polls = false;
  /// Steps of a thread while none gets anywhere, for programs whose threads say when: Execution::succeed().
  std::uint32_t patience = k_unbounded;
};

/// What is checked. Bodies run in fibers that may never be resumed:
/// what owns memory belongs into the program.
class Program {
public:
  virtual ~Program() = default;
  virtual std::uint32_t threads() const = 0;
  /// Makes everything as it was before the first execution.
  virtual void reset() = 0;
  virtual void body(std::uint32_t thread) = 0;
  /// A thread has written something: atomics have their newest values.
  virtual void after_step() {}
  /// All threads have ended.
  virtual void finish() {}
  /// All others have ended, or wait for `suspended` at a barrier.
  virtual void without(std::uint32_t suspended) { static_cast<void>(suspended); }
};

/// The part of an Atomic that does not depend on its type.
struct Spot {
  Spot() noexcept;
  explicit Spot(std::uint64_t value) noexcept;
  std::uint64_t initial = 0;
  std::uint64_t name = 0; ///< 0: zeroed memory that no constructor has seen
  std::uint32_t index = 0;
  std::uint32_t generation = 0; ///< of `index`
};

class Execution {
public:
  enum class End : std::uint8_t { complete, cut_short, failed };
  using Change = std::uint64_t (*)(std::uint64_t old, std::uint64_t operand);

  static inline Execution* now = nullptr; ///< nullptr: atomics are plain memory

  Execution(Program& program, const Bounds& bounds, const Mutation& mutation)
      : program_(program), bounds_(bounds), mutation_(mutation) {}

  /// `visited` may be null. `told`: keep the story.
  End run(Choices& choices, Visited* visited, bool told = false);

  const std::string& failure() const { return failure_; }
  const std::vector<std::string>& story() const { return story_; }
  std::uint32_t steps() const { return steps_; }
  /// Most steps that a thread has taken while none got anywhere.
  std::uint32_t longest_wait() const { return longest_wait_; }
  const OrderLog& orders() const { return orders_; }
  /// Whether Program::after_step() is called.
  bool checks_steps = true;

  // For the platform and for programs.

  std::uint64_t load(Spot& spot, std::memory_order order);
  void store(Spot& spot, std::uint64_t value, std::memory_order order);
  std::uint64_t update(Spot& spot, std::memory_order order, Change change, std::uint64_t operand,
                       const char* what);
  bool compare_exchange(Spot& spot, std::uint64_t& expected, std::uint64_t wanted, std::memory_order success,
                        std::memory_order failure, bool is_weak);
  void fence(std::memory_order order);
  /// Accesses to plain data: a race is a failure, and so is what was written for another use.
  void check_read(std::uint32_t& index, std::uint32_t& generation);
  void check_write(std::uint32_t& index, std::uint32_t& generation);
  /// The next operation has this tag.
  std::memory_order order(core::Tag tag, std::memory_order needed) {
    tag_ = tag;
    is_tagged_ = true;
    return needed;
  }
  /// Inside of a loop that waits: the thread is not chosen again until another one has written something, or
  /// no other thread can go on.
  void wait();
  /// The running thread got ahead: was handed something, or has left.
  void succeed() { waits_.fill(0); }
  /// The running thread works for `use` of what it shares: plain data of another use is not for it.
  void works_for(std::uint64_t use) { uses_[current_] = use; }
  std::uint64_t use() const { return uses_[current_]; }
  std::uint64_t ticks() { return ++clocks_[current_] * 100; }
  void* allocate(std::size_t bytes);
  std::uint64_t next_name();
  /// All threads meet, and know afterwards what any of them knew. `checked` is run by the last to arrive.
  template <class Checked> void meet(Checked&& checked) {
    if (++arrived_ == program_.threads()) quietly(checked);
    pass_barrier();
  }
  /// Runs `action` in one step, reading what is newest.
  template <class Action> void quietly(Action&& action) {
    const bool before = std::exchange(quiet_, true);
    action();
    quiet_ = before;
  }
  [[noreturn]] void stop_here(); ///< only in a fiber
  void fail(const std::string& why);
  /// A line of the story.
  void tell(const std::string& line);
  bool is_told() const { return told_; }
  bool is_quiet() const { return quiet_ || !in_fiber_; }
  std::uint32_t current() const { return current_; }
  Memory& memory() { return memory_; }
  std::uint64_t clock() { return memory_.view(current_)[current_]; }
  bool allocation_fails = false;

private:
  enum class State : std::uint8_t { ready, waiting, at_barrier, suspended, ended };
  static constexpr std::uint32_t k_no_thread = View::k_most_threads;
  static constexpr std::size_t k_heap = 1 << 20; // of each thread
  struct Region {
    std::unique_ptr<std::byte[]> memory;
    std::size_t used;
  };

  void start_threads();
  void run_threads();
  /// No thread is ready: returns one that can go on nevertheless, if there is one.
  std::uint32_t next_when_no_thread_is_ready();
  void release_barrier();
  void pass_barrier();

  /// The threads that have accessed a Cell, by their clocks; 0: not in this execution.
  struct Accesses {
    std::uint32_t writer = 0;
    Time written = 0;
    std::uint64_t use = 0;
    std::array<Time, View::k_most_threads> read{};
  };
  Accesses& accesses(std::uint32_t& index, std::uint32_t& generation);
  void race(std::uint32_t other);

  /// The tag of the operation that begins; it has none unless order() was asked just before.
  struct Tagged {
    core::Tag tag;
    bool is_tagged;
  };
  Tagged take_tag() { return {tag_, std::exchange(is_tagged_, false)}; }
  std::memory_order weakened(Tagged tagged, Use use, std::memory_order order);
  bool is_split(Tagged tagged) const {
    return tagged.is_tagged && mutation_.hits(tagged.tag, Mistake::non_atomic);
  }
  bool split_exchange(Spot& spot, std::uint64_t& expected, std::uint64_t wanted, std::memory_order success,
                      Tagged tagged);
  std::uint64_t load(Spot& spot, std::memory_order order, Tagged tagged);
  void store(Spot& spot, std::uint64_t value, std::memory_order order, Tagged tagged);
  void find_exchangeable(std::uint32_t where, std::uint64_t expected, std::memory_order success,
                         std::memory_order failure);
  bool is_refused_for_nothing();
  void count_step();
  void check_step();

  /// Before an operation of the running thread: others may come first.
  void step();
  void choose_thread();
  void switch_to(std::uint32_t thread);
  void give_way();
  bool has_been_here(std::uint64_t point);
  std::uint64_t hash() const;

  std::uint32_t locate(Spot& spot);
  std::uint32_t choose_message(const std::vector<std::uint32_t>& options);
  void note(std::uint64_t operation, std::uint64_t name, std::uint64_t identity);
  void wrote();
  void tell_operation(Tagged tagged, const char* what, const Spot& spot, std::uint64_t old,
                      std::uint64_t value, std::memory_order order, bool is_write, bool is_old);

  Program& program_;
  Bounds bounds_;
  Mutation mutation_;
  Choices* choices_ = nullptr;
  Visited* visited_ = nullptr;
  Memory memory_;
  std::array<Fiber, View::k_most_threads> fibers_;
  std::array<State, View::k_most_threads> states_{};
  std::array<std::uint64_t, View::k_most_threads> histories_{};
  std::array<std::uint64_t, View::k_most_threads + 1> clocks_{};
  std::array<bool, View::k_most_threads> news_{}; // another thread has written since the last wait()
  std::array<std::uint64_t, View::k_most_threads + 1> names_{};
  /// Kept by the process: a program that outlives an Execution still ends the objects that lie here.
  static inline std::array<Region, View::k_most_threads + 1> regions_;
  std::array<std::uint32_t, View::k_most_threads> waits_{}; // steps since a thread got ahead
  std::array<std::uint64_t, View::k_most_threads + 1> uses_{};
  std::vector<Accesses> accesses_;
  OrderLog orders_;
  std::vector<std::uint32_t> options_;
  std::vector<std::uint32_t> extensible_;
  std::vector<std::uint32_t> in_order_;
  std::vector<std::uint8_t> candidates_;
  std::vector<std::uint8_t> suspends_;
  std::string failure_;
  std::vector<std::string> story_;
  core::Tag tag_{};
  std::uint32_t current_ = k_no_thread;
  std::uint32_t chosen_ = k_no_thread;
  std::uint32_t steps_ = 0;
  std::uint32_t preempted_ = 0;
  std::uint32_t stale_ = 0;
  std::uint32_t suspended_ = 0;
  std::uint32_t spurious_ = 0;
  std::uint32_t longest_wait_ = 0;
  std::uint32_t arrived_ = 0;
  /// Counted by the process: a Spot that a program keeps is new to the next Execution. Goes round after 2^32
  /// executions, which is harmless: a program touches its Spots more often.
  static inline std::uint32_t generation_ = 0;
  bool in_fiber_ = false;
  bool quiet_ = false;
  bool told_ = false;
  bool failed_ = false;
  bool cut_short_ = false;
  bool is_tagged_ = false;
};

} // namespace wstree::model
