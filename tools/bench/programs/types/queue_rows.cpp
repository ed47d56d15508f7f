// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// oneTBB's own deque cannot be used apart from its scheduler. Its queues, which are for many producers and
/// many consumers, stand here for the queue that a program would take instead.
#include "rows.h"
#include "wstree/types/work_stealing_queue.h"
#include <deque>
#include <mutex>
#include <thread>

#if defined(WSTREE_BENCH_PEER_TBB)
#include <oneapi/tbb/concurrent_queue.h>
#endif

namespace bench {
namespace {

/// The interface that all queues are given.
template <class Queue> struct Ends {
  Queue queue;
  void push(std::uint64_t i) { queue.push(i); }
  std::uint64_t pop() { return *queue.pop(); }
  std::uint64_t steal() { return *queue.steal(); }
};
struct Locked {
  std::deque<std::uint64_t> queue;
  std::mutex mutex;
  void push(std::uint64_t i) {
    const std::lock_guard lock(mutex);
    queue.push_back(i);
  }
  std::uint64_t pop() {
    const std::lock_guard lock(mutex);
    const std::uint64_t i = queue.back();
    queue.pop_back();
    return i;
  }
  std::uint64_t steal() {
    const std::lock_guard lock(mutex);
    const std::uint64_t i = queue.front();
    queue.pop_front();
    return i;
  }
};
#if defined(WSTREE_BENCH_PEER_TBB)
template <class Queue> struct Fifo {
  Queue queue;
  void push(std::uint64_t i) { queue.push(i); }
  std::uint64_t pop() {
    std::uint64_t i = 0;
    queue.try_pop(i);
    return i;
  }
  std::uint64_t steal() { return pop(); }
};
#endif

/// Pushes and pops an element `count` times, with `below` elements under it.
template <class Queue> std::uint64_t push_and_pop(std::uint64_t count, std::uint64_t below) {
  Queue queue;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < below; ++i) queue.push(0);
  for (std::uint64_t i = 0; i < count; ++i) {
    queue.push(i);
    sum += queue.pop();
  }
  return sum;
}
/// Steals all elements out of another thread's caches, as the only thief at the queue.
template <class Queue> std::uint64_t steal_all(std::uint64_t count) {
  Queue queue;
  for (std::uint64_t i = 0; i < count; ++i) queue.push(i);
  std::uint64_t sum = 0;
  std::jthread([&] {
    for (std::uint64_t i = 0; i < count; ++i) sum += queue.steal();
  }).join();
  return sum;
}

template <class Queue> Row::Peer alone(const char* name, std::uint64_t count, std::uint64_t below) {
  return {name, [=] { return push_and_pop<Queue>(count, below); }};
}
template <class Queue> Row::Peer thief(const char* name, std::uint64_t count) {
  return {name, [=] { return steal_all<Queue>(count); }};
}
using LockFree = Ends<wstree::work_stealing_queue<std::uint64_t>>;
using OnContention = Ends<wstree::work_stealing_queue<std::uint64_t, wstree::queue_form::lock_on_contention>>;

} // namespace

void add_queue_rows(std::vector<Row>& rows, double scale) {
  const auto count = static_cast<std::uint64_t>(1e7 * scale) + 1,
             steals = static_cast<std::uint64_t>(1e6 * scale) + 1;
  Row row{"push and pop", count, count * (count - 1) / 2, {}, 5, 0};
  row.peers = {alone<LockFree>("wstree", count, 8), alone<OnContention>("wstree_lock", count, 8),
               alone<Locked>("mutex", count, 8)};
  Row only{"push and pop, the only one", row.operations, row.expected, {}, 0, 0};
  only.peers = {alone<LockFree>("wstree", count, 0), alone<OnContention>("wstree_lock", count, 0),
                alone<Locked>("mutex", count, 0)};
  Row steal{"steal", steals, steals * (steals - 1) / 2, {}, 100, 0};
  steal.peers = {thief<LockFree>("wstree", steals), thief<OnContention>("wstree_lock", steals),
                 thief<Locked>("mutex", steals)};
#if defined(WSTREE_BENCH_PEER_TBB)
  only.peers.push_back(alone<Fifo<tbb::concurrent_queue<std::uint64_t>>>("tbb_queue", count, 0));
  only.peers.push_back(alone<Fifo<tbb::concurrent_bounded_queue<std::uint64_t>>>("tbb_bounded", count, 0));
  steal.peers.push_back(thief<Fifo<tbb::concurrent_queue<std::uint64_t>>>("tbb_queue", steals));
  steal.peers.push_back(thief<Fifo<tbb::concurrent_bounded_queue<std::uint64_t>>>("tbb_bounded", steals));
#endif
  for (Row* made : {&row, &only, &steal}) rows.push_back(std::move(*made));
}

} // namespace bench
