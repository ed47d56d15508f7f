// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a file costs that makes one call of each kind: check_compile measures it.
#include <wstree/parallel.hpp>

#include <vector>

double seven_calls(std::vector<double>& v, std::vector<double>& w) {
  double sum = wstree::reduce(v, 0.0);
  sum += wstree::sum(v);
  sum += *wstree::max_element(v);
  wstree::for_each(v, [](double& x) { x += 1; });
  wstree::transform(v, w.begin(), [](double x) { return x * 2; });
  wstree::inclusive_scan(v, w.begin());
  return sum + static_cast<double>(wstree::count_if(v, [](double x) { return x > 3; }));
}
