// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms_support.h"

#include <algorithm>
#include <atomic>
#include <compare>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <thread>
#include <type_traits>
#include <utility>

namespace wstree::algorithms_test {
namespace {

TEST(Filter, KeepsTheOrderAtEachSize) {
  for_sizes_and_threads([](std::size_t n, const auto& policy) {
    const std::vector<int> in = numbers(n, 1000);
    for (const int below : {0, 10, 500, 1000}) {
      const auto is_small = [below](int i) { return i < below; };
      std::vector<int> yes;
      std::copy_if(in.begin(), in.end(), std::back_inserter(yes), is_small);
      EXPECT_EQ(filter(policy, in, is_small), yes);
      const std::vector<std::size_t> places = pack_index(policy, in, is_small);
      ASSERT_EQ(places.size(), yes.size());
      for (std::size_t k = 0; k < places.size(); ++k) ASSERT_EQ(in[places[k]], yes[k]);
      EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
    }
  });
}

/// Elements that are made when their iterator is dereferenced; counts how often.
template <class Reference> struct Counted {
  using difference_type = std::ptrdiff_t;
  using value_type = std::remove_cvref_t<Reference>;
  using iterator_concept = std::random_access_iterator_tag;
  using iterator_category = std::random_access_iterator_tag;
  using pointer = void;
  using reference = Reference;
  std::vector<value_type>* values = nullptr;
  std::atomic<int>* count = nullptr;
  std::ptrdiff_t at = 0;
  Reference operator*() const { return (*this)[0]; }
  Reference operator[](std::ptrdiff_t i) const {
    count->fetch_add(1, std::memory_order_relaxed);
    return (*values)[static_cast<std::size_t>(at + i)];
  }
  Counted& operator+=(std::ptrdiff_t n) { return at += n, *this; }
  Counted& operator-=(std::ptrdiff_t n) { return at -= n, *this; }
  Counted& operator++() { return *this += 1; }
  Counted& operator--() { return *this -= 1; }
  Counted operator++(int) { return std::exchange(*this, *this + 1); }
  Counted operator--(int) { return std::exchange(*this, *this - 1); }
  friend Counted operator+(Counted i, std::ptrdiff_t n) { return i += n; }
  friend Counted operator+(std::ptrdiff_t n, Counted i) { return i += n; }
  friend Counted operator-(Counted i, std::ptrdiff_t n) { return i -= n; }
  friend std::ptrdiff_t operator-(const Counted& a, const Counted& b) { return a.at - b.at; }
  bool operator==(const Counted& other) const { return at == other.at; }
  auto operator<=>(const Counted& other) const { return at <=> other.at; }
};

template <class Reference>
void expect_one_dereference(std::remove_cvref_t<Reference> a, std::remove_cvref_t<Reference> b) {
  using Value = std::remove_cvref_t<Reference>;
  std::vector<Value> in(30'000, a), out(in.size()), rest(in.size());
  for (std::size_t i = 0; i < in.size(); i += 3) in[i] = b;
  std::atomic<int> count{0};
  const Counted<Reference> first{&in, &count, 0}, last = first + 30'000;
  const auto is_b = [&](const Value& value) { return value == b; };
  for (unsigned threads = 1; threads <= 3; ++threads) {
    const auto policy = par().threads(threads);
    EXPECT_EQ(filter(policy, first, last, is_b), std::vector<Value>(10'000, b));
    EXPECT_EQ(count.exchange(0), 30'000);
    EXPECT_EQ(copy_if(policy, first, last, out, is_b) - out.begin(), 10'000);
    EXPECT_EQ(count.exchange(0), 30'000);
    EXPECT_EQ(partition_copy(policy, first, last, out, rest, is_b).second - rest.begin(), 20'000);
    EXPECT_EQ(count.exchange(0), 30'000);
    EXPECT_EQ(std::count(rest.begin(), rest.begin() + 20'000, a), 20'000);
    EXPECT_EQ(std::count(out.begin(), out.begin() + 10'000, b), 10'000);
  }
}

TEST(Filter, DereferencesEachElementOnce) {
  expect_one_dereference<int>(1, 2);
  expect_one_dereference<std::string>("no", "a string that is not stored in place, and has to be copied");
  expect_one_dereference<std::string&>("no", "a string that is not stored in place, and has to be copied");
}

// All members wait while the member whose turn it is has no processor.
TEST(Filter, MembersThatWaitForATurnAreNoMoreThanProcessors) {
  const double us = core::StdPlatform::ticks_per_us();
  EXPECT_EQ(detail::members_in_turn({0, us / 10}), detail::processors());
  EXPECT_EQ(detail::members_in_turn({0, 4'000 * us}, 1'000), detail::processors());
  EXPECT_EQ(detail::members_in_turn({0, 100 * us}), detail::k_all_members) << "as long as a thread sleeps";

  const detail::Tiling tiling(64, 1, 1, 8);
  for (const std::uint32_t most : {1U, 2U, detail::k_all_members}) {
    std::atomic<std::uint32_t> at_work{0}, done{0};
    struct Member {
      std::atomic<std::uint32_t>& done;
      std::size_t current() const noexcept { return 0; }
      bool finish() const noexcept { return false; }
      void operator()(const detail::Tile&) const { ++done, std::this_thread::yield(); }
    };
    detail::Verdict verdict;
    detail::run_tiles(par().threads(8), tiling, verdict, most, [&] { return ++at_work, Member{done}; });
    EXPECT_LE(at_work, std::min(most, 8U));
    EXPECT_EQ(done, tiling.tiles());
  }
}

/// Elements in order. Between two appends `meanwhile` runs, as another member.
struct Appended {
  std::vector<int> all;
  std::function<void()> meanwhile;

  const int* end() const { return all.data() + all.size(); }
  void insert(const int*, const int* from, const int* to) {
    all.insert(all.end(), from, to);
    if (meanwhile) std::exchange(meanwhile, nullptr)();
  }
};

// A member that has no processor while it appends would hold up all others.
TEST(Filter, NoMemberWaitsForOneThatAppends) {
  std::vector<int> elements(100);
  std::iota(elements.begin(), elements.end(), 0);
  const detail::Elements<std::vector<int>::const_iterator> in{elements.begin(), elements.size()};
  Appended out;
  auto all = [](int) { return true; };
  using Work = detail::AppendLater<decltype(in), Appended, decltype(all)>;
  Work work(in, out, all, 10);
  Work::Outcome first, second, third;
  work.make({0, 0, 30}, first);
  work.make({1, 30, 50}, second);
  work.make({2, 50, 90}, third);
  out.meanwhile = [&] { work.take(second), work.after(second); };
  work.take(first), work.after(first);
  work.take(third);
  work.finish();
  EXPECT_EQ(out.all, std::vector<int>(elements.begin() + 10, elements.end()));
}

} // namespace
} // namespace wstree::algorithms_test
