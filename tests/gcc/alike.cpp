// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in the forms that only C++ has. Each prints which thread got which iterations.
#include <omp.h>

#include <array>
#include <cstdio>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int n = 47;

class Row {
public:
  void got(std::size_t i) { owner_[i] = omp_get_thread_num(); }
  void print(const std::string& what, long result = 0) const {
    std::printf("%-24s", what.c_str());
    for (std::size_t i = 0; i < n; ++i)
      if (i == 0 || owner_[i] != owner_[i - 1]) std::printf(" %zu:%d", i, owner_[i]);
    std::printf(" = %ld\n", result);
  }
  void member() {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) got(static_cast<std::size_t>(i));
  }

private:
  std::vector<int> owner_ = std::vector<int>(n, -1);
};

/// A private copy that knows how often it was made.
struct Counted {
  Counted() = default;
  Counted(const Counted& other) : value(other.value) {
#pragma omp atomic
    ++copies;
  }
  Counted& operator=(const Counted&) = default;
  int value = 0;
  static int copies;
};
int Counted::copies = 0;

void iterators() {
  std::deque<int> numbers;
  for (int i = 0; i < n; ++i) numbers.push_back(i);
  Row up, range;
#pragma omp parallel for
  for (auto at = numbers.begin(); at < numbers.end(); at += 2) up.got(static_cast<std::size_t>(*at));
  up.print("iterators");
#pragma omp parallel for
  for (const int number : numbers) range.got(static_cast<std::size_t>(number));
  range.print("range");
  Row both;
  const std::array<int, 4> rows{0, 11, 22, 33};
#pragma omp parallel for collapse(2)
  for (const int first : rows)
    for (int i = 0; i < 11; ++i) both.got(static_cast<std::size_t>(first + i));
  both.print("range, collapse(2)");
}

void objects() {
  Row row;
  Counted counted, last;
  counted.value = 3;
#pragma omp parallel for firstprivate(counted) lastprivate(last)
  for (int i = 0; i < n; ++i) {
    last.value = i + counted.value;
    row.got(static_cast<std::size_t>(i));
  }
  row.print("objects", last.value + 1000L * Counted::copies);
  Row thrown;
  int caught = 0;
#pragma omp parallel for reduction(+ : caught)
  for (int i = 0; i < n; ++i) try {
      thrown.got(static_cast<std::size_t>(i));
      if (i % 5 == 2) throw std::runtime_error("here");
    } catch (const std::runtime_error&) {
      ++caught;
    }
  thrown.print("exceptions", caught);
  Row inside;
  const auto lambda = [&inside](int first) {
#pragma omp for nowait
    for (int i = first; i < n; ++i) inside.got(static_cast<std::size_t>(i));
  };
#pragma omp parallel
  lambda(2);
  inside.print("lambda");
  Row member;
  member.member();
  member.print("member function");
}

} // namespace

int main() {
  iterators();
  objects();
  return 0;
}
