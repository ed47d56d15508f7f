// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rows.h"
#ifdef WSTREE_BENCH_STANDARD
#include <wstree/execution.h>
#else
#include <execution>
#endif
#include "measure/report.h"
#include "workloads/cost_shapes.h"
#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

namespace bench {
namespace {

using Numbers = std::vector<double>;
using Iterator = Numbers::iterator;

/// Arguments of an algorithm: read only, but for `work` and `out`.
struct Data {
  std::size_t size;
  int calls;                          ///< in a pass
  Numbers any, sorted, work, out;     ///< work: elements for each call of a pass
  std::vector<std::uint32_t> costs{}; ///< units of spin()
  std::vector<char> bytes, bytes_out;

  Data(std::size_t n, int calls_of_pass)
      : size(n), calls(calls_of_pass), any(n), sorted(n), out(2 * n), bytes(n, 'a'), bytes_out(n, 'a') {
    for (std::size_t i = 0; i < n; ++i)
      any[i] = static_cast<double>(scatter(i) % (8 * n)), sorted[i] = 2.0 * static_cast<double>(i);
  }
  void renew() {
    work.resize(size * static_cast<std::size_t>(calls));
    for (auto to = work.begin(); to != work.end(); to += static_cast<std::ptrdiff_t>(size))
      std::copy(any.begin(), any.end(), to);
  }
};

/// The elements of one call.
struct Call {
  const Numbers &any, &sorted;
  const std::vector<std::uint32_t>& costs;
  Iterator first, last; ///< the elements of `work`
  Iterator out;
  const std::vector<char>& bytes;
  std::vector<char>& bytes_out;
};

double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// `compute(how, call)` returns a number that differs where the result does. `Fresh`: it changes elements.
template <bool Fresh, class Compute> class Turns {
public:
  Turns(std::shared_ptr<Data> data, Compute compute) : data_(std::move(data)), compute_(compute) {}

  Turn operator()(int passes) {
    double parallel = 0, plain = 0, plain_after = 0;
    pass(std::execution::par, parallel); // wakes the threads, and teaches the library the loop
    const double before = pass(std::execution::seq, plain);
    const Numbers expected = Fresh ? data_->work : data_->out;
    std::fill(data_->out.begin(), data_->out.end(), 0.0);
    std::vector<double> us;
    for (int k = 0; k < passes; ++k) us.push_back(pass(std::execution::par, parallel));
    const bool same = parallel == plain && expected == (Fresh ? data_->work : data_->out);
    // Its result is read, too: compilers leave out calls whose results are not.
    const double after = pass(std::execution::seq, plain_after);
    return {median(us), (before + after) / 2, same && parallel == plain_after};
  }

private:
  template <class Policy> double pass(const Policy& how, double& value) {
    if (Fresh) data_->renew();
    const auto size = static_cast<std::ptrdiff_t>(data_->size);
    Iterator first = data_->work.begin();
    const double start = now_us();
    for (int k = 0; k < data_->calls; ++k) {
      const Iterator last = Fresh ? first + size : first;
      value = compute_(how, Call{data_->any, data_->sorted, data_->costs, first, last, data_->out.begin(),
                                 data_->bytes, data_->bytes_out});
      first = last;
    }
    return (now_us() - start) / data_->calls;
  }

  std::shared_ptr<Data> data_;
  Compute compute_;
};

class Builder {
public:
  Builder(std::size_t largest, double work) : largest_(largest), work_(work) {}

