# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets wstree_kinds to the words of all schedules in the table of include/wstree/core/kinds.h.
file(READ ${PROJECT_SOURCE_DIR}/include/wstree/core/kinds.h table)
string(REGEX MATCHALL "WSTREE_KIND\\([a-z0-9_]+, [a-z0-9_]+" wstree_kinds "${table}")
list(TRANSFORM wstree_kinds REPLACE ".* " "")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/wstree/core/kinds.h)
