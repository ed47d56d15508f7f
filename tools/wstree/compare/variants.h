// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace wstree::cli {

/// The purpose of a variant.
enum class Role {
  as_it_is, ///< the user's present way
  schedule, ///< a schedule of the OpenMP runtime
  tree,     ///< the library with its default schedule
  per_loop, ///< the library doing as a schedule of the runtime does, for the times of single loops
  advice,   ///< to be recommended
  cause     ///< to find out whether something else than the schedule makes the difference
};

using Settings = std::vector<std::pair<std::string, std::string>>; ///< variables and their values

/// One way to run the program.
struct Variant {
  std::string name; ///< "guided"
  Role role;
  bool served = false; ///< with the library
  Settings settings = {};
  bool few_rounds = false;               ///< a rough time is enough
  std::vector<std::string> starter = {}; ///< the command that starts the program: wstree run with its options
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

/// Returns the variant's name in a narrow table: "wstree, passive".
std::string short_name(const Variant& variant);

/// The start of a variant by a user.
struct Invocation {
  Settings variables;
  std::vector<std::string> options; ///< options of wstree run
  bool served = false;              ///< by wstree run

  /// Returns "OMP_SCHEDULE=guided" or "OMP_WAIT_POLICY=passive wstree run --loops dynamic".
  [[nodiscard]] std::string text() const;
};
Invocation invocation_of(const Variant& variant);

/// Returns the line of a file of rules with the variant's effect for all loops, as far as rules can: "*
/// wstree loops=dynamic chunk=1"; empty: the library has no part in it.
std::string rule_of(const Variant& variant);
/// Returns the variables of a variant that rules cannot hold.
Settings settings_beside_rules(const Variant& variant);

/// Facts about the program's loops.
struct ProgramLoops {
  bool runtime_kind = false; ///< some loop has schedule(runtime)
  std::string literal_kinds; ///< "dynamic,guided": the others' clauses
  bool static_kind = false;  ///< some loop asks the runtime for equal parts, which the library can cut anew
  bool llvm = false;         ///< the runtime is LLVM's
  bool large_chunk = false;  ///< some loop has so large a chunk that an execution has few of them
};

/// `schedules`: of the runtime, or empty for all that it has.
/// `waits`: OMP_WAIT_POLICY is not set by the user. `fast`: settings that give a program the fast CPUs of the
/// machine only; empty: all are of one kind.
std::vector<Variant> make_variants(const ProgramLoops& loops, const std::vector<std::string>& schedules,
                                   bool per_loop, bool waits, const Settings& fast = {});

} // namespace wstree::cli
