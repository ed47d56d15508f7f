// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peers.h"
#include <omp.h>
#ifdef WSTREE_BENCH_PEER_TBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace bench {

std::vector<Peer> all_peers() {
  std::vector<Peer> peers{wstree_peer(), openmp_peer()};
#ifdef WSTREE_BENCH_PEER_TBB
  peers.push_back(tbb_peer());
  peers.push_back(standard_peer());
#endif
#ifdef WSTREE_BENCH_PEER_GNU
  peers.push_back(gnu_peer());
#endif
  return peers;
}

std::vector<const char*> missing_peers() {
  return {
#ifndef WSTREE_BENCH_PEER_TBB
      "tbb and std_par (libtbb-dev)",
#endif
#ifndef WSTREE_BENCH_PEER_GNU
      "gnu (the parallel mode of libstdc++)",
#endif
  };
}

void with_threads(int threads, const std::function<void()>& function) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(threads);
#ifdef WSTREE_BENCH_PEER_TBB
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute(function);
#else
  function();
#endif
  omp_set_num_threads(before);
}

} // namespace bench
