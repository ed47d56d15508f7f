// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The copies of an iteration's body in a loop that executes several iterations in each turn: whether all are
// alike. For the .cpp files of this folder alone.
#pragma once

#include "code.h"
#include "turn.h"
#include "words.h"

#include <cstdint>

namespace wstree::proof {

class Copies {
public:
  static constexpr unsigned k_units = Turn::k_units;
  static constexpr std::int64_t k_most_times = 128;

  Copies(Arena& arena, const Process& process) noexcept
      : arena_(arena), process_(process), words_(arena), stores_(arena), pieces_(arena), kinds_(arena),
        parts_(arena), classes_(arena) {}

  /// Returns whether each turn of the loop that is `block` does `times` times the same, as a function of the
  /// iteration. It must store each time to another place, and put a value into each of its sums.
  bool are_alike(const Function& function, std::uint32_t block, std::int64_t times) noexcept;
  /// Returns whether it stores to the frame by the stack pointer, or reads it.
  bool writes_frame() const noexcept { return writes_frame_; }
  bool reads_frame() const noexcept { return reads_frame_; }

  /// Which part of a sum a register has.
  enum class Share : std::uint8_t {
    none,  ///< something else
    some,  ///< the values of some of the iterations
    whole, ///< those of all
  };
  /// A unit behind the loop; `lanes`: 0: 8 bytes, else its lanes that must be sums of 4 bytes, a bit each.
  Share share_of(unsigned unit, unsigned lanes) noexcept;
  /// Executes a block behind the loop until it does more than change registers, and returns the instruction
  /// there. `members`: by unit, one more than the unit of the loop's sum that it has; 0: none.
  std::uint32_t execute_behind(const Function& function, std::uint32_t block,
                               const std::uint16_t* members) noexcept;
  /// What a unit has there.
  Share share_behind(unsigned unit, unsigned lanes, unsigned member) noexcept;

private:
  /// A piece of a store, which is one of an iteration's effects.
  struct Piece {
    Word address;
    Word value;
    std::uint32_t bytes;
    std::uint32_t code;
    std::uint32_t store; ///< which of the stores
    std::uint32_t kind;
    std::int64_t lane;
  };
  /// Iterations of a turn, counted from one of them.
  struct Lanes {
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::uint32_t count = 0;
    std::uint64_t taken[2 * k_most_times / 64] = {};
    /// False: it is there already.
    bool add(std::int64_t lane) noexcept;
    bool are_all(std::int64_t times) const noexcept { return count == times && most - least == times - 1; }
  };
  /// An effect that each iteration has.
  struct Kind {
    std::uint32_t first; ///< piece
    Lanes lanes;         ///< from the first piece's on
  };
  /// A value that is put into a sum.
  struct Part {
    std::uint32_t sum;
    std::int64_t factor;
    Word word;
    std::uint32_t code;
    bool is_negative;
    std::int64_t lane;
  };
  /// Values that are one function of the iteration.
  struct Class {
    std::uint32_t first; ///< part
    std::uint32_t sum;   ///< all are in this one; or k_several
    Lanes lanes;         ///< from the first part's on
  };
  struct Sum {
    Word leaf;
    Word end;
    std::uint32_t code;      ///< operation; 0: addition of whole numbers
    std::uint32_t component; ///< sums that have the iterations together
    std::int64_t constant;
  };
  struct Step {
    Word leaf;
    Word step;
  };
  static constexpr std::uint32_t k_several = ~0U;
  static constexpr std::size_t k_most_sums = 64;

  void find_starts(const Function& function, std::uint32_t block) noexcept;
  bool run(const Function& function, std::uint32_t block, const Word* entries, Word* ends) noexcept;
  bool find_entries(const Function& function, std::uint32_t block) noexcept;
  Word entry_of(Word leaf, Word step, Word start) noexcept;
  bool find_pieces() noexcept;
  bool find_kind(Piece& piece, bool is_shared) noexcept;
  bool compare_stores() noexcept;
  bool compare_sums() noexcept;
  bool find_sum(Word leaf, Word end) noexcept;
  bool flatten(Word word, Word leaf, std::uint32_t& code, std::uint32_t sum, bool is_negative,
               bool& is_found) noexcept;
  bool put_in(std::uint32_t sum, Word word, std::int64_t factor, std::uint32_t code,
              bool is_negative) noexcept;
  bool classify(std::uint32_t part) noexcept;
  const Sum* sum_of(Word leaf) const noexcept;
  bool gather(Word word, std::uint32_t code, std::uint32_t& component, std::uint64_t& seen) noexcept;
  Word piece_of(Word lane, unsigned offset, unsigned bytes) noexcept;
  bool is_moved(Word leaf, Word& step) const noexcept;
  bool is_same(Word a, Word b, std::int64_t apart) noexcept;
  bool is_same_node(Word a, Word b, std::int64_t apart) noexcept;
  bool is_sum_of_moved(Word word) const noexcept;
  bool is_same_sum(const WordNode& a, const WordNode& b, std::int64_t apart) noexcept;
  std::int64_t stride_of(Word address) noexcept;
  std::uint64_t stores_before(std::int64_t stores, std::int64_t lane) const noexcept;

  Arena& arena_;
  const Process& process_;
  Words words_;
  Grown<TurnStore> stores_;
  Grown<Piece> pieces_;
  Grown<Kind> kinds_;
  Grown<Part> parts_;
  Grown<Class> classes_;
  std::int64_t times_ = 1;
  std::int64_t from_lane_ = 0; ///< lanes of the compared words, while loads are compared, too
  bool compares_loads_ = false;
  bool writes_frame_ = false;
  bool reads_frame_ = false;
  std::uint32_t budget_ = 0;
  int depth_ = 0;
  Word starts_[k_units] = {};
  Word entries_[k_units] = {};
  Word ends_[k_units] = {};
  Step steps_[k_units * 2] = {};
  Word starts_of_[k_units * 2] = {}; ///< their words in front of the loop
  std::size_t step_count_ = 0;
  std::uint32_t* class_of_ = nullptr; ///< by part
  std::uint32_t* store_of_ = nullptr; ///< by kind and lane
  Sum sums_[k_most_sums] = {};
  std::uint32_t sum_count_ = 0;
};

} // namespace wstree::proof
