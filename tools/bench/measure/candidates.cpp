// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "candidates.h"
#include <algorithm>

namespace bench {

bool one_at_a_time(const Candidate& candidate) {
  const bool chunk_of_one = candidate.kind == k_dynamic || candidate.kind == k_wsfixed;
  return (chunk_of_one && candidate.chunk == 1) || candidate.form == Form::steal_1 ||
         candidate.form == Form::tbb_simple;
}

std::vector<Candidate> all_candidates(Runtime runtime, bool with_library) {
  if (runtime == Runtime::tbb)
    return {
        {"tbb_auto", Form::tbb_auto, k_static, 0},
        {"tbb_affinity", Form::tbb_affinity, k_static, 0},
        {"tbb_static", Form::tbb_static, k_static, 0},
        {"tbb_simple", Form::tbb_simple, k_static, 0},
    };
  std::vector<Candidate> list = {
      {"static", Form::runtime, k_static, 0},
      {"dyn1", Form::runtime, k_dynamic, 1},
      {"dyn64", Form::runtime, k_dynamic, 64},
      {"guided", Form::runtime, k_guided, 1},
  };
  if (runtime == Runtime::libomp) {
    list.push_back({"trapez", Form::runtime, k_trapezoidal, 1});
    list.push_back({"steal1", Form::steal_1, k_static, 0});
    list.push_back({"steal64", Form::steal_64, k_static, 0});
  }
  if (!with_library) return list;
  for (const OwnSchedule& own : own_schedules(""))
    list.push_back({own.name, Form::runtime, own.kind, own.chunk});
  return list;
}

std::vector<Candidate> usual_candidates(Runtime runtime, bool with_library) {
  std::vector<Candidate> list = all_candidates(runtime, with_library);
  std::erase_if(list, [](const Candidate& c) { return is_ours(c) && c.kind != k_wstree; });
  return list;
}

std::vector<Candidate> model_candidates(Runtime runtime, bool with_library) {
  if (runtime == Runtime::tbb) return {};
  std::vector<Candidate> list = all_candidates(runtime, with_library);
  std::erase_if(list, [](const Candidate& c) { return c.form != Form::runtime || c.kind == k_trapezoidal; });
  return list;
}

} // namespace bench
