// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of proofs: zeroed each time, though proofs leave it to the next ones, and little of it stays.
#include "arena.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <unistd.h>

namespace wstree::proof {
namespace {

constexpr std::size_t k_megabyte = std::size_t{1} << 20;

/// Returns the bytes that the process has mapped.
std::size_t mapped() {
  std::size_t pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%zu", &pages) != 1) ADD_FAILURE() << "no /proc";
  if (file != nullptr) std::fclose(file);
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Makes and fills so many bytes in each of two arenas. Returns whether they were zero.
bool fill(std::size_t bytes) {
  Arena first, second;
  bool is_zero = true;
  for (Arena* const arena : {&first, &second}) {
    auto* const made = arena->make<unsigned char>(bytes);
    if (made == nullptr) return false;
    is_zero &= std::all_of(made, made + bytes, [](unsigned char byte) { return byte == 0; });
    std::memset(made, 0xFF, bytes);
  }
  return is_zero;
}

TEST(Arena, MemoryIsZeroEachTime) {
  for (const std::size_t bytes : {1U, 3U, 2U, 20U, 1U, 31U}) EXPECT_TRUE(fill(bytes * k_megabyte)) << bytes;
}

TEST(Arena, LittleStaysMapped) {
  mapped();
  const std::size_t before = mapped();
  for (const std::size_t bytes : {1U, 20U, 1U}) {
    ASSERT_TRUE(fill(bytes * k_megabyte));
    EXPECT_LE(mapped(), before + 5 * k_megabyte) << bytes;
  }
}

} // namespace
} // namespace wstree::proof
