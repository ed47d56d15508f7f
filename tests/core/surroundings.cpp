// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thief has seen around it.
#include "wstree/core/tree/search/surroundings.h"

#include "usual.h"

namespace wstree::core {
namespace {

TEST(Surroundings, AThiefsShareIsNeverEmpty) {
  // One root for a team of eight: member 4 has no other member in its two domains, but the node that it meets
  // belongs to member 5, which is in the second. A share of nothing was handed out as an empty piece.
  const Domain domains[] = {{4, 5}, {4, 6}};
  const Neighbourhood near{nullptr, domains, 2, 4};
  Node<StdPlatform> node;
  Surroundings<StdPlatform> around(near);
  for (std::uint32_t ring = 0; ring < around.rings(); ++ring) {
    const Domain domain = around.domain(ring, 1);
    around.expect(ring, domain.end - domain.begin, domain.end - domain.begin);
  }
  around.saw(2, 0, 5, {&node, 0, 10, 0, 0, Word()}, 10);
  const auto choice = around.choose(1);
  ASSERT_EQ(choice.target.node, &node);
  EXPECT_GE(choice.share, 4U);
  EXPECT_LE(choice.share, 6U);
}

} // namespace
} // namespace wstree::core
