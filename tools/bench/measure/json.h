// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The figures of a program as a file.
#pragma once

#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace bench {

using Json = nlohmann::ordered_json;

/// More places behind the point than `places` say nothing.
inline double rounded(double value, int places) {
  const double scale = std::pow(10.0, places);
  return std::round(value * scale) / scale;
}

/// Writes the figures to `path`, if it is not empty. Returns false, with a message, if that failed.
inline bool write(const std::string& path, const Json& figures) {
  if (path.empty()) return true;
  std::ofstream out(path);
  out << figures.dump(1) << '\n';
  if (out.flush()) return true;
  std::fprintf(stderr, "bench: cannot write %s\n", path.c_str());
  return false;
}

} // namespace bench