  std::vector<StandardRow> build() {
    for (const std::size_t n : {std::size_t{100}, std::size_t{1'000}, std::size_t{10'000}, largest_}) {
      size_ = n;
      reads();
      writes();
      orders();
      bytes();
    }
    for (const int n : {16, 1000, 100'000})
      for (const CostShape& shape : k_cost_shapes) uneven(shape, n);
    return std::move(list_);
  }

private:
  template <bool Fresh = false, class Compute> void add(const char* name, Compute compute) {
    const std::size_t n = size_;
    list_.push_back({std::string(name) + '/' + std::to_string(n), n, [=] {
                       const int calls = std::clamp(static_cast<int>(400'000 / n), 1, 1000);
                       return Turns<Fresh, Compute>(std::make_shared<Data>(n, calls), compute);
                     }});
  }

#define ANY call.any.begin(), call.any.end()
#define SORTED call.sorted.begin(), call.sorted.end()
#define WORK call.first, call.last

  void reads() {
    add("reduce", [](const auto& how, const Call& call) { return std::reduce(how, ANY); });
    add("transform_reduce", [](const auto& how, const Call& call) {
      return std::transform_reduce(how, ANY, 0.0, std::plus<>(), [](double x) { return 2 * x; });
    });
    add("count_if", [](const auto& how, const Call& call) {
      return static_cast<double>(std::count_if(how, ANY, [](double x) { return x < 100; }));
    });
    add("find_if", [](const auto& how, const Call& call) {
      const double last = 1.9 * static_cast<double>(call.sorted.size());
      return *std::find_if(how, SORTED, [=](double x) { return x >= last; });
    });
    add("any_of", [](const auto& how, const Call& call) {
      return static_cast<double>(std::any_of(how, ANY, [](double x) { return x < 0; }));
    });
    add("min_element", [](const auto& how, const Call& call) {
      return static_cast<double>(std::min_element(how, ANY) - call.any.begin());
    });
    add("equal", [](const auto& how, const Call& call) {
      return static_cast<double>(std::equal(how, SORTED, SORTED));
    });
    add("is_sorted",
        [](const auto& how, const Call& call) { return static_cast<double>(std::is_sorted(how, SORTED)); });
    add("adjacent_find", [](const auto& how, const Call& call) {
      return static_cast<double>(std::adjacent_find(how, SORTED) - call.sorted.begin());
    });
  }

  void writes() {
    add<true>("for_each", [](const auto& how, const Call& call) {
      std::for_each(how, WORK, [](double& x) { x = 3 * x + 1; });
      return 0.0;
    });
    add("transform", [](const auto& how, const Call& call) {
      return static_cast<double>(std::transform(how, ANY, call.out, [](double x) { return x * x; }) -
                                 call.out);
    });
    add("fill", [](const auto& how, const Call& call) {
      std::fill(how, call.out, call.out + static_cast<std::ptrdiff_t>(call.any.size()), 3.0);
      return 0.0;
    });
    add("copy", [](const auto& how, const Call& call) {
      return static_cast<double>(std::copy(how, ANY, call.out) - call.out);
    });
    add("inclusive_scan", [](const auto& how, const Call& call) {
      return static_cast<double>(std::inclusive_scan(how, ANY, call.out) - call.out);
    });
    add("copy_if", [](const auto& how, const Call& call) {
      const double half = 4.0 * static_cast<double>(call.any.size());
      return static_cast<double>(std::copy_if(how, ANY, call.out, [=](double x) { return x < half; }) -
                                 call.out);
    });
    add<true>("reverse", [](const auto& how, const Call& call) {
      std::reverse(how, WORK);
      return 0.0;
    });
  }

  void orders() {
    add<true>("sort", [](const auto& how, const Call& call) {
      std::sort(how, WORK);
      return 0.0;
    });
    add<true>("stable_sort", [](const auto& how, const Call& call) {
      std::stable_sort(how, WORK);
      return 0.0;
    });
    add("merge", [](const auto& how, const Call& call) {
      return static_cast<double>(std::merge(how, SORTED, SORTED, call.out) - call.out);
    });
    add("set_union", [](const auto& how, const Call& call) {
      return static_cast<double>(std::set_union(how, SORTED, SORTED, call.out) - call.out);
    });
    add("set_difference", [](const auto& how, const Call& call) {
      return static_cast<double>(std::set_difference(how, SORTED, SORTED, call.out) - call.out);
    });
    add<true>("partition", [](const auto& how, const Call& call) {
      const double half = 4.0 * static_cast<double>(call.any.size());
      return static_cast<double>(std::stable_partition(how, WORK, [=](double x) { return x < half; }) -
                                 call.first);
    });
    add<true>("remove_if", [](const auto& how, const Call& call) {
      const double half = 4.0 * static_cast<double>(call.any.size());
      const auto end = std::remove_if(how, WORK, [=](double x) { return x < half; });
      std::fill(end, call.last, 0.0); // the content there is not specified
      return static_cast<double>(end - call.first);
    });
  }

  /// Elements of a byte: a store of one may alias all that a loop reads.
  void bytes() {
    add("bytes/fill", [](const auto& how, const Call& call) {
      std::fill(how, call.bytes_out.begin(), call.bytes_out.end(), 'b');
      return static_cast<double>(call.bytes_out.back());
    });
    add("bytes/copy", [](const auto& how, const Call& call) {
      std::copy(how, call.bytes.begin(), call.bytes.end(), call.bytes_out.begin());
      return static_cast<double>(call.bytes_out.back());
    });
    add("bytes/transform", [](const auto& how, const Call& call) {
      std::transform(how, call.bytes.begin(), call.bytes.end(), call.bytes_out.begin(),
                     [](char c) { return static_cast<char>(c ^ 32); });
      return static_cast<double>(call.bytes_out.back());
    });
    add("bytes/equal", [](const auto& how, const Call& call) {
      return static_cast<double>(std::equal(how, call.bytes.begin(), call.bytes.end(), call.bytes.begin()));
    });
  }

#undef ANY
#undef SORTED
#undef WORK

  void uneven(const CostShape& shape, int n) {
    // One iteration has nearly all of the work.
    if (n == 16 && std::string(shape.name) == "RANDIF") return;
    list_.push_back(
        {std::string("uneven/") + shape.name + '/' + std::to_string(n), static_cast<std::size_t>(n),
         [n, weight = shape.weight, work = work_] {
           auto data = std::make_shared<Data>(static_cast<std::size_t>(n), 1);
           double all = 0;
           for (int i = 0; i < n; ++i) all += weight(i, n);
           for (int i = 0; i < n; ++i)
             data->costs.push_back(
                 static_cast<std::uint32_t>(1 + weight(i, n) / all * work * 19e6 / k_ns_per_unit));
           const auto compute = [](const auto& how, const Call& call) {
             const std::uint32_t* const first = call.costs.data();
             std::for_each(how, call.costs.begin(), call.costs.end(), [&](const std::uint32_t& cost) {
               const std::ptrdiff_t i = &cost - first;
               call.out[i] = static_cast<double>(spin(static_cast<std::uint64_t>(i), cost));
             });
             return 0.0;
           };
           return Turns<false, decltype(compute)>(data, compute);
         }});
  }

  std::size_t largest_, size_ = 0;
  double work_;
  std::vector<StandardRow> list_;
};

} // namespace

std::vector<StandardRow> standard_rows(std::size_t largest, double work) {
  return Builder(largest, work).build();
}

} // namespace bench
