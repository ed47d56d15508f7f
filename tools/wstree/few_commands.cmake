# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The command for tools/demo (WSTREE_FEW_COMMANDS): doctor, env, path, run and stats. Their files are compiled in few
# groups, by the header that takes the compiler most of its time.
target_compile_definitions(wstree_commands PUBLIC WSTREE_FEW_COMMANDS)
get_target_property(files wstree_commands SOURCES)
list(REMOVE_ITEM files run/run_arguments.cpp) # it goes with main.cpp
list(APPEND files ${wstree_stats_sources} ${wstree_rules_sources})
set_target_properties(wstree_commands PROPERTIES SOURCES "${files}")

list(FILTER files EXCLUDE REGEX "library.cpp$") # it has definitions of its own
set_source_files_properties(${files} PROPERTIES UNITY_GROUP others)
list(FILTER files INCLUDE REGEX "^(doctor|inspect)/")
set_source_files_properties(${files} PROPERTIES UNITY_GROUP inspection)
set_source_files_properties(doctor/report.cpp doctor/served_loops.cpp doctor/trial.cpp env/env.cpp inspect/rank_loops.cpp
  inspect/statistics.cpp stats/stats.cpp stats/text.cpp support/figures.cpp PROPERTIES UNITY_GROUP json)
set_target_properties(wstree_commands PROPERTIES UNITY_BUILD_MODE GROUP)
