// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes blocks in words, without a look at the prover's values. For the .cpp files of this folder alone.
#pragma once

#include "code.h"
#include "proof.h"
#include "vectors.h"
#include "words.h"

#include <cstdint>

namespace wstree::proof {

/// A store, or an atomic operation without a result, outside of the frame.
struct TurnStore {
  Word address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t code = 0; ///< instruction of an atomic operation; 0: a store
  Word lanes[8] = {};     ///< value in pieces of 4 bytes
};

/// The registers of an x86-64 processor while it executes a list of instructions.
class Turn {
public:
  static constexpr unsigned k_registers = 16;
  static constexpr unsigned k_lanes = 8;                             ///< of 4 bytes, in a vector register
  static constexpr unsigned k_units = k_registers + k_registers * 4; ///< of 8 bytes: all registers
  static constexpr std::size_t k_most_stores = 160;

  Turn(Words& words, const Process& process, Grown<TurnStore>& stores) noexcept
      : words_(words), process_(process), stores_(stores) {}

  Word unit(unsigned number) const noexcept {
    if (number < k_registers) return general_[number];
    const Word* const lanes = vectors_[(number - k_registers) / 4] + (number - k_registers) % 4 * 2;
    return words_.pair(lanes[0], lanes[1]);
  }
  Word lane(unsigned reg, unsigned number) const noexcept { return vectors_[reg][number]; }
  void set_unit(unsigned number, Word word) noexcept {
    if (number < k_registers) {
      general_[number] = word;
      return;
    }
    Word* const lanes = vectors_[(number - k_registers) / 4] + (number - k_registers) % 4 * 2;
    lanes[0] = words_.half(word, 0);
    lanes[1] = words_.half(word, 1);
  }
  /// All registers are unknown.
  void forget() noexcept;
  /// Marks loads from now on as later than those of former blocks.
  void begin(std::uint32_t epoch) noexcept { epoch_ = epoch; }
  /// Returns whether no word of the frame that was written was read, too.
  bool is_frame_apart() const noexcept;
  /// Returns whether something was stored to the frame.
  bool writes_frame() const noexcept { return writes_frame_; }
  /// Returns whether something was read there by the stack pointer.
  bool reads_frame() const noexcept { return reads_frame_; }
  /// Executes an instruction, if it is one that is known to change nothing but registers and memory that is
  /// stored to. Branches change nothing.
  bool step(const Instruction& instruction) noexcept;

private:
  bool step_vector(const Instruction& instruction) noexcept;
  bool step_lanes(const Instruction& instruction, VectorForm form) noexcept;
  bool step_mixed(const Instruction& instruction) noexcept;
  bool step_scalar(const Instruction& instruction, VectorForm form) noexcept;
  bool step_move(const Instruction& instruction) noexcept;
  bool step_arithmetic(const Instruction& instruction) noexcept;
  bool step_shift(const Instruction& instruction) noexcept;
  bool step_multiply(const Instruction& instruction) noexcept;
  bool step_condition(const Instruction& instruction) noexcept;

  bool address_of(const Instruction& instruction, const Operand& operand, Word& address) noexcept;
  Word loaded(Word address, unsigned bytes) noexcept;
  bool note_frame(Word address, unsigned bytes, bool is_store) noexcept;
  bool read(const Instruction& instruction, const Operand& operand, Word& word) noexcept;
  bool write(const Instruction& instruction, const Operand& operand, Word word) noexcept;
  bool read_lanes(const Instruction& instruction, const Operand& operand, unsigned count,
                  Word* lanes) noexcept;
  bool write_lanes(const Instruction& instruction, const Operand& operand, unsigned count,
                   const Word* lanes) noexcept;
  bool store(const Instruction& instruction, const Operand& operand, unsigned bytes,
             const Word* lanes) noexcept;
  Word narrow(Word word, unsigned bytes) noexcept;
  Word choose(unsigned condition, Word yes, Word no) noexcept;
  void set_flags(std::uint32_t code, Word a, Word b, unsigned size, Word before = 0) noexcept;

  Words& words_;
  const Process& process_;
  Grown<TurnStore>& stores_;
  /// Bytes of the frame, from the stack pointer on.
  struct FramePlace {
    std::int64_t begin;
    std::int64_t end;
    bool is_store;
  };
  static constexpr std::size_t k_most_places = 32;
  std::uint32_t epoch_ = 0;
  FramePlace places_[k_most_places] = {};
  std::size_t place_count_ = 0;
  bool has_all_places_ = true;
  bool writes_frame_ = false;
  bool reads_frame_ = false;
  Word general_[k_registers] = {};
  Word vectors_[k_registers][k_lanes] = {};
  Word flags_ = 0;
};

/// Returns the number of a condition, which inverse instructions share with their inverse's complement;
/// 0: `instruction` is no conditional move or setting of a byte.
unsigned condition_number(unsigned instruction) noexcept;

} // namespace wstree::proof
