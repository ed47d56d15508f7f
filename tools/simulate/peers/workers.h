// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All peers together.
#pragma once

#include "aid.h"
#include "central.h"
#include "cilk_for.h"
#include "gomp_guided.h"
#include "libomp_dynamic.h"
#include "libomp_guided.h"
#include "libomp_static.h"
#include "libomp_static_steal.h"
#include "libomp_trapezoidal.h"
#include "peer.h"
#include "static_balanced.h"
#include "tbb_auto.h"

#include <type_traits>
#include <utility>

namespace wstree::simulate {

/// Each satisfies core::Scheduler.
template <class P, Peer peer> struct PeerWorker;
template <class P>
struct PeerWorker<P, Peer::static_> : std::type_identity<OpenmpWorker<P, LibompStatic<P>>> {};
template <class P>
struct PeerWorker<P, Peer::dynamic> : std::type_identity<OpenmpWorker<P, LibompDynamic<P>>> {};
template <class P>
struct PeerWorker<P, Peer::guided> : std::type_identity<OpenmpWorker<P, LibompGuided<P>>> {};
template <class P>
struct PeerWorker<P, Peer::trapezoidal> : std::type_identity<OpenmpWorker<P, LibompTrapezoidal<P>>> {};
template <class P>
struct PeerWorker<P, Peer::static_steal> : std::type_identity<OpenmpWorker<P, LibompStaticSteal<P>>> {};
template <class P>
struct PeerWorker<P, Peer::gomp_guided> : std::type_identity<OpenmpWorker<P, GompGuided<P>>> {};
template <class P> struct PeerWorker<P, Peer::tbb_auto> : std::type_identity<TbbWorker<P>> {};
template <class P> struct PeerWorker<P, Peer::cilk_for> : std::type_identity<CilkWorker<P>> {};
template <class P>
struct PeerWorker<P, Peer::static_balanced> : std::type_identity<OpenmpWorker<P, StaticBalanced<P>>> {};
template <class P>
struct PeerWorker<P, Peer::aid_static> : std::type_identity<OpenmpWorker<P, AidRule<P, Aid::at_once>>> {};
template <class P>
struct PeerWorker<P, Peer::aid_hybrid> : std::type_identity<OpenmpWorker<P, AidRule<P, Aid::hybrid>>> {};
template <class P>
struct PeerWorker<P, Peer::aid_dynamic> : std::type_identity<OpenmpWorker<P, AidRule<P, Aid::dynamic>>> {};

/// Calls `visit.template operator()<Worker>()` for the worker of that peer.
template <class P, class Visit> decltype(auto) with_peer(Peer peer, Visit&& visit) {
  switch (peer) {
  case Peer::static_:
    return visit.template operator()<typename PeerWorker<P, Peer::static_>::type>();
  case Peer::guided:
    return visit.template operator()<typename PeerWorker<P, Peer::guided>::type>();
  case Peer::trapezoidal:
    return visit.template operator()<typename PeerWorker<P, Peer::trapezoidal>::type>();
  case Peer::static_steal:
    return visit.template operator()<typename PeerWorker<P, Peer::static_steal>::type>();
  case Peer::gomp_guided:
    return visit.template operator()<typename PeerWorker<P, Peer::gomp_guided>::type>();
  case Peer::tbb_auto:
    return visit.template operator()<typename PeerWorker<P, Peer::tbb_auto>::type>();
  case Peer::cilk_for:
    return visit.template operator()<typename PeerWorker<P, Peer::cilk_for>::type>();
  case Peer::static_balanced:
    return visit.template operator()<typename PeerWorker<P, Peer::static_balanced>::type>();
  case Peer::aid_static:
    return visit.template operator()<typename PeerWorker<P, Peer::aid_static>::type>();
  case Peer::aid_hybrid:
    return visit.template operator()<typename PeerWorker<P, Peer::aid_hybrid>::type>();
  case Peer::aid_dynamic:
    return visit.template operator()<typename PeerWorker<P, Peer::aid_dynamic>::type>();
  case Peer::dynamic:
    break;
  }
  return visit.template operator()<typename PeerWorker<P, Peer::dynamic>::type>();
}

} // namespace wstree::simulate
