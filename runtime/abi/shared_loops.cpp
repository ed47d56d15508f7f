// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of loop.h: a scheduler without threads. Needs nothing of the library, so that it is a static
// library of its own, too.
#include "export.h"

#include "wstree/loop.h"
#include "wstree/types/detail/shared_loop.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

using Shared = wstree::detail::SharedLoop<wstree::core::StdPlatform>;

constexpr unsigned k_most_members = (1U << 20) - 1;
constexpr unsigned long long k_most_iterations = (1ULL << 63) - 2;

} // namespace

struct alignas(Shared::Costs) wstree_costs {
  unsigned members;
  Shared::Costs* of_members() noexcept { return reinterpret_cast<Shared::Costs*>(this + 1); }
};
static_assert(sizeof(wstree_costs) <= sizeof(Shared::Costs) &&
              alignof(Shared::Costs) <= alignof(std::max_align_t)); // calloc() aligns for this

/// In front of the loop, on a line of its own.
struct alignas(Shared::k_alignment) wstree_loop {
  bool is_ours; // the memory
  Shared* shared() noexcept { return std::launder(reinterpret_cast<Shared*>(this + 1)); }
};

extern "C" {

WSTREE_EXPORT std::size_t wstree_loop_bytes(unsigned members) {
  return sizeof(wstree_loop) + Shared::bytes(members);
}

WSTREE_EXPORT wstree_loop* wstree_loop_open(unsigned long long n, unsigned members,
                                            const wstree_loop_options* options) {
  static constexpr wstree_loop_options k_usual{};
  const wstree_loop_options& wanted = options != nullptr ? *options : k_usual;
  if (members == 0 || members > k_most_members || n > k_most_iterations) return nullptr;
  if (wanted.costs != nullptr && wanted.costs->members < members) return nullptr;
  void* memory = wanted.memory;
  if (memory == nullptr)
    memory = std::aligned_alloc(Shared::k_alignment, wstree_loop_bytes(members));
  else if (reinterpret_cast<std::uintptr_t>(memory) % Shared::k_alignment != 0)
    return nullptr;
  if (memory == nullptr) return nullptr;
  auto* const loop = ::new (memory) wstree_loop{wanted.memory == nullptr};
  Shared::create(loop + 1, n, members, wanted.smallest != 0 ? wanted.smallest : 1, wanted.ascending != 0,
                 wanted.costs != nullptr ? wanted.costs->of_members() : nullptr);
  return loop;
}

WSTREE_EXPORT int wstree_loop_next(wstree_loop* loop, unsigned member, unsigned long long* begin,
                                   unsigned long long* end) {
  std::uint64_t first = 0, past = 0;
  if (!loop->shared()->next(member, first, past)) return 0;
  *begin = first;
  *end = past;
  return 1;
}

WSTREE_EXPORT void wstree_loop_leave(wstree_loop* loop, unsigned member, unsigned long long from) {
  loop->shared()->leave(member, from);
}

WSTREE_EXPORT void wstree_loop_stop(wstree_loop* loop) { loop->shared()->stop(); }

WSTREE_EXPORT unsigned long long wstree_loop_left(wstree_loop* loop, unsigned long long* begin,
                                                  unsigned long long* end) {
  unsigned long long left = 0;
  loop->shared()->each_left([&](std::uint64_t first, std::uint64_t past) {
    if (left == 0 && begin != nullptr) *begin = first;
    if (left == 0 && end != nullptr) *end = past;
    left += past - first;
  });
  return left;
}

WSTREE_EXPORT void wstree_loop_close(wstree_loop* loop) {
  if (loop == nullptr) return;
  const bool is_ours = loop->is_ours;
  Shared::destroy(loop->shared());
  if (is_ours) std::free(loop);
}

WSTREE_EXPORT wstree_costs* wstree_costs_new(unsigned members) {
  if (members == 0 || members > k_most_members) return nullptr;
  void* const memory = std::calloc(members + 1, sizeof(Shared::Costs));
  if (memory == nullptr) return nullptr;
  auto* const costs = ::new (memory) wstree_costs{members};
  for (unsigned i = 0; i < members; ++i) ::new (costs->of_members() + i) Shared::Costs();
  return costs;
}

WSTREE_EXPORT void wstree_costs_delete(wstree_costs* costs) { std::free(costs); }
}
