// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opened_decoder.h"

#include "aside_task.h"
#include "message.h"
#include "own_stack.h"
#include "process_limits.h"
#include "proof.h"

#include "fixed_text.h"

#include <atomic>

namespace wstree::abi {
namespace {

constinit std::atomic<bool> g_asked{false}; // relaxed: one thread opens it
// release and acquire: the decoder is complete. Guard: none on x86.
constinit std::atomic<bool> g_is_open{false};

void say_why_not(const char* why) noexcept {
  config::FixedText<256> line("wstree: static loops stay the runtime's: ");
  line.append(why);
  observe::say(line.view());
}

void open() noexcept {
  if (proof::open_decoder())
    g_is_open.store(true, std::memory_order_release);
  else
    say_why_not(proof::decoder_problem());
}

} // namespace

bool decoder_is_open() noexcept {
  if (g_asked.load(std::memory_order_relaxed) || g_asked.exchange(true, std::memory_order_relaxed))
    return g_is_open.load(std::memory_order_acquire);
  if (place::has_new_call_filter()) {
    say_why_not("the process has put up a filter of system calls");
    return false;
  }
  static constinit AsideTask task{open, stack::k_own_stack};
  if (!task.run()) say_why_not("there is no thread to open the decoder");
  return g_is_open.load(std::memory_order_acquire);
}

} // namespace wstree::abi
