// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "write_fully.h"

#include <atomic>
#include <cerrno>
#include <poll.h>
#include <sys/uio.h>

namespace wstree::observe {
namespace {

constexpr int k_full_wait_ms = 100;
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
    const ssize_t written = writev(descriptor, pieces, 2);
    if (written > 0) {
      if (waits == k_full_waits) g_given_up.store(-1, std::memory_order_relaxed);
      auto count = static_cast<std::size_t>(written);
      drop_front(text, count);
      drop_front(more, count);
      waits = 0;
      continue;
    }
    if (written == 0) return EIO;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return errno;
    if (waits == k_full_waits) {
      g_given_up.store(descriptor, std::memory_order_relaxed);
      return EAGAIN;
    }
    ++waits;
    pollfd full{descriptor, POLLOUT, 0};
    poll(&full, 1, k_full_wait_ms);
  }
  return 0;
}

} // namespace wstree::observe
