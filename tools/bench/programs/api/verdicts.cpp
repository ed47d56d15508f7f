// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verdicts.h"
#include <algorithm>
#include <cmath>

namespace bench {
namespace {

constexpr const char* k_ours = "wstree";

class Judge {
public:
  explicit Judge(const ApiReport& report) : report_(report) {}

  std::vector<ApiVerdict> judge() {
    sums();
    uneven();
    for (const auto& [row, limit] : {std::pair{"scan/doubles", 1.35},
                                     {"scan/matrices", 1.50},
                                     {"find/1_percent", 1.3},
                                     {"find/middle", 1.2},
                                     {"find/late", 1.1},
                                     {"filter", 1.10},
                                     {"nested/rows", 1.05}})
      ratio(row, limit);
    one_thread();
    short_calls();
    against_tbb();
    properties();
    return std::move(list_);
  }

private:
  const MeasuredRow* row(const std::string& name) const {
    const auto found = std::ranges::find(report_.rows, name, &MeasuredRow::name);
    return found == report_.rows.end() ? nullptr : &*found;
  }
  std::optional<double> ratio_of(const std::string& name, const char* peer = k_ours) const {
    const MeasuredRow* const found = row(name);
    return found ? found->ratio(peer) : std::nullopt;
  }
  void add(std::string what, std::optional<double> value, double limit) {
    if (value) list_.push_back({std::move(what), *value, limit});
  }
  void ratio(const std::string& name, double limit) { add(name + ", of the ideal", ratio_of(name), limit); }
  void compare(const std::string& what, std::optional<double> value, std::optional<double> other,
               double limit) {
    if (value && other) add(what, *value / *other, limit);
  }

  void sums() {
    for (const char* name : {"sum/ints", "sum/doubles"})
      compare(std::string(name) + ", of the OpenMP reduction", ratio_of(name), ratio_of(name, "openmp"),
              1.03);
    for (const std::string more : {"", "/one_thread"})
      compare("sum/reproducible" + more + ", of the OpenMP reduction", ratio_of("sum/reproducible" + more),
              ratio_of("sum/doubles" + more, "openmp"), 0.90);
  }

  void uneven() {
    double logs = 0, worst = 0;
    int count = 0;
    for (const MeasuredRow& row : report_.rows) {
      const auto value = row.ratio(k_ours);
      if (!row.name.starts_with("uneven/") || !value) continue;
      logs += std::log(*value), ++count;
      worst = std::max(worst, *value);
    }
    if (count == 0) return;
    add("uneven, of the ideal, geometric mean", std::exp(logs / count), 1.02);
    add("uneven, of the ideal, worst", worst, 1.10);
  }

  void one_thread() {
    add("scan/doubles, one thread, of std::inclusive_scan", ratio_of("scan/doubles/one_thread"), 1.02);
    std::optional<double> worst;
    for (const MeasuredRow& row : report_.rows)
      if (const auto value = row.ratio(k_ours); row.name.starts_with("scan/short/") && value)
        worst = std::max(worst.value_or(0), *value);
    add("scan/short, of std::inclusive_scan, worst", worst, 1.00);
    compare("nested/primes, of the outer loop alone", ratio_of("nested/primes"),
            ratio_of("nested/primes/outer_alone"), 1.2);
    add("nested/primes, one thread, of the double loop", ratio_of("nested/primes/one_thread"), 1.10);
    for (const char* name : {"variance", "sum"})
      add(std::string("figure1/") + name + ", one thread, of the plain loop",
          ratio_of(std::string("figure1/") + name + "/one_thread"), 1.01);
  }

  void short_calls() {
    for (const auto& [name, limit] :
         {std::pair{"small/100", 0.060}, {"small/1000", 0.70}, {"small/10000", 4.5}})
      if (const MeasuredRow* const found = row(name))
        add(std::string(name) + ", us a call", found->us(k_ours), limit);
    if (const MeasuredRow* const early = row("find/early"); early && early->us(k_ours))
      add("find/early, us a call", early->us(k_ours), 2 * median(early->sequential_us) + 0.1);
  }

  /// Scans, short and nested calls, sums with the same bits, and EXP/16 have to be faster by a fifth.
  void against_tbb() {
    for (const MeasuredRow& row : report_.rows) {
      const bool by_a_fifth = row.name.starts_with("scan/") || row.name.starts_with("small/") ||
                              row.name == "nested/primes" || row.name == "sum/reproducible" ||
                              row.name == "uneven/EXP/16";
      compare(row.name + ", of oneTBB's time", row.ratio(k_ours), row.ratio("tbb"),
              by_a_fifth ? 1 / 1.2 : 1.02);
    }
  }

  void properties() {
    for (const Property& property : report_.properties)
      if (property.peer == k_ours) add(property.name + ", failed", property.holds ? 0 : 1, 0);
  }

  const ApiReport& report_;
  std::vector<ApiVerdict> list_;
};

} // namespace

std::vector<ApiVerdict> verdicts_on(const ApiReport& report) { return Judge(report).judge(); }

} // namespace bench
