// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "findings.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace wstree::cli::bench {

namespace {

/// Returns the line for a verdict: for a verdict on one value with the value and whether it held, for one on
/// many with the failed values.
std::string verdict_line(const Json& verdict) {
  const auto number = [&](const char* name) {
    const auto& value = member(verdict, name);
    return value.is_number() ? fmt::format("{:.3f}", value.get<double>()) : std::string("unknown");
  };
  const bool reached = verdict.at("held") == verdict.at("of");
  return fmt::format("  {:<4} {}{}: limit {}, worst {}, holds for {} of {}\n", reached ? "yes" : "NO",
                     verdict.at("runtime") == "" ? "" : verdict.at("runtime").get<std::string>() + ", ",
                     verdict.at("what").get<std::string>(), number("limit"), number("worst"),
                     verdict.at("held").get<int>(), verdict.at("of").get<int>());
}

} // namespace

const Json& member(const Json& object, const std::string& name) {
  static const Json k_nothing;
  if (!object.is_object()) return k_nothing;
  const auto found = object.find(name);
  return found == object.end() ? k_nothing : *found;
}

void Findings::add(const std::string& part, const std::string& name, Json data) {
  parts_[part]["data"][name] = std::move(data);
}

void Findings::add_seconds(const std::string& part, double seconds) {
  parts_[part]["seconds"] = std::round(seconds * 10) / 10;
}

const Json& Findings::data(const std::string& part) const { return member(member(parts_, part), "data"); }

const Json& Findings::data(const std::string& part, const std::string& name) const {
  return member(data(part), name);
}

Json Findings::document(double seconds) const {
  Json document = document_;
  const Json load_before = member(member(document, "machine"), "load average");
  document["seconds"] = std::round(seconds);
  document["parts"] = parts_;
  document["rows"] = rows_of(parts_);
  document["verdicts"] = verdicts_of(parts_);
  document["noise"] = noise_of(document["rows"], parts_);
  document["noise"]["load_before"] = load_before;
  document["noise"]["load_after"] = load_average();
  document["failures"] = failures_;
  return document;
}

std::string summary_text(const Json& document) {
  std::string text;
  std::string part;
  for (const auto& verdict : document.at("verdicts")) {
    if (verdict.at("part") != part) {
      part = verdict.at("part").get<std::string>();
      text += fmt::format("Verdict, {}\n", part);
    }
    text += verdict_line(verdict);
  }
  const auto& noise = document.at("noise");
  text += fmt::format(
      "Noise: of {} values with a known spread, half the distance of the quartiles is {:.1f} % in "
      "the median and {:.1f} % in the worst case",
      noise.at("values").get<std::size_t>(), 100 * noise.at("median_spread").get<double>(),
      100 * noise.at("worst_spread").get<double>());
  if (noise.at("worst") != "") text += fmt::format(" ({})", noise.at("worst").get<std::string>());
  text += fmt::format(
      "; {} samples not used because other work held their threads up; load average {} before and "
      "{} after\n",
      noise.at("dropped").get<long>(), noise.at("load_before").get<std::string>(),
      noise.at("load_after").get<std::string>());
  constexpr double k_quiet = 0.02;
  const bool has_priority = member(member(document, "machine"), "priority") == "real-time";
  if (noise.at("median_spread").get<double>() > k_quiet || noise.at("dropped").get<long>() > 0)
    text += fmt::format("The machine was not quiet: {}more --rounds average it out\n",
                        has_priority ? "" : "--fifo keeps other work away, ");
  for (const auto& failure : document.at("failures"))
    text += fmt::format("FAILED {}\n", failure.get<std::string>());
  return text;
}

} // namespace wstree::cli::bench
