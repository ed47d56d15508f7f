// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of clang that execute several iterations at a time: the copies of the body must be alike, and their
// sums must meet behind the loop.
#include "copies.h"
#include "location.h"
#include "registers.h"
#include "walk.h"

#include <iterator>
#include <new>

namespace wstree::proof {

/// Checks that the copies of the body in the loop that was followed do the same, and numbers its sums that
/// have some of the iterations only.
bool Prover::compare_copies(Walk& walk, Location* locations, std::size_t count) noexcept {
  static constexpr char k_reason[] = "does something in some iterations that the proof cannot compare";
  const std::uint32_t block = walk.members[0];
  const Address place = walk.function.instructions[walk.function.blocks[block].first].address;
  const std::size_t mark = kept_.mark();
  auto* const memory = kept_.make<Copies>();
  if (memory == nullptr) return refuse("there is no memory for the proof", place);
  auto* const copies = new (memory) Copies(kept_, process_);
  if (walk.count != 1 || !copies->are_alike(walk.function, block, loop_.width))
    return refuse(k_reason, place);
  // Another register may lead to a word of the frame that a copy stores to, or a word that is read there.
  const std::size_t pointers = !copies->writes_frame() ? 0 : copies->reads_frame() ? count : k_registers;
  for (std::size_t i = 0; i < pointers; ++i)
    if (i != k_rsp && (values_.at(locations[i].start).bits & k_frame) != 0) return refuse(k_reason, place);
  bool has_open = false;
  for (std::size_t i = 0; i < count; ++i) {
    Location& location = locations[i];
    if (location.is != Location::Class::sum || location.operation == Operation::none) continue;
    const Copies::Share share =
        i < k_registers ? copies->share_of(unit_of(i), lanes_of(location.bytes)) : Copies::Share::none;
    if (share == Copies::Share::none) return refuse(k_reason, place);
    if (share == Copies::Share::whole) continue;
    has_open = true;
    location.member = static_cast<std::uint16_t>(copies_count_ * Copies::k_units + unit_of(i) + 1);
  }
  if (!has_open) {
    kept_.release(mark);
    return true;
  }
  if (copies_count_ == std::size(copies_)) return refuse(k_reason, place);
  copies_[copies_count_++] = copies;
  return true;
}

/// Returns the copies of the loop whose sums the registers have; nullptr: they have none.
Copies* Prover::open_copies(State& state) noexcept {
  if (copies_count_ == 0) return nullptr;
  for (std::size_t i = 0; i < k_registers; ++i)
    if (const std::uint16_t member = values_.at(register_of(state, i)).member;
        member != 0 && member != k_several_members)
      return copies_[(member - 1) / Copies::k_units];
  return nullptr;
}

/// Executes a block in words, for the sums of `copies`.
std::uint32_t Prover::execute_open(Walk& walk, std::uint32_t block, State& state, Copies& copies) noexcept {
  std::uint16_t members[Copies::k_units] = {};
  for (std::size_t i = 0; i < k_registers; ++i) {
    Value& value = register_of(state, i);
    const std::uint16_t member = values_.at(value).member;
    if (member == 0) continue;
    if (member == k_several_members || copies_[(member - 1) / Copies::k_units] != &copies) {
      value = values_.undefined();
      continue;
    }
    // The upper half of a register of 32 bytes has three units.
    const unsigned unit = (member - 1U) % Copies::k_units;
    for (unsigned j = 0; j < (i >= 32 ? 3U : 1U); ++j)
      members[unit_of(i) + j] = static_cast<std::uint16_t>(unit + j + 1);
  }
  return copies.execute_behind(walk.function, block, members);
}

/// Makes sums of all iterations of those that a block has put together, and loses sums of some that it has
/// not kept as they were.
void Prover::close_sums(State& state, Copies& copies) noexcept {
  for (std::size_t i = 0; i < k_registers; ++i) {
    Value& value = register_of(state, i);
    const std::uint16_t member = values_.at(value).member;
    if (member == 0) continue;
    const unsigned size = values_.at(value).size;
    const unsigned own = member == k_several_members ? Copies::k_units : (member - 1U) % Copies::k_units;
    const auto share = [&](unsigned lanes) noexcept {
      Copies::Share found = copies.share_behind(unit_of(i), lanes, own);
      for (unsigned j = 1; j < 3 && i >= 32 && own < Copies::k_units; ++j)
        if (copies.share_of(own + j, lanes) != Copies::Share::none &&
            copies.share_behind(unit_of(i) + j, lanes, own + j) != found)
          found = Copies::Share::none;
      return found;
    };
    const Copies::Share all = share(lanes_of(size));
    if (all == Copies::Share::whole)
      value = values_.closed(value, size);
    else if (size == k_packed && share(1) == Copies::Share::whole)
      value = values_.closed(value, 4);
    else if (all == Copies::Share::none)
      value = values_.undefined();
  }
  for (std::uint16_t i = 0; i < state.count; ++i)
    if (values_.is_open(state.slots[i].value)) state.slots[i].value = values_.undefined();
}

/// Loses sums of some of the iterations.
void Prover::drop_open(State& state) noexcept {
  if (copies_count_ == 0) return;
  for (std::size_t i = 0; i < k_registers; ++i)
    if (Value& value = register_of(state, i); values_.is_open(value)) value = values_.undefined();
  for (std::uint16_t i = 0; i < state.count; ++i)
    if (values_.is_open(state.slots[i].value)) state.slots[i].value = values_.undefined();
}

} // namespace wstree::proof
