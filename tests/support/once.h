// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every iteration once, one "last", nothing for its member afterwards: for runs in virtual time.
#pragma once

#include "wstree/core/shape.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace wstree::test {

class Once {
public:
  Once(std::uint64_t iterations, std::uint32_t members) : hits_(iterations, 0), retired_(members, false) {}

  /// `member` is handed `range`.
  void see(std::uint32_t member, const core::Range& range) {
    ASSERT_LT(range.begin, range.end);
    ASSERT_LE(range.end, hits_.size());
    EXPECT_FALSE(retired_[member]) << "member " << member << " had the last iteration and got another chunk";
    for (std::uint64_t i = range.begin; i < range.end; ++i) ++hits_[i];
    EXPECT_EQ(range.last, range.end == hits_.size());
    lasts_ += range.last;
    retired_[member] = range.last;
  }

  /// `counted`: iterations, as the workers say.
  void expect_done(std::uint64_t counted) const {
    for (std::uint64_t i = 0; i < hits_.size(); ++i)
      ASSERT_EQ(hits_[i], 1) << "iteration " << i << " of " << hits_.size();
    EXPECT_EQ(lasts_, 1);
    EXPECT_EQ(counted, hits_.size());
  }

private:
  std::vector<std::uint8_t> hits_;
  std::vector<bool> retired_;
  int lasts_ = 0;
};

} // namespace wstree::test
