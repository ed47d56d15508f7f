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

template <queue_form form> void add_public_queue(std::vector<Scenario>& scenarios, const std::string& name) {
  using Queue = PublicQueue<form, 2>;
  using Queue4 = PublicQueue<form, 4>;
  const Bounds usual{.preemptions = 3, .stale = 2};
  const Bounds narrow{.preemptions = 2, .stale = 1};
  scenarios.push_back({name + "_two_items", usual, queue<Queue4>({.owner = "++--", .steals = 2}), 20'000});
  scenarios.push_back(
      {name + "_two_thieves", narrow, queue<Queue4>({.owner = "++-+--", .thieves = 2, .steals = 2}), 20'000});
  scenarios.push_back(
      {name + "_refilled_slot", usual, queue<Queue4>({.owner = "+-+-+-", .steals = 2}), 20'000});
  scenarios.push_back({name + "_growth_two_thieves", narrow,
                       queue<Queue>({.owner = "++++-", .thieves = 2, .steals = 2}), 20'000});
  scenarios.push_back({name + "_wraps_around", narrow,
                       queue<Queue>({.owner = "++-++-++", .steals = 3, .patient = true}), 20'000});
  scenarios.push_back({name + "_growth_long",
                       {.preemptions = 4, .stale = 2},
                       queue<Queue>({.owner = "++++--+-", .steals = 3}),
                       1'000'000,
                       true});
}

template <class Made, class Plan> std::function<std::unique_ptr<Program>()> pool(Plan plan) {
  return [plan] { return std::make_unique<Made>(plan); };
}

void add_pool(std::vector<Scenario>& scenarios) {
  const Bounds usual{.preemptions = 3, .stale = 2};
  const Bounds narrow{.preemptions = 2, .stale = 1};
  const auto add = [&](const char* name, const Bounds& bounds, auto make) {
    scenarios.push_back({name, bounds, make, 2000});
  };
  add("sleep_1", usual, pool<SleepProgram>(SleepPlan{1, 1}));
  add("sleep_2", {.preemptions = 3, .stale = 1}, pool<SleepProgram>(SleepPlan{1, 2}));
  add("sleep_2x2", {.preemptions = 2, .stale = 0}, pool<SleepProgram>(SleepPlan{2, 2}));
  const Bounds brief{.preemptions = 1, .stale = 2};
  add("sleep_2x2_handed_on", brief, pool<SleepProgram>(SleepPlan{2, 2, true, true}));
  add("sleep_2x2_cancelled", brief, pool<SleepProgram>(SleepPlan{2, 2, true}));
  add("bundle", usual, [] { return std::make_unique<BundleProgram>(); });
  add("group_1", usual, pool<GroupProgram>(GroupPlan{1, 2, false}));
  add("group_2", narrow, pool<GroupProgram>(GroupPlan{2, 3, false}));
  add("group_outside", usual, pool<GroupProgram>(GroupPlan{1, 2, true}));
  add("outside_1", usual, pool<OutsideProgram>(OutsidePlan{1, 1}));
  add("outside_1x2", usual, pool<OutsideProgram>(OutsidePlan{1, 2}));
  add("outside_1x3", {.preemptions = 2, .stale = 0}, pool<OutsideProgram>(OutsidePlan{1, 3}));
  add("outside_2x2", {.preemptions = 2, .stale = 0}, pool<OutsideProgram>(OutsidePlan{2, 2}));
  scenarios.push_back(
      {"sleep_2x2_long", {.preemptions = 3, .stale = 2}, pool<SleepProgram>(SleepPlan{2, 2}), 200'000, true});
  scenarios.push_back({"sleep_2x2_handed_on_long",
                       {.preemptions = 2, .stale = 3},
                       pool<SleepProgram>(SleepPlan{2, 2, true, true}),
                       200'000,
                       true});
  scenarios.push_back({"sleep_2x2_cancelled_long",
                       {.preemptions = 2, .stale = 3},
                       pool<SleepProgram>(SleepPlan{2, 2, true}),
                       200'000,
                       true});

  scenarios.push_back({"group_2_long",
                       {.preemptions = 3, .stale = 2},
                       pool<GroupProgram>(GroupPlan{2, 3, false}),
                       200'000,
                       true});
}

void add_shared_loops(std::vector<Scenario>& scenarios) {
  const Bounds usual{.preemptions = 3, .stale = 2};
  const Bounds narrow{.preemptions = 2, .stale = 1};
  const auto add = [&](const char* name, const Bounds& bounds, const SharedPlan& plan, bool is_long = false) {
    scenarios.push_back({name, bounds, shared_loop(plan), is_long ? 200'000U : 2'000U, is_long});
  };
  add("shared_2x3", {.preemptions = 3, .stale = 0}, {.iterations = 3, .takes = {k_all, k_all}});
  add("shared_2x4_never_come", narrow, {.iterations = 4, .takes = {k_all, k_all}, .members = 4});
  add("shared_3x3", narrow, {.iterations = 3, .takes = {k_all, k_all, k_all}});
  add("shared_2x4_suspended", {.preemptions = 1, .stale = 1, .suspensions = 1},
      {.iterations = 4, .takes = {k_all, k_all}});
  add("shared_leave_2x3", narrow, {.iterations = 3, .takes = {1, k_all}});
  add("shared_leave_3x3", narrow, {.iterations = 3, .takes = {1, k_all, k_all}});
  add("shared_all_leave", narrow, {.iterations = 5, .takes = {1, 2}});
  add("shared_ascending_2x4", usual, {.iterations = 4, .takes = {k_all, k_all}, .is_ascending = true});
  add("shared_ascending_leave_2x5", narrow, {.iterations = 5, .takes = {1, 1}, .is_ascending = true});
  add("shared_stop_2x4", narrow, {.iterations = 4, .takes = {1, k_all}, .stops = true});
  add("shared_2x3_long", {.preemptions = 3, .stale = 2}, {.iterations = 3, .takes = {k_all, k_all}}, true);
  add("shared_3x4_long", {.preemptions = 2, .stale = 2}, {.iterations = 4, .takes = {k_all, k_all, k_all}},
      true);
}

} // namespace

std::vector<Scenario> types_scenarios() {
  std::vector<Scenario> scenarios;
  add_public_queue<queue_form::lock_free>(scenarios, "deque");
  add_public_queue<queue_form::lock_on_contention>(scenarios, "deque_lock");
  add_pool(scenarios);
  add_shared_loops(scenarios);
  return scenarios;
}

} // namespace wstree::model
