// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How one member asks LLVM's runtime for its parts of a loop: init, next until nothing is left,
// perhaps deinit.
#pragma once

#include "loop_description.h"

namespace oracle {

/// What one call handed out, both bounds inclusive.
template <class T> struct Part {
  T lower{}, upper{};
  std::int32_t last = 0; ///< 1: the caller was told that this is the loop's last chunk
};

template <class T> class Walk {
public:
  explicit Walk(const Loop& loop) : loop_(loop), gtid_(kmpc::__kmpc_global_thread_num(&ident_)) {
    Entries::init(&ident_, gtid_, loop.schedule, static_cast<T>(loop.lower), static_cast<T>(loop.upper),
                  static_cast<Stride>(loop.stride), static_cast<Stride>(loop.chunk));
  }

  bool next(Part<T>& part) {
    constexpr std::int32_t k_untouched = 0x5a5a5a5a;
    Stride stride{};
    part.last = k_untouched;
    const int more = Entries::next(&ident_, gtid_, &part.last, &part.lower, &part.upper, &stride);
    if (more == 0) {
      CHECK(part.last == k_untouched, "the last flag became %d in a call that handed out nothing; %s",
            part.last, describe(loop_).c_str());
      return false;
    }
    CHECK(more == 1, "%d; %s", more, describe(loop_).c_str());
    CHECK(stride == static_cast<Stride>(loop_.stride), "%lld; %s", static_cast<long long>(stride),
          describe(loop_).c_str());
    CHECK(part.last == 0 || part.last == 1, "%d; %s", part.last, describe(loop_).c_str());
    return true;
  }

  void leave(bool barrier, bool deinit) {
    if (deinit && kmpc::__kmpc_dispatch_deinit != nullptr) kmpc::__kmpc_dispatch_deinit(&ident_, gtid_);
    if (barrier) {
#pragma omp barrier
    }
  }

private:
  using Entries = kmpc::Entries<T>;
  using Stride = typename Entries::Stride;

  static inline kmpc::Ident ident_;
  const Loop& loop_;
  std::int32_t gtid_;
};

} // namespace oracle
