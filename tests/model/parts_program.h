// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One loop in equal parts under the model checker: members that come in any order, and some that do not come.
#pragma once

#include "engine/execution.h"
#include "engine/platform.h"
#include "parts.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace wstree::model {

struct PartsPlan {
  std::uint32_t members = 2;
  std::uint32_t parts = 2; ///< as many as members, or one
  std::uint64_t iterations = 4;
  std::uint32_t absent = 0; ///< members with a bit here do not come
};

/// Every iteration once, whoever comes, and nothing behind the last one for its member.
class PartsProgram final : public Program {
public:
  explicit PartsProgram(PartsPlan plan) : plan_(plan) {}

  std::uint32_t threads() const override { return plan_.members; }
  void reset() override {
    marks_ = std::make_unique<core::ShareMark<ModelPlatform>[]>(plan_.members);
    hits_.assign(plan_.iterations, 0);
  }
  void body(std::uint32_t me) override {
    if ((plan_.absent >> me & 1) != 0) return;
    loop::Parts<ModelPlatform> parts;
    bool had_last = false;
    const auto hand_out = [&](const core::Range& piece) {
      if (piece.begin == piece.end) return;
      if (Execution::now->is_told())
        Execution::now->tell("gets " + std::to_string(piece.begin) + " to " + std::to_string(piece.end));
      if (had_last) return Execution::now->fail("a member gets something after the last iteration");
      had_last = piece.last;
      if (piece.last != (piece.end == plan_.iterations))
        return Execution::now->fail("the wrong iteration is the last one");
      for (std::uint64_t i = piece.begin; i < piece.end; ++i)
        if (++hits_[i] != 1)
          return Execution::now->fail("iteration " + std::to_string(i) + " was handed out twice");
    };
    core::Range piece = parts.start({&marks_[0]}, 8, plan_.iterations, plan_.parts, me, 2);
    do hand_out(piece);
    while (parts.next(piece));
  }
  void finish() override {
    for (std::uint64_t i = 0; i < plan_.iterations; ++i)
      if (hits_[i] == 0) return Execution::now->fail("iteration " + std::to_string(i) + " was lost");
  }

private:
  PartsPlan plan_;
  std::unique_ptr<core::ShareMark<ModelPlatform>[]> marks_;
  std::vector<std::uint8_t> hits_;
};

inline std::function<std::unique_ptr<Program>()> parts(PartsPlan plan) {
  return [plan] { return std::make_unique<PartsProgram>(plan); };
}

} // namespace wstree::model
