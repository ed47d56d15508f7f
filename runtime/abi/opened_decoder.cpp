// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opened_decoder.h"

#include "aside_task.h"
#include "message.h"
#include "own_stack.h"
#include "process/session.h"
#include "process_limits.h"
#include "proof.h"

#include "fixed_text.h"

#include <atomic>

namespace wstree::abi {
namespace {

constinit std::atomic<bool> g_asked{false}; // relaxed: one thread opens it
// release and acquire: the decoder is complete. Guard: none on x86.
constinit std::atomic<bool> g_is_open{false};

/// Rules may ask for pieces without a word about static loops: then there is no message.
void say_why_not(const char* why) noexcept {
  if (!session().options.loops.has(config::LoopKind::proven)) return;
  config::FixedText<256> line("wstree: static loops stay the runtime's: ");
  line.append(why);
  observe::say(line.view());
}

constexpr const char* k_filtered = "the process has put up a filter of system calls";

void open() noexcept {
  const place::MachineLook look;
  if (!look.may_begin()) return say_why_not(k_filtered);
  if (proof::open_decoder())
    g_is_open.store(true, std::memory_order_release);
  else
    say_why_not(proof::decoder_problem());
}

} // namespace

bool decoder_is_open() noexcept {
  if (g_asked.load(std::memory_order_relaxed) || g_asked.exchange(true, std::memory_order_relaxed))
    return g_is_open.load(std::memory_order_acquire);
  if (place::has_new_call_filter() || has_memory_sanitizer()) {
    say_why_not(has_memory_sanitizer() ? "the process has a memory sanitizer" : k_filtered);
    return false;
  }
  static constinit AsideTask task{open, stack::k_own_stack};
  switch (task.run()) {
  case AsideTask::Outcome::given_up:
    say_why_not("the list of loaded objects was locked for too long");
    break;
  case AsideTask::Outcome::no_thread:
    say_why_not("there is no thread to open the decoder");
    break;
  case AsideTask::Outcome::ended:
  case AsideTask::Outcome::goes_on:
    break;
  }
  return g_is_open.load(std::memory_order_acquire);
}

} // namespace wstree::abi
