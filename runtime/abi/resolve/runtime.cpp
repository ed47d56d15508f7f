// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/runtime.h"

#include "fixed_text.h"
#include "message.h"

#include <unistd.h>

#include <atomic>

namespace wstree::abi {

void fail_for_want_of(const char* name) noexcept {
  constexpr int k_status = 127; // the loader's
  static constinit std::atomic<bool> ending{false};
  // relaxed: only one of the members prints it; the other members wait for the end.
  while (ending.exchange(true, std::memory_order_relaxed)) pause();
  config::FixedText<256> line("wstree: symbol lookup error: no OpenMP runtime here has ");
  line.append(name);
  observe::say(line.view());
  _exit(k_status);
}

} // namespace wstree::abi
