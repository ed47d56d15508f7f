// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace wstree::cli {

/// What a variant is there for.
enum class Role {
  as_it_is, ///< what the user has
  schedule, ///< of the OpenMP runtime
  tree,     ///< the library with its default schedule
  per_loop, ///< the library doing as a schedule of the runtime does, for the times of single loops
  rules,    ///< those that are written in the end
  cause     ///< to find out whether something else than the schedule makes the difference
};

/// One way to run the program.
struct Variant {
  std::string name; ///< "guided"
  Role role;
  bool served = false; ///< with the library
  std::vector<std::pair<std::string, std::string>> settings = {};
  bool few_rounds = false; ///< a rough time is enough
};

inline constexpr const char* k_as_it_is = "as it is";
inline constexpr const char* k_tree = "wstree";
inline constexpr const char* k_unbound = "wstree, WSTREE_BIND=none";
inline constexpr const char* k_balanced = "wstree, static loops balanced";
inline constexpr const char* k_shared_chunks = "wstree, chunks shared";
inline constexpr const char* k_passive = "as it is, OMP_WAIT_POLICY=passive";
inline constexpr const char* k_tree_passive = "wstree, OMP_WAIT_POLICY=passive";
inline constexpr const char* k_fast = "as it is, fast CPUs only";
inline constexpr const char* k_tree_fast = "wstree, fast CPUs only";
inline constexpr const char* k_one_thread = "one thread";

/// What a narrow table calls it: "wstree, passive".
std::string short_name(const Variant& variant);

/// Settings that give a program the fast CPUs of the machine only; empty: all are of one kind.
using FastSettings = std::vector<std::pair<std::string, std::string>>;

/// What is known of the program.
struct ProgramLoops {
  bool runtime_kind = false; ///< some loop says schedule(runtime)
  std::string literal_kinds; ///< "dynamic,guided": what others say
  bool static_kind = false;  ///< some loop asks the runtime for equal parts, which the library can cut anew
  bool llvm = false;         ///< the runtime is LLVM's
  bool large_chunk = false;  ///< some loop says a chunk of which an execution has few
};

/// `schedules`: of the runtime, or empty for all that it has.
/// `waits`: OMP_WAIT_POLICY is not set by the user.
std::vector<Variant> make_variants(const ProgramLoops& loops, const std::vector<std::string>& schedules,
                                   bool per_loop, bool waits, const FastSettings& fast = {});

} // namespace wstree::cli
