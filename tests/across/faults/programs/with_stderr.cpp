// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// with_stderr KIND PROGRAM ARGUMENTS...: starts the program with a stderr that is
//   full        a pipe that has no room and that no process reads, non-blocking
//   abandoned   a pipe whose reader has gone
//   missing     closed
//   device      /dev/full
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <string>

int main(int argc, char** argv) {
  if (argc < 3) return 120;
  const std::string kind = argv[1];
  if (kind == "missing") {
    close(2);
  } else if (kind == "device") {
    dup2(open("/dev/full", O_WRONLY), 2);
  } else {
    int ends[2];
    if (pipe(ends) != 0) return 121;
    dup2(ends[1], 2);
    if (kind == "abandoned") close(ends[0]);
    if (kind == "full") {
      fcntl(2, F_SETFL, O_NONBLOCK);
      char some[4096];
      std::memset(some, 'x', sizeof some);
      while (write(2, some, sizeof some) > 0) {
      }
      if (errno != EAGAIN) return 122;
    }
  }
  execv(argv[2], argv + 2);
  return 123;
}
