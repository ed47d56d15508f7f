// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// environment_gone PLUGIN: has an environment in memory of its own, opens a plugin whose static initialiser
// executes loops in a team of three, and gives that memory back before the loader gives its lock back. Ends
// when no other threads are left than the team's.
#include "headers.h"

#include <filesystem>

namespace {

namespace fs = std::filesystem;

void* memory = nullptr;
std::size_t size = 0;
char** before = nullptr;

auto count_threads() {
  return std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator());
}

} // namespace

extern "C" void after_initial_loops() {
  environ = before;
  munmap(memory, size);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::size_t variables = 0, characters = 0;
  for (char** each = environ; *each != nullptr; ++each, ++variables) characters += std::strlen(*each) + 1;
  size = (variables + 1) * sizeof(char*) + characters;
  memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 2;
  auto** const copy = static_cast<char**>(memory);
  char* text = reinterpret_cast<char*>(copy + variables + 1);
  for (std::size_t i = 0; i < variables; ++i, text += std::strlen(text) + 1)
    copy[i] = std::strcpy(text, environ[i]);
  before = environ;
  environ = copy;
  if (dlopen(argv[1], RTLD_NOW) == nullptr) return 2;
  while (count_threads() > 3) std::this_thread::yield();
  std::puts("end");
}
