// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread pool as the place where calls of the C++ library find their members: par().on(pool).
#pragma once

#include "wstree/parallel/nesting.h"
#include "wstree/parallel/policy.h"
#include "wstree/types/detail/crew.h"

#include <atomic>
#include <cstdint>
#include <new>

namespace wstree {
inline namespace v1 {
namespace detail {

/// The caller is the first member of its call and begins at once. It leaves invitations in the pool; a member
/// that executes one while the call goes on joins it, and one that comes later finds the door closed. So the
/// call does not wait for members of the pool that are busy elsewhere.
class PoolPlace : public Place {
public:
  explicit PoolPlace(Crew* crew) noexcept : Place{&most_members, &host}, crew_(crew) {}

private:
  /// The door is apart from the call: late members look at it when the call has ended.
  struct Invitation {
    Door door;
    std::atomic<std::uint32_t> users;

    void drop() noexcept {
      // acq_rel: the last user frees it after the accesses of earlier users.
      if (users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
  };
  /// One task of the pool; all of a call share the invitation.
  struct Guest {
    Invitation* invitation;
    void operator()() const noexcept {
      Call::visit(invitation->door);
      invitation->drop();
    }
  };
  /// The owner of guests that are tasks.
  struct Owner {
    Failure none;
    Failure& failure() noexcept { return none; }
    void finish() noexcept {}
  };

  static std::uint32_t most_members(const Place& place) noexcept {
    const Crew& crew = *static_cast<const PoolPlace&>(place).crew_;
    return crew.size() + (crew.me() == nullptr ? 1 : 0);
  }
  static void host(const Place& place, Call& call) noexcept {
    auto& self = const_cast<PoolPlace&>(static_cast<const PoolPlace&>(place));
    auto* const invitation = new (std::nothrow) Invitation{{}, call.guests() + 1};
    if (invitation == nullptr) return call.work_as(0); // no memory
    invitation->door.open(&call);
    std::uint32_t invited = 1;
    self.owner_.none.guard([&] {
      for (; invited <= call.guests(); ++invited)
        self.crew_->post(OwnedTask<Owner, Guest>::make(self.owner_, Guest{invitation}));
    });
    for (; invited <= call.guests(); ++invited) invitation->drop(); // no memory for these
    call.work_behind(invitation->door);
    invitation->drop();
  }

  Crew* crew_;
  Owner owner_;
};

} // namespace detail
} // namespace v1
} // namespace wstree
