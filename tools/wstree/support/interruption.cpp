// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interruption.h"

#include <atomic>
#include <csignal>

namespace wstree::cli {

namespace {

constexpr int k_ends[] = {SIGINT, SIGTERM, SIGHUP};

// relaxed: a flag alone.
std::atomic<bool> g_has_come{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void set_handlers(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : k_ends) sigaction(signal, &action, nullptr);
}

} // namespace

Interruption::Interruption() {
  g_has_come.store(false, std::memory_order_relaxed);
  set_handlers([](int) { g_has_come.store(true, std::memory_order_relaxed); });
}

Interruption::~Interruption() { set_handlers(SIG_DFL); }

bool Interruption::has_come() { return g_has_come.load(std::memory_order_relaxed); }

} // namespace wstree::cli
