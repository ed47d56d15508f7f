# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The commands that tools/demo does without (WSTREE_FEW_COMMANDS): compare, help, report, rules, topo and trace.
find_package(ZLIB REQUIRED)

target_sources(wstree_commands PRIVATE
  topo/boxes.cpp topo/facts.cpp topo/find.cpp topo/json.cpp topo/svg.cpp topo/text.cpp topo/topo.cpp)

# The reader of records, which `simulate` shares.
add_library(wstree_profile STATIC ${PROJECT_SOURCE_DIR}/tools/simulate/engine/profile.cpp)
target_compile_features(wstree_profile PUBLIC cxx_std_20)
target_include_directories(wstree_profile PUBLIC ${PROJECT_SOURCE_DIR}/tools/simulate/engine)
wstree_compile_with_lines(wstree_profile)

# Sources of rules, traces and reports. The page of the report is part of the command.
target_sources(wstree_shown PRIVATE
  rules/rules.cpp trace/trace.cpp trace/trace_input.cpp
  report/advice.cpp report/against.cpp report/html.cpp report/inputs.cpp report/model.cpp report/profile_input.cpp report/report.cpp report/text.cpp
  report/trace_figures.cpp ${CMAKE_CURRENT_BINARY_DIR}/report_page.cpp)
foreach(part page.html page.css marks.js charts.js lanes.js timeline.js shared.js page.js)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS report/page/${part})
  file(READ report/page/${part} WSTREE_${part})
endforeach()
configure_file(report/page.cpp.in report_page.cpp @ONLY)
target_include_directories(wstree_shown PRIVATE report)
target_link_libraries(wstree_shown PUBLIC wstree_profile ZLIB::ZLIB)

# Texts of `wstree help`, which are part of the command.
set(topics "")
foreach(topic compare placement report rules schedules statistics trace troubleshooting)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS help/topics/${topic}.txt)
  file(READ help/topics/${topic}.txt text)
  string(APPEND topics "      {\"${topic}\", R\"topic(${text})topic\"},\n")
endforeach()
set(WSTREE_HELP_TOPICS "${topics}")
configure_file(help/topics.cpp.in help_topics.cpp @ONLY)
add_library(wstree_help STATIC help/help.cpp ${CMAKE_CURRENT_BINARY_DIR}/help_topics.cpp)
target_include_directories(wstree_help PRIVATE help)
target_link_libraries(wstree_help PUBLIC wstree_commands)
wstree_compile_unoptimised(wstree_help)
wstree_precompiled_command(wstree_help)

# The statistic stands alone, so that tests of it need nothing else.
add_library(wstree_paired STATIC compare/paired.cpp)
target_compile_features(wstree_paired PUBLIC cxx_std_20)
target_include_directories(wstree_paired PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
add_library(wstree_compare STATIC compare/baseline.cpp compare/compare.cpp compare/counters.cpp compare/exports.cpp compare/judgement.cpp compare/loop_causes.cpp compare/measured_run.cpp
  compare/reference.cpp  compare/session.cpp compare/svg.cpp compare/text.cpp compare/variants.cpp compare/verdicts.cpp)
target_link_libraries(wstree_compare PUBLIC wstree_commands wstree_paired)
wstree_compile_unoptimised(wstree_compare)
wstree_precompiled_command(wstree_compare)
