// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Ordered parallel algorithms on the program's own OpenMP team: everything. Compile with -std=c++20 and
/// -fopenmp; without the latter they have threads of their own. Each header of wstree/parallel can be
/// included alone.
#pragma once

#if __cplusplus < 202002L
#error "wstree/parallel.hpp needs C++20: compile with -std=c++20"
#else
#include "wstree/parallel/blocks.h"
#include "wstree/parallel/comparisons.h"
#include "wstree/parallel/extrema.h"
#include "wstree/parallel/filter.h"
#include "wstree/parallel/fold.h"
#include "wstree/parallel/for_each.h"
#include "wstree/parallel/histogram.h"
#include "wstree/parallel/invoke_all.h"
#include "wstree/parallel/join.h"
#include "wstree/parallel/merge.h"
#include "wstree/parallel/partition.h"
#include "wstree/parallel/per_thread.h"
#include "wstree/parallel/pipeline.h"
#include "wstree/parallel/policy.h"
#include "wstree/parallel/reduce.h"
#include "wstree/parallel/reduce_forms.h"
#include "wstree/parallel/reorder.h"
#include "wstree/parallel/scan.h"
#include "wstree/parallel/search.h"
#include "wstree/parallel/selection.h"
#include "wstree/parallel/sets.h"
#include "wstree/parallel/sort.h"
#include "wstree/parallel/sum.h"
#include "wstree/parallel/team.h"
#include "wstree/parallel/transform.h"
#include "wstree/parallel/walk.h"
#include "wstree/parallel/worklist.h"
#endif
