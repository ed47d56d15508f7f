// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sort_rows.h"
#include "measure/kernel.h"
#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>

namespace bench {
namespace {

/// Returns a file in one of a few folders, whose names differ in their first characters and are long.
std::string path(std::uint64_t number) {
  constexpr const char* k_folders[] = {"/usr/include/c++/", "/usr/lib/x86_64-linux/", "/home/user/project/",
                                       "/var/log/service/"};
  return k_folders[number % 4] + std::to_string(number);
}

template <class T> T made(std::uint64_t number, std::size_t place) {
  if constexpr (std::is_same_v<T, std::string>) {
    std::string text = std::to_string(number);
    return std::string(20 - text.size(), '0') + text;
  } else if constexpr (std::is_same_v<T, Keyed>) {
    return {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(place)};
  } else {
    return static_cast<T>(number);
  }
}

template <class T> std::vector<T> elements(const std::string& order, std::size_t n) {
  std::vector<T> values(n);
  if constexpr (std::is_same_v<T, std::string>)
    if (order == "paths") {
      for (std::size_t i = 0; i < n; ++i) values[i] = path(scatter(i));
      return values;
    }
  for (std::size_t i = 0; i < n; ++i)
    values[i] = made<T>(order == "sorted"     ? i
                        : order == "reversed" ? n - i
                        : order == "equal"    ? 7
                        : order == "few"      ? scatter(i) % 16
                                              : scatter(i) >> 33,
                        i);
  return values;
}

/// Elements that are sorted in the place of each other, so that a row costs no more memory than three times.
template <class T> struct SortData { std::vector<T> from, work, expected; };

template <class T>
Bound bind_sort(const Sort<T>& sort, bool is_stable, const std::shared_ptr<SortData<T>>& data) {
  if (!sort) return {};
  return {[=] { sort(data->work); },
          [=] {
            return is_stable ? data->work == data->expected
                             : std::equal(data->work.begin(), data->work.end(), data->expected.begin(),
                                          [](const T& x, const T& y) { return !(x < y) && !(y < x); });
          },
          [=] { data->work = data->from; }};
}

template <class T>
void add(const std::string& type, const std::string& order, std::size_t n, Sort<T> Sorts::*member,
         std::vector<RowRecipe>& rows) {
  for (const bool is_stable : {false, true})
    for (const bool one_thread : {false, true}) {
      if (one_thread && order != "random") continue;
      const std::string name = std::string(is_stable ? "stable_sort/" : "sort/") + type + '/' + order +
                               (one_thread ? "/one_thread" : "");
      rows.push_back({name, [=] {
                        const auto data = std::make_shared<SortData<T>>();
                        data->from = data->expected = elements<T>(order, n);
                        std::stable_sort(data->expected.begin(), data->expected.end());
                        return Row{name, 1, true, one_thread, one_thread, [=](const Peer& peer) {
                                     const Sorts& sorts = is_stable ? peer.stable_sort : peer.sort;
                                     return bind_sort(sorts.*member, is_stable, data);
                                   }};
                      }});
    }
}

} // namespace

void add_sort_rows(std::size_t n, std::vector<RowRecipe>& rows) {
  for (const char* order : {"random", "sorted", "reversed", "equal", "few"}) {
    add("ints", order, n, &Sorts::ints, rows);
    add("doubles", order, n, &Sorts::doubles, rows);
    add("strings", order, n / 10, &Sorts::strings, rows);
    add("pairs", order, n / 10, &Sorts::pairs, rows);
  }
  add("strings", "paths", n / 10, &Sorts::strings, rows);
}

} // namespace bench
