// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public types: the queue as programs have it, with elements that are in boxes, and what a pool adds.
#include "pool_program.h"
#include "queue_program.h"
#include "scenario.h"
#include "shared_loop_program.h"

#include "wstree/types/work_stealing_queue.h"

namespace wstree::model {
namespace {

/// An element whose content is plain data: the thread that gets it has to know that it was written.
struct Token {
  explicit Token(std::uint64_t of) : number(of) {}
  Token(Token&& other) noexcept : number(other.number.read()) {}
  Cell<std::uint64_t> number;
};

/// The public queue as QueueProgram knows queues.
template <queue_form Form, std::size_t k_initial> class PublicQueue {
public:
  void reset(std::uint64_t) {}
  bool is_of(std::uint64_t) const { return true; }
  bool push(std::uint64_t item) {
    queue_.emplace(item);
    return true;
  }
  bool pop(std::uint64_t& item) { return read(queue_.pop(), item); }
  core::Theft steal(std::uint64_t& item, bool patient) {
    return read(patient ? queue_.steal() : queue_.try_steal(), item) ? core::Theft::taken
                                                                     : core::Theft::empty;
  }
  template <class Visit> void each(Visit&& visit) {
    for (std::uint64_t item = 0; pop(item);) visit(item);
  }

private:
  static bool read(std::optional<Token> token, std::uint64_t& item) {
    if (token) item = token->number.read();
    return token.has_value();
  }

  detail::BasicWorkStealingQueue<ModelPlatform, Token, Form, k_initial> queue_;
};

template <queue_form form> void add_public_queue(ScenarioList& list, const std::string& name) {
  using Queue = PublicQueue<form, 2>;
  using Queue4 = PublicQueue<form, 4>;
  list.add(name + "_two_items", within(3, 2), queue<Queue4>({.owner = "++--", .steals = 2}));
  list.add(name + "_two_thieves", within(2, 1),
           queue<Queue4>({.owner = "++-+--", .thieves = 2, .steals = 2}));
  list.add(name + "_refilled_slot", within(3, 2), queue<Queue4>({.owner = "+-+-+-", .steals = 2}));
  list.add(name + "_growth_two_thieves", within(2, 1),
           queue<Queue>({.owner = "++++-", .thieves = 2, .steals = 2}));
  list.add(name + "_wraps_around", within(2, 1),
           queue<Queue>({.owner = "++-++-++", .steals = 3, .patient = true}));
  list.add(name + "_growth_long", within(4, 2), queue<Queue>({.owner = "++++--+-", .steals = 3}));
}

template <class Made, class... Plan> std::function<std::unique_ptr<Program>()> pool(Plan... plan) {
  return [plan...] { return std::make_unique<Made>(plan...); };
}

void add_pool(ScenarioList& list) {
  const auto sleep = [&](const char* name, const Bounds& bounds, const SleepPlan& plan) {
    list.add(std::string("sleep_") + name, bounds, pool<SleepProgram>(plan));
  };
  const auto group = [&](const char* name, const Bounds& bounds, const GroupPlan& plan) {
    list.add(std::string("group_") + name, bounds, pool<GroupProgram>(plan));
  };
  const auto outside = [&](const char* name, const Bounds& bounds, const OutsidePlan& plan) {
    list.add(std::string("outside_") + name, bounds, pool<OutsideProgram>(plan));
  };
  sleep("1", within(3, 2), {1, 1});
  sleep("2", within(3, 1), {1, 2});
  sleep("2x2", within(2, 0), {2, 2});
  sleep("2x2_handed_on", within(1, 2), {2, 2, true, true});
  sleep("2x2_cancelled", within(1, 2), {2, 2, true});
  list.add("bundle", within(3, 2), pool<BundleProgram>());
  group("1", within(3, 2), {1, 2, false});
  group("2", within(2, 1), {2, 3, false});
  group("outside", within(3, 2), {1, 2, true});
  outside("1", within(3, 2), {1, 1});
  outside("1x2", within(3, 2), {1, 2});
  outside("1x3", within(2, 0), {1, 3});
  outside("2x2", within(2, 0), {2, 2});
  sleep("2x2_long", within(3, 2), {2, 2});
  sleep("2x2_handed_on_long", within(2, 3), {2, 2, true, true});
  sleep("2x2_cancelled_long", within(2, 3), {2, 2, true});
  group("2_long", within(3, 2), {2, 3, false});
}

void add_shared_loops(ScenarioList& list) {
  const auto add = [&](const char* name, const Bounds& bounds, const SharedPlan& plan) {
    list.add(std::string("shared_") + name, bounds, shared_loop(plan));
  };
  add("2x3", within(3, 0), {.iterations = 3, .takes = {k_all, k_all}});
  add("2x4_never_come", within(2, 1), {.iterations = 4, .takes = {k_all, k_all}, .members = 4});
  add("3x3", within(2, 1), {.iterations = 3, .takes = {k_all, k_all, k_all}});
  add("2x4_suspended", within(1, 1, 1), {.iterations = 4, .takes = {k_all, k_all}});
  add("leave_2x3", within(2, 1), {.iterations = 3, .takes = {1, k_all}});
  add("leave_3x3", within(2, 1), {.iterations = 3, .takes = {1, k_all, k_all}});
  add("all_leave", within(2, 1), {.iterations = 5, .takes = {1, 2}});
  add("ascending_2x4", within(3, 2), {.iterations = 4, .takes = {k_all, k_all}, .is_ascending = true});
  add("ascending_leave_2x5", within(2, 1), {.iterations = 5, .takes = {1, 1}, .is_ascending = true});
  add("stop_2x4", within(2, 1), {.iterations = 4, .takes = {1, k_all}, .stops = true});
  add("2x3_long", within(3, 2), {.iterations = 3, .takes = {k_all, k_all}});
  add("3x4_long", within(2, 2), {.iterations = 4, .takes = {k_all, k_all, k_all}});
}

} // namespace

std::vector<Scenario> types_scenarios() {
  ScenarioList list(2000);
  add_public_queue<queue_form::lock_free>(list, "deque");
  add_public_queue<queue_form::lock_on_contention>(list, "deque_lock");
  add_pool(list);
  add_shared_loops(list);
  return std::move(list).all();
}

} // namespace wstree::model
