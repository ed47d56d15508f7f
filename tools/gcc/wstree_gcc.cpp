// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin of gcc, which computes the bounds of static loops inline, where no library can serve them. It
// gives loops without a schedule clause schedule(runtime): then OMP_SCHEDULE decides, for static as before.
//
//   gcc -fopenmp -fplugin=wstree_gcc.so [-fplugin-arg-wstree_gcc-OPTION=VALUE...] ...
//
//   files=GLOB,...      only loops in these files, whole paths as gcc was given them; * stands for anything
//   functions=GLOB,...  only loops in these functions
//   loops=WORD,...      none (loops without a clause; the default), static (without a chunk), dynamic
//   verbose             one note for each loop that is changed
//
// Runs on the trees of all front ends (C, C++, Fortran), before gcc makes functions of regions.
#include "gcc-plugin.h"
#include "plugin-version.h"

#include "tree.h"

#include "basic-block.h"
#include "context.h"
#include "gimple.h"

#include "diagnostic.h"
#include "gimple-iterator.h"
#include "gimple-walk.h"
#include "omp-general.h"
#include "options.h"
#include "stringpool.h"
#include "tree-pass.h"
#include <fnmatch.h>

#include <string>
#include <vector>

extern "C" {
// The licence of the plugin allows it; gcc asks.
__attribute__((visibility("default"))) int plugin_is_GPL_compatible;
}

