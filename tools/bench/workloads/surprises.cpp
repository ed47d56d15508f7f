// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A loop that has run often enough to be known changes its work, at a call that the library cannot foresee:
/// the first call of the new kind, and those after it.
#include "short_loops.h"

namespace bench {
namespace {

/// Iterations from `from` on take so many units, those before the others.
struct Kind {
  int iterations, from, units_before, units_from;
};

std::uint64_t value_of(const Kind& kind, int i) {
  const int units = i < kind.from ? kind.units_before : kind.units_from;
  return spin(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(units));
}

struct Unit {
  Kind kind;
  std::uint64_t* out;
  void operator()(int i) const { out[i] = value_of(kind, i); }
};

struct Surprise {
  Kind usual, other;
  bool is_longer; ///< the new kind has more iterations, never twice the same number
  std::vector<std::uint64_t> out{};
  std::uint64_t passes = 0;

  static constexpr int k_numbers = 1000, k_step = 7;

  Kind now() const {
    Kind made = other;
    if (is_longer) made.iterations += k_step * static_cast<int>(passes % k_numbers);
    return made;
  }
  void usual_calls(const Loops& loop) {
    ++passes;
    for (auto k = 30 + scatter(passes) % 30; k > 0; --k) loop(usual.iterations, Unit{usual, out.data()});
  }
  void other_calls(const Loops& loop, int calls) {
    for (int k = 0; k < calls; ++k) loop(now().iterations, Unit{now(), out.data()});
  }
  /// Returns the digest of the data that every pass leaves; the further data of a longer pass count only if
  /// they are wrong.
  std::uint64_t digest() const {
    std::uint64_t sum = 0;
    const Kind kind = now();
    for (int i = 0; i < kind.iterations; ++i) {
      const auto at = static_cast<std::size_t>(i);
      sum += i < other.iterations ? spin(out[at] ^ at, 1) : out[at] != value_of(kind, i);
    }
    return sum;
  }
};

/// Returns the workload. `after`: number of the timed calls after the first one; 0: the first one is timed.
Workload surprise(const std::string& name, const Surprise& what, int after) {
  auto data = std::make_shared<Surprise>(what);
  data->out.resize(static_cast<std::size_t>(what.other.iterations + Surprise::k_step * Surprise::k_numbers));
  Workload made{name, Group::brief, false, 0, {}, {}, 0, 1, {}};
  made.lead_in = [=](Form form, int threads) {
    data->usual_calls(Loops(form, threads));
    if (after > 0) data->other_calls(Loops(form, threads), 1);
  };
  made.pass = [=](Form form, int threads) {
    data->other_calls(Loops(form, threads), std::max(1, after));
    return std::uint64_t{0};
  };
  made.plain = [=] {
    data->other_calls(Loops(), 1);
    return std::uint64_t{0};
  };
  made.prepare = [data] { std::fill(data->out.begin(), data->out.end(), 0); };
  made.digest = [data] { return data->digest(); };
  return made;
}

} // namespace

void add_surprises(Recipes& list, double work) {
  const auto add = [&](const std::string& name, const Surprise& what, int calls_after) {
    for (const int after : {0, calls_after})
      list.push_back({name + (after > 0 ? "/after" : "/jump"), Group::brief,
                      [=](const std::string& full) { return surprise(full, what, after); }});
  };
  constexpr int k_usual = 200;
  const auto more = [work](int times) { return is_test(work) ? 2 : times; };
  add("JUMP_COST", {{k_usual, 0, 0, 20}, {k_usual, 0, 0, 20 * more(100)}, false}, 8);
  add("JUMP_UNEVEN", {{k_usual, 0, 0, 100}, {k_usual, k_usual * 9 / 10, 10, 910}, false}, 100);
  add("JUMP_TRIPS", {{k_usual, 0, 0, 4}, {k_usual * more(1000), 0, 0, 4}, true}, 4);
}

} // namespace bench
