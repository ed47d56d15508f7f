// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "write_fully.h"

#include <cerrno>
#include <poll.h>
#include <sys/uio.h>

namespace wstree::observe {
namespace {

constexpr int k_full_wait_ms = 100;
constexpr int k_full_waits = 5;

iovec piece(std::string_view text) noexcept { return {const_cast<char*>(text.data()), text.size()}; }

void drop_front(std::string_view& text, std::size_t& count) noexcept {
  const std::size_t here = count < text.size() ? count : text.size();
  text.remove_prefix(here);
  count -= here;
}

} // namespace

int write_fully(int descriptor, std::string_view text, std::string_view more) noexcept {
  int waits = 0;
  while (!text.empty() || !more.empty()) {
    const iovec pieces[] = {piece(text), piece(more)};
    const ssize_t written = writev(descriptor, pieces, 2);
    if (written > 0) {
      auto count = static_cast<std::size_t>(written);
      drop_front(text, count);
      drop_front(more, count);
      waits = 0;
      continue;
    }
    if (written == 0) return EIO;
    if (errno == EINTR) continue;
    if (errno != EAGAIN || waits == k_full_waits) return errno;
    ++waits;
    pollfd full{descriptor, POLLOUT, 0};
    poll(&full, 1, k_full_wait_ms);
  }
  return 0;
}

} // namespace wstree::observe
