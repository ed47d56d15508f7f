// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The ways to run the loops.
#pragma once
#include "form.h"
#include "omp_calls.h"
#include <string>
#include <vector>

namespace bench {

struct Candidate {
  std::string name;
  Form form;
  int kind, chunk; ///< for omp_set_schedule; of no effect on literal forms and on oneTBB
};

/// Returns whether the kind is the library's, in any process.
inline bool is_ours(const Candidate& candidate) { return is_ours(candidate.kind); }

/// Returns whether each iteration is handed out on its own.
bool one_at_a_time(const Candidate& candidate);

/// Returns the runtime's own schedules; with the library in the process, its kinds come last.
std::vector<Candidate> all_candidates(Runtime runtime, bool with_library);
/// Returns the candidates unless the user chooses some: of the library's kinds the tree alone.
std::vector<Candidate> usual_candidates(Runtime runtime, bool with_library);
/// Returns all kinds of the library beside the runtime's static, dynamic and guided.
std::vector<Candidate> model_candidates(Runtime runtime, bool with_library);

} // namespace bench
