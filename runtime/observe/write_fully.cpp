// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "write_fully.h"

#include <atomic>
#include <cerrno>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

#include "system_call.h"

namespace wstree::observe {
namespace {

constexpr long k_full_wait_ns = 100'000'000;
constexpr int k_full_waits = 5;

/// The descriptor that was waited for in vain and has taken nothing since, or -1: each of many lines would
/// wait again. A hint, which orders nothing.
std::atomic<int> g_given_up = -1;

iovec piece(std::string_view text) noexcept { return {const_cast<char*>(text.data()), text.size()}; }

void drop_front(std::string_view& text, std::size_t& count) noexcept {
  const std::size_t here = count < text.size() ? count : text.size();
  text.remove_prefix(here);
  count -= here;
}

} // namespace

int write_fully(int descriptor, std::string_view text, std::string_view more) noexcept {
  int waits = g_given_up.load(std::memory_order_relaxed) == descriptor ? k_full_waits : 0;
  while (!text.empty() || !more.empty()) {
    const iovec pieces[] = {piece(text), piece(more)};
    const long written = config::system_call(SYS_writev, descriptor, pieces, 2);
    if (written > 0) {
      if (waits == k_full_waits) g_given_up.store(-1, std::memory_order_relaxed);
      auto count = static_cast<std::size_t>(written);
      drop_front(text, count);
      drop_front(more, count);
      waits = 0;
      continue;
    }
    if (written == 0) return EIO;
    if (written == -EINTR) continue;
    if (written != -EAGAIN) return static_cast<int>(-written);
    if (waits == k_full_waits) {
      g_given_up.store(descriptor, std::memory_order_relaxed);
      return EAGAIN;
    }
    ++waits;
    pollfd full{descriptor, POLLOUT, 0};
    timespec wait{0, k_full_wait_ns}; // the kernel writes the rest of it back
    config::system_call(SYS_ppoll, &full, 1, &wait, nullptr, 0);
  }
  return 0;
}

} // namespace wstree::observe