namespace {

using Globs = std::vector<std::string>;

struct Options {
  Globs files, functions;
  bool none = true, fixed = false, dynamic = false;
  bool verbose = false;
};
Options g_options;

bool matches(const Globs& globs, const char* text) {
  if (globs.empty()) return true;
  for (const std::string& glob : globs)
    if (text != nullptr && fnmatch(glob.c_str(), text, 0) == 0) return true;
  return false;
}

Globs split(const char* list) {
  Globs words(1);
  for (; *list != '\0'; ++list)
    if (*list == ',')
      words.emplace_back();
    else
      words.back() += *list;
  return words;
}

/// Returns whether the clauses leave the schedule to us; `schedule`: the clause that names a schedule,
/// or null.
bool may_change(tree clauses, tree& schedule) {
  schedule = NULL_TREE;
  for (tree clause = clauses; clause != NULL_TREE; clause = OMP_CLAUSE_CHAIN(clause)) {
    switch (OMP_CLAUSE_CODE(clause)) {
    case OMP_CLAUSE_ORDERED:
    case OMP_CLAUSE_ORDER: // concurrent: the functions that the body may call are restricted, and nothing
                           // is gained
    case OMP_CLAUSE__SIMT_:
      return false;
    case OMP_CLAUSE_REDUCTION:
      if (OMP_CLAUSE_REDUCTION_INSCAN(clause)) return false;
      break;
    case OMP_CLAUSE_SCHEDULE:
      schedule = clause;
      break;
    default:
      break;
    }
  }
  if (schedule == NULL_TREE) return g_options.none;
  if ((OMP_CLAUSE_SCHEDULE_KIND(schedule) & OMP_CLAUSE_SCHEDULE_MONOTONIC) != 0) return false;
  switch (OMP_CLAUSE_SCHEDULE_KIND(schedule) & OMP_CLAUSE_SCHEDULE_MASK) {
  case OMP_CLAUSE_SCHEDULE_STATIC:
    return g_options.fixed && OMP_CLAUSE_SCHEDULE_CHUNK_EXPR(schedule) == NULL_TREE;
  case OMP_CLAUSE_SCHEDULE_DYNAMIC:
    return g_options.dynamic;
  default:
    return false;
  }
}

/// Returns whether a bound of a loop inside depends on an outer loop's variable (collapse): gcc cannot
/// compile that with another schedule than static, and OpenMP forbids it.
bool is_triangular(gomp_for* loop) {
  for (std::size_t i = 0; i < gimple_omp_for_collapse(loop); ++i)
    if (TREE_CODE(gimple_omp_for_initial(loop, i)) == TREE_VEC ||
        TREE_CODE(gimple_omp_for_final(loop, i)) == TREE_VEC)
      return true;
  return false;
}

void change(gomp_for* loop) {
  if (gimple_omp_for_kind(loop) != GF_OMP_FOR_KIND_FOR) return; // distribute, taskloop, simd alone, OpenACC
  if (is_triangular(loop)) return;
  const location_t where = gimple_location(loop);
  const expanded_location at = expand_location(where);
  if (!matches(g_options.files, at.file)) return;
  tree schedule = NULL_TREE;
  if (!may_change(gimple_omp_for_clauses(loop), schedule)) return;
  if (schedule == NULL_TREE) {
    schedule = build_omp_clause(where, OMP_CLAUSE_SCHEDULE);
    OMP_CLAUSE_CHAIN(schedule) = gimple_omp_for_clauses(loop);
    gimple_omp_for_set_clauses(loop, schedule);
  }
  OMP_CLAUSE_SCHEDULE_KIND(schedule) = OMP_CLAUSE_SCHEDULE_RUNTIME;
  OMP_CLAUSE_SCHEDULE_CHUNK_EXPR(schedule) = NULL_TREE;
  OMP_CLAUSE_SCHEDULE_SIMD(schedule) = 0;
  if (g_options.verbose) inform(where, "wstree: this loop has schedule(runtime) now");
}

/// Regions of distribute share out parts whose static loops belong together; offloaded ones have no
/// OMP_SCHEDULE.
bool stays(gimple* statement) {
  if (gimple_code(statement) == GIMPLE_OMP_TEAMS) return true;
  if (gimple_code(statement) == GIMPLE_OMP_TARGET && is_gimple_omp_offloaded(statement)) return true;
  return gimple_code(statement) == GIMPLE_OMP_FOR &&
         gimple_omp_for_kind(statement) == GF_OMP_FOR_KIND_DISTRIBUTE;
}

tree visit(gimple_stmt_iterator* at, bool* handled, walk_stmt_info*) {
  gimple* const statement = gsi_stmt(*at);
  *handled = stays(statement);
  if (gimple_code(statement) == GIMPLE_OMP_FOR && !*handled) change(as_a<gomp_for*>(statement));
  return NULL_TREE;
}

constexpr pass_data k_pass = {GIMPLE_PASS, "wstree", OPTGROUP_OMP, TV_NONE, PROP_gimple_any, 0, 0, 0, 0};

class Pass final : public gimple_opt_pass {
public:
  explicit Pass(gcc::context* context) : gimple_opt_pass(k_pass, context) {}
  bool gate(function* body) override {
    return flag_openmp != 0 && matches(g_options.functions, IDENTIFIER_POINTER(DECL_NAME(body->decl)));
  }
  unsigned execute(function* body) override {
    walk_stmt_info info{};
    walk_gimple_seq_mod(&body->gimple_body, visit, nullptr, &info);
    return 0;
  }
};

bool read_option(const plugin_argument& argument) {
  const std::string key = argument.key;
  const char* const value = argument.value != nullptr ? argument.value : "";
  if (key == "files") {
    g_options.files = split(value);
  } else if (key == "functions") {
    g_options.functions = split(value);
  } else if (key == "verbose") {
    g_options.verbose = true;
  } else if (key == "loops") {
    g_options.none = g_options.fixed = g_options.dynamic = false;
    for (const std::string& word : split(value)) {
      if (word == "none")
        g_options.none = true;
      else if (word == "static")
        g_options.fixed = true;
      else if (word == "dynamic")
        g_options.dynamic = true;
      else
        return false;
    }
  } else {
    return false;
  }
  return true;
}

} // namespace

extern "C" __attribute__((visibility("default"))) int plugin_init(plugin_name_args* plugin,
                                                                  plugin_gcc_version* version) {
  if (!plugin_default_version_check(version, &gcc_version)) {
    error("wstree: this plugin was built for gcc %s, and this is gcc %s; build it with this one's headers",
          gcc_version.basever, version->basever);
    return 1;
  }
  for (int i = 0; i < plugin->argc; ++i)
    if (!read_option(plugin->argv[i])) {
      error("wstree: the plugin does not know the option %<%s=%s%>; there are files=, functions=, "
            "loops=none,static,dynamic and verbose",
            plugin->argv[i].key, plugin->argv[i].value != nullptr ? plugin->argv[i].value : "");
      return 1;
    }
  register_pass_info info{};
  info.pass = new Pass(g);
  info.reference_pass_name = "omplower";
  info.ref_pass_instance_number = 1;
  info.pos_op = PASS_POS_INSERT_BEFORE;
  register_callback(plugin->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
  return 0;
}
