// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All peers together.
#pragma once

#include "peer.h"

#include "wstree/core/self_scheduling/worker.h"

#include <type_traits>
#include <utility>

namespace wstree::simulate {

/// Each satisfies core::Scheduler.
template <class P, Peer peer> struct PeerWorker;
template <class P>
struct PeerWorker<P, Peer::dynamic> : std::type_identity<core::SelfSchedulingWorker<P, core::FixedRule>> {};

/// Calls `visit.template operator()<Worker>()` for the worker of that peer.
template <class P, class Visit> decltype(auto) with_peer(Peer peer, Visit&& visit) {
  switch (peer) {
  case Peer::dynamic:
    break;
  }
  return visit.template operator()<typename PeerWorker<P, Peer::dynamic>::type>();
}

} // namespace wstree::simulate
