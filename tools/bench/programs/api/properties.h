// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Properties that can be relied on, tried out.
#pragma once
#include "peers.h"
#include <string>

namespace bench {

/// A property of one peer: the observation, in a few words, and whether it holds.
struct Property {
  std::string name, peer, seen;
  bool holds;
};

/// `times`: number of attempts at things that may go wrong.
std::vector<Property> try_properties(const std::vector<Peer>& peers, int times);

/// Throws an exception in a loop, in a process of its own, which that may end. Returns the exit status.
int throw_in(const std::string& peer);

} // namespace bench
