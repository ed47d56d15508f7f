// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rows.h"
#include "sort_rows.h"
#include "workloads/cost_shapes.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace bench {
namespace {

std::size_t scaled(double n, double scale, double least) {
  return static_cast<std::size_t>(std::max(least, n * scale));
}

/// Returns small whole numbers, whose sums are exact in any order.
template <class T> std::vector<T> small_numbers(std::size_t n) {
  std::vector<T> made(n);
  for (std::size_t i = 0; i < n; ++i) made[i] = static_cast<T>(scatter(i) % 8);
  return made;
}

/// Returns a row for a function of a peer that returns a value. `call(function)` gives the function
/// its arguments.
template <class Function, class Call> Bound returns(const Function& function, const Peer& peer, Call call) {
  if (!(peer.*function)) return {};
  using Value = decltype(call(peer.*function));
  const auto value = std::make_shared<Value>();
  const Value expected = call(sequential_peer().*function);
  return {[=, f = peer.*function] { *value = call(f); }, [=] { return *value == expected; }};
}

/// A function of a peer that writes an array, as long as `in`.
template <class Function, class T>
Bound writes(const Function& function, const Peer& peer, std::shared_ptr<std::vector<T>> in,
             std::shared_ptr<std::vector<T>> out, std::shared_ptr<std::vector<T>> expected) {
  if (!(peer.*function)) return {};
  return {[=, f = peer.*function] { static_cast<void>(f(*in, out->data())); },
          [=] {
            const bool same = *out == *expected;
            std::fill(out->begin(), out->end(), T{});
            return same;
          }};
}

template <class Function, class T> auto bind_writes(Function function, std::vector<T> data) {
  const auto in = std::make_shared<std::vector<T>>(std::move(data));
  const auto out = std::make_shared<std::vector<T>>(in->size());
  const auto expected = std::make_shared<std::vector<T>>(in->size());
  static_cast<void>((sequential_peer().*function)(*in, expected->data()));
  return [=](const Peer& peer) { return writes(function, peer, in, out, expected); };
}

/// A row whose peers return the value of `function` of `data`.
template <class Function, class T, class Call>
auto bind_returns(Function function, std::vector<T> data, Call call) {
  const auto in = std::make_shared<std::vector<T>>(std::move(data));
  return
      [=](const Peer& peer) { return returns(function, peer, [=](const auto& f) { return call(f, *in); }); };
}

const auto k_of_data = [](const auto& f, const auto& data) { return f(data); };

std::vector<std::uint32_t> costs_of(Weight weight, int n, double work) {
  constexpr double k_units = 19e6 / k_ns_per_unit; // 19 ms
  double all = 0;
  for (int i = 0; i < n; ++i) all += weight(i, n);
  std::vector<std::uint32_t> costs(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    costs[static_cast<std::size_t>(i)] =
        static_cast<std::uint32_t>(1 + std::lround(weight(i, n) / all * k_units * work));
  return costs;
}

class Builder {
public:
  explicit Builder(double scale) : scale_(scale) {}

  std::vector<RowRecipe> build() {
    sums();
    uneven();
    scans();
    small_calls();
    searches();
    nested();
    figure_1();
    add_sort_rows(size(1e7), list_);
    return std::move(list_);
  }

private:
  enum Kind { usual, to_one, one_thread };

  template <class Make> void add(const std::string& name, Make bind, int calls = 1, Kind kind = usual) {
    list_.push_back(
        {name, [=] { return Row{name, calls, calls == 1, kind != usual, kind == one_thread, bind()}; }});
  }
  std::size_t size(double n) const { return scaled(n, scale_, 2000); }

  void sums() {
    const std::size_t n = size(1e8);
    add("sum/ints", [=] { return bind_returns(&Peer::sum_ints, small_numbers<int>(n), k_of_data); });
    for (const Kind kind : {usual, one_thread}) {
      const std::string more = kind == usual ? "" : "/one_thread";
      add(
          "sum/doubles" + more, [=] { return bind_returns(&Peer::sum, small_numbers<double>(n), k_of_data); },
          1, kind);
      add(
          "sum/reproducible" + more,
          [=] { return bind_returns(&Peer::reproducible_sum, small_numbers<double>(n), k_of_data); }, 1,
          kind);
    }
  }

  void uneven() {
    for (const int n : {16, 1000, 100'000})
      for (const CostShape& shape : k_cost_shapes) {
        const std::string name = shape.name;
        if (name != "UNIFORM" && name != "STEP_S" && name != "STEP_E" && name != "TRIANGLE" && name != "EXP")
          continue;
        add("uneven/" + name + "/" + std::to_string(n), [=, work = std::min(scale_, 1.0)] {
          return bind_returns(&Peer::uneven, costs_of(shape.weight, n, work), k_of_data);
        });
      }
  }

  void scans() {
    const std::size_t n = size(5e7);
    for (const Kind kind : {usual, one_thread})
      add(
          kind == usual ? "scan/doubles" : "scan/doubles/one_thread",
          [=] { return bind_writes(&Peer::scan, small_numbers<double>(n)); }, 1, kind);
    add("scan/matrices", [k = size(2e5)] {
      std::vector<Matrix> in(k);
      for (std::size_t i = 0; i < k; ++i)
        for (std::size_t e = 0; e < 9; ++e) in[i].at[e] = scatter(9 * i + e) % Matrix::k_prime;
      return bind_writes(&Peer::scan_matrices, std::move(in));
    });
    for (const int k : {100, 300, 1000, 3000, 10'000, 30'000, 100'000, 1'000'000})
      add(
          "scan/short/" + std::to_string(k),
          [=] { return bind_writes(&Peer::scan, small_numbers<double>(static_cast<std::size_t>(k))); },
          calls_of(k), to_one);
  }

  void small_calls() {
    for (const int k : {100, 1000, 10'000})
      add(
          "small/" + std::to_string(k),
          [=] {
            return bind_returns(&Peer::sum, small_numbers<double>(static_cast<std::size_t>(k)), k_of_data);
          },
          calls_of(k));
  }

  void searches() {
    const std::size_t n = size(1e8);
    const auto find = [&](const char* name, std::size_t at, int calls) {
      add(
          std::string("find/") + name,
          [=] {
            std::vector<double> in(n, 1);
            in[at] = 2;
            return bind_returns(&Peer::find, std::move(in),
                                [](const auto& f, const auto& data) { return f(data, 2.0); });
          },
          calls);
    };
    find("early", std::min<std::size_t>(500, n / 4), calls_of(500));
    find("1_percent", n / 100, 1);
    find("middle", n / 2, 1);
    find("late", n - n / 50, 1);
    add("filter", [k = size(3e7)] {
      std::vector<double> in(k);
      for (std::size_t i = 0; i < k; ++i) in[i] = static_cast<double>(scatter(i) >> 11) * 0x1p-53;
      return bind_writes(&Peer::filter, std::move(in));
    });
  }

  void nested() {
    add("nested/rows", [work = std::min(scale_, 1.0)] {
      const auto rows =
          std::make_shared<CostlyRows>(CostlyRows{{300, 10, 10, 10, 60, 30}, scaled(20'000, work, 100)});
      return [=](const Peer& peer) {
        return returns(&Peer::rows, peer, [=](const auto& f) { return f(*rows); });
      };
    });
    const long n = static_cast<long>(scaled(200'000, std::min(1.0, 2 * scale_), 1000));
    const auto primes = [&](const char* name, auto function, Kind kind) {
      add(
          name,
          [=] {
            return [=](const Peer& peer) {
              return returns(function, peer, [=](const auto& f) { return f(n); });
            };
          },
          1, kind);
    };
    primes("nested/primes", &Peer::primes, usual);
    primes("nested/primes/outer_alone", &Peer::primes_outer, usual);
    primes("nested/primes/one_thread", &Peer::primes, one_thread);
  }

  /// Adds the three programs of the paper's figure 1; the second one is among the nested rows.
  void figure_1() {
    for (const Kind kind : {usual, one_thread}) {
      const std::string more = kind == usual ? "" : "/one_thread";
      const auto variance = [](const auto& f, const auto& data) { return f(data, 3.0); };
      add(
          "figure1/variance" + more,
          [=, n = size(1e6)] { return bind_returns(&Peer::variance, small_numbers<double>(n), variance); },
          10, kind);
      add(
          "figure1/sum" + more,
          [=, n = size(1e6)] { return bind_returns(&Peer::sum, small_numbers<double>(n), k_of_data); }, 10,
          kind);
    }
  }

  /// Returns so many calls that a pass takes a tenth of a millisecond and more.
  int calls_of(int n) const {
    const int calls = std::max(1, 1'000'000 / n);
    return scale_ < 0.01 ? std::min(calls, 20) : calls;
  }

  double scale_;
  std::vector<RowRecipe> list_;
};

} // namespace

std::vector<RowRecipe> all_rows(double scale) { return Builder(scale).build(); }

} // namespace bench
