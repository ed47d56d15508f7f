// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Loops of a few microseconds that come by the thousand. Their results are in the data, because a sum over
/// all threads would cost as much as such a loop. Not for oneTBB, which has no loops inside of a region.
#pragma once
#include "recipes.h"

namespace bench {

template <class Body> [[gnu::noinline]] void region_runtime(int n, int threads, const Body& body) {
#pragma omp parallel for schedule(runtime) num_threads(threads)
  for (int i = 0; i < n; ++i) body(i);
}
template <class Body> [[gnu::noinline]] void region_steal_1(int n, int threads, const Body& body) {
#pragma omp parallel for schedule(nonmonotonic : dynamic, 1) num_threads(threads)
  for (int i = 0; i < n; ++i) body(i);
}
template <class Body> [[gnu::noinline]] void region_steal_64(int n, int threads, const Body& body) {
#pragma omp parallel for schedule(nonmonotonic : dynamic, 64) num_threads(threads)
  for (int i = 0; i < n; ++i) body(i);
}

template <class Body> [[gnu::noinline]] void share_runtime(int n, const Body& body) {
#pragma omp for schedule(runtime)
  for (int i = 0; i < n; ++i) body(i);
}
template <class Body> [[gnu::noinline]] void share_steal_1(int n, const Body& body) {
#pragma omp for schedule(nonmonotonic : dynamic, 1)
  for (int i = 0; i < n; ++i) body(i);
}
template <class Body> [[gnu::noinline]] void share_steal_64(int n, const Body& body) {
#pragma omp for schedule(nonmonotonic : dynamic, 64)
  for (int i = 0; i < n; ++i) body(i);
}

/// Runs the loops of a pass: in a region each, or as steps of one region; without threads as plain loops.
class Loops {
public:
  Loops(Form form, int threads) : form_(form), threads_(threads) {}
  Loops() = default;

  template <class Body> void operator()(int n, const Body& body) const {
    if (threads_ == 0)
      for (int i = 0; i < n; ++i) body(i);
    else if (form_ == Form::steal_1)
      region_steal_1(n, threads_, body);
    else if (form_ == Form::steal_64)
      region_steal_64(n, threads_, body);
    else
      region_runtime(n, threads_, body);
  }

  /// Lets each thread of a region call `steps`, which calls step() for every loop.
  template <class Steps> void in_region(const Steps& steps) const {
    if (threads_ == 0) return steps();
#pragma omp parallel num_threads(threads_)
    steps();
  }

  /// Executes a loop, with the barrier behind it.
  template <class Body> void step(int n, const Body& body) const {
    if (threads_ == 0)
      for (int i = 0; i < n; ++i) body(i);
    else if (form_ == Form::steal_1)
      share_steal_1(n, body);
    else if (form_ == Form::steal_64)
      share_steal_64(n, body);
    else
      share_runtime(n, body);
  }

  int threads() const { return std::max(1, threads_); }

private:
  Form form_ = Form::runtime;
  int threads_ = 0;
};

/// A pass is data.run(loops), from the state after data.reset() to data.result().
template <class Data>
Workload of_short_loops(const std::string& name, Group group, std::shared_ptr<Data> data) {
  Workload made{name,
                group,
                false,
                0,
                [data](Form form, int threads) {
                  data->run(Loops(form, threads));
                  return std::uint64_t{0};
                },
                [data] {
                  data->run(Loops());
                  return std::uint64_t{0};
                },
                0,
                1,
                {}};
  made.prepare = [data] { data->reset(); };
  made.digest = [data] { return fingerprint(data->result()); };
  return made;
}

/// Variations of one pattern, NAME/1 with the smallest loops to NAME/5. `work`: of a pass, in parts of the
/// usual; its meaning depends on the pattern.
template <class Data, class Size>
void add_variations(Recipes& list, const std::string& name, Group group, double work,
                    std::initializer_list<Size> sizes) {
  int variation = 0;
  for (const Size& size : sizes)
    list.push_back({name + '/' + std::to_string(++variation), group, [=](const std::string& full) {
                      return of_short_loops(full, group, std::make_shared<Data>(size, work));
                    }});
}

/// Returns how often a loop of `once_ns` is executed in a pass, so that the pass takes a few milliseconds.
inline int times_of(double once_ns, double work) {
  return std::max(1, static_cast<int>(std::lround(3e6 * work / once_ns)));
}

/// Less work means fewer loops. If a test has hardly any work, they are smaller as well.
inline bool is_test(double work) { return work < 0.01; }
inline int size_of(int usual, double work) { return is_test(work) ? scaled(usual, work * 10, 8) : usual; }

using Doubles = std::vector<double>;
inline Doubles doubles(int size, double value = 0) { return Doubles(static_cast<std::size_t>(size), value); }

} // namespace bench
