// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons with figures that are made up, for tests of the verdicts of wstree compare.
#pragma once

#include "compare/comparison.h"
#include "compare/show.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace wstree::cli {

/// A program of ten rounds; times in seconds, with a little noise that is the same each time.
class Judge : public testing::Test {
protected:
  Judge() {
    kinds_.runtime_kind = true;
    contest_.rounds = 10;
    contest_.program = "./solver";
    contest_.arguments = {"a b"};
    for (auto& variant : make_variants(kinds_, {}, false, true))
      contest_.samples.push_back({std::move(variant), {}, {}, {}});
    for (auto& samples : contest_.samples) takes(samples.variant.name, 1);
    takes(k_one_thread, 1.9);
  }

  void takes(const std::string& name, double seconds) {
    for (auto& samples : contest_.samples) {
      if (samples.variant.name != name) continue;
      samples.seconds.clear();
      // Each variant's noise begins elsewhere, so that equal ones do not have equal times.
      const auto phase = static_cast<std::size_t>(&samples - contest_.samples.data());
      constexpr double k_noise[] = {0.003, -0.004, 0.001, -0.002, 0.002};
      for (std::size_t i = 0; i < contest_.rounds; ++i)
        samples.seconds.push_back(seconds * (1 + k_noise[(i * (phase + 1) + phase) % 5]));
      samples.cpu_seconds.assign(contest_.rounds, 2 * seconds);
      samples.outputs.assign(contest_.rounds, 1);
    }
  }
  [[nodiscard]] Judgement judged() const {
    auto judgement = judge(contest_);
    conclude(judgement, contest_);
    return judgement;
  }
  [[nodiscard]] std::string rules() const { return comparison_rules(contest_, judged()); }

  ProgramLoops kinds_;
  Contest contest_;
};

} // namespace wstree::cli
