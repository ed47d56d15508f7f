// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows the values of a function along its paths. README.md has the argument. For the .cpp files of this
// folder alone.
#pragma once

#include "arena.h"
#include "code.h"
#include "decoder.h"
#include "known_functions.h"
#include "proof.h"
#include "state.h"
#include "values.h"
#include "vectors.h"

#include <cstddef>
#include <cstdint>

namespace wstree::proof {

/// Marks the number of an operation on one lane among those of instructions.
inline constexpr std::uint64_t k_operation_lane = std::uint64_t{1} << 44;

class Prover {
public:
  Prover(const Process& process) noexcept : process_(process), values_(kept_), functions_(kept_) {}
  Verdict prove(Address function) noexcept;

private:
  /// The loop over the part that is being followed.
  struct Loop {
    bool is_entered = false;
    bool is_silent = false;      ///< its effects are looked at, and not judged
    std::uint8_t is_turning = 0; ///< whether an inner loop's turns are looked at; 2: decided by memory
    Bits asks_memory = 0;        ///< memory that a function which it calls has decided by
    SymbolId callee_base = 0;    ///< the frame of a called function is below this place
    std::int32_t callee_offset = 0;
    bool is_guessed = false; ///< the locations that change have unknown values at the header
    std::int64_t width = 1;  ///< iterations that it executes at a time
    Value cursor = 0;        ///< the iteration, in terms of the part and of how many were executed
    SymbolId ticks = 0;      ///< number of iterations that were executed
    bool has_effect = false; ///< set by an effect
    bool has_sum = false;    ///< set by an operation that puts something into a partial result
    bool has_merge = false;  ///< set by an effect that each call must have or none
    bool is_version = false; ///< it stands behind a choice by the part
  };
  /// A store of an iteration, in terms of the iteration.
  struct Effect {
    Value address = 0;
    Value value = 0;
    std::int64_t stride = 0; ///< from one iteration's place to the next one's
    std::uint32_t size = 0;
  };
  /// A share of the part's length.
  struct Share {
    std::int64_t unit = 1;
    std::int64_t factor = 0;
    std::int64_t constant = 0;
    bool is_rest = false;
    bool is_of_left = false;
  };
  static constexpr std::size_t k_most_effects = 16;
  /// The effects of an iteration behind the choice `version`.
  struct Body {
    Address version = 0;
    std::uint8_t count = 0;
    std::uint8_t bulk_count = 0;
    Effect effects[k_most_effects] = {}; ///< by loops, in their order
    Effect bulks[k_most_effects] = {};   ///< by memset() and memcpy()
  };
  /// A store of a loop's body.
  struct Store {
    Value address = 0;
    Value value = 0;
    std::uint32_t size = 0;
    Address at = 0;
  };
  /// Addresses that were compared without a sign, `at` of the iteration and a multiple of iterations on.
  struct Comparison {
    Value at = 0;
    std::int64_t factor = 0;
    std::int64_t constant = 0;
  };
  /// A place that partial results are merged into.
  struct Merge {
    Operation operation = Operation::none;
    Value address = 0;
    std::uint32_t size = 0;
  };
  static constexpr std::size_t k_most_stores = 48;
  static constexpr Address k_several_versions = 1;
  static constexpr std::uint32_t k_most_rewrites = 4000;
  struct Walk; // the blocks of a function
  /// Facts found on the way, on which instructions of a cycle's block depend beside the state.
  struct Mode {
    bool is_entered = false;
    std::uint8_t is_turning = 0;
    Bits asks_memory = 0;
    bool is_guessed = false;
    bool is_ending = false;
    bool has_part = false;
    bool is_narrowed = false;
    bool is_cut = false;
    bool is_length_cut = false;
    bool is_cut_inside = false;
    bool has_signs = false;
    bool has_int_part = false;
    bool is_unsigned = false;
    unsigned dividend_size = 0;
    SymbolId callee_base = 0;
    std::int32_t callee_offset = 0;
    std::int64_t width = 0;
    Value cursor = 0;
    SymbolId ticks = 0;
    SymbolId thread_number = 0;
    SymbolId remainder_or_zero = 0;
    SymbolId length = 0;
    SymbolId low = 0;
    Value quotient = 0;
    Value remainder = 0;
    Value dividend = 0;
    std::size_t comparisons = 0;
    std::size_t merges = 0;
    bool operator==(const Mode&) const noexcept = default;
  };

  // prover.cpp: paths
  /// A state without slots, until the arena of states is released; nullptr: there is no memory.
  State* make_state() noexcept { return passing_.make<State>(1, offsetof(State, slots)); }
  bool refuse(const char* reason, Address at) noexcept;
  bool judge(const char* reason, Address at) noexcept {
    is_judged_ = true;
    return loop_.is_silent || refuse(reason, at);
  }
  bool keep(Kept& kept, const State& state) noexcept;
  Mode mode() const noexcept;
  Function* function_at(Address entry) noexcept;
  bool follow(Function& function, State& state, int depth, bool& returns) noexcept;
  bool visit(Walk& walk, std::uint32_t block, bool& changes) noexcept;
  bool enter(Walk& walk, std::uint32_t block, State& state) noexcept;
  bool follow_cycle(Walk& walk, std::size_t position) noexcept;
  void begin_part(State& state) noexcept;
  bool settle(Walk& walk) noexcept;
  bool check_branch(const State& state, const Instruction& branch) noexcept;
  bool check_rests(const Walk& walk) noexcept; // prover_branches.cpp, as are the following ones
  bool returns_without(const Walk& walk, std::uint32_t from, std::uint32_t without,
                       bool& gets_there) noexcept;
  bool check_decisions(const Walk& walk) noexcept;
  bool take_edge(State& state, const Instruction& branch, bool is_taken) noexcept;
  State::Formula formula_edge(const State& state, unsigned condition, bool is_taken) const noexcept;
  struct Bounds {
    Value low;
    Value length;
  };
  Bounds bounds_in(const State& state) noexcept;
  bool excludes_empty(const State& state, unsigned condition, bool is_taken) noexcept;
  bool is_test_for_empty(const State& state, unsigned condition) noexcept;
  bool is_end_of_loop(const Flags& flags) noexcept;
  bool is_clangs_minimum(Value difference) noexcept;

  // prover_loops.cpp: the loop over the part
  struct Location;
  bool follow_part(Walk& walk, const State& entry) noexcept;
  bool has_bound(const Walk& walk) const noexcept;
  bool is_read_again(Value start, Value value) const noexcept;
  Value lanes_step(Value value, Value header) const noexcept;
  bool run_body(Walk& walk, State& back) noexcept;
  bool run_turn(Walk& walk, State& back) noexcept;
  bool find_bounds(Walk& walk, const State& entry, std::uint8_t* behind) noexcept;
  std::uint8_t exact_end(unsigned condition, unsigned exit, const Flags& flags, Value left,
                         bool may_be_negative) noexcept;
  bool stays_in_order(Value value, bool has_sign) const noexcept;
  std::int64_t width_by(Value difference, const State& entry) noexcept;
  std::int64_t turns_by(unsigned condition, unsigned exit, const Flags& flags, const State& entry,
                        std::uint8_t& behind, Value& turns) noexcept;

  bool share_of_length(Value value, const State& entry, Share& share) noexcept;
  bool check_progress(Walk& walk, std::uint32_t header) noexcept;
  Bits memory_at(Value address) const noexcept; // prover_turns.cpp, as are the following ones
  Value asked(Value value) noexcept;
  Value chosen(Value made, Value a, Value b, Value condition) noexcept;
  Bits may_stay(Value a, Value b) const noexcept;
  Value maybe_none(Value made, Value added) noexcept;
  bool check_order(Walk& walk, const std::uint8_t* behind) noexcept;
  bool leave_part(Walk& walk, const State& entry, std::int64_t width, const std::uint8_t* behind,
                  const Location* locations, std::size_t count) noexcept;
  Value at_exit(Value value, Value executed, State* last, const Location* locations,
                std::size_t count) noexcept;

  // prover_versions.cpp: several versions of the loop over the part
  Value rest_of(const State& state) noexcept;
  bool is_of_rest(Value value, const State& state, std::int64_t& factor, std::int64_t& constant) noexcept;
  bool is_comparable(const State& state) noexcept;
  bool is_ordered(const State& state) noexcept;
  bool narrow(const State& state, unsigned condition, bool is_taken, std::int64_t& least,
              std::int64_t& most) noexcept;
  bool is_decided(const State& state, unsigned condition, bool& is_taken) noexcept;
  Value share_of(Value value, std::int64_t bits, unsigned size, const State& state) noexcept;
  Value masked_share(Value value, std::int64_t mask, unsigned size, const State& state) noexcept;
  void note_width(Value value, const State& state) noexcept;
  bool chooses_version(const State& state, const Instruction& branch) noexcept;
  Value lane(Value value, unsigned size, unsigned index) noexcept;
  Value rewritten(Value value, SymbolId symbol, Value replacement, const std::uint8_t* effects) noexcept;
  Value rewritten_symbol(SymbolId id, SymbolId symbol, Value replacement,
                         const std::uint8_t* effects) noexcept;
  bool is_exact(Value address) const noexcept;
  Value later(Value value, std::int64_t count) noexcept;
  Value of_iteration(Value value, Value cursor, const std::uint8_t* effects) noexcept;
  Body* body_of(Address version) noexcept;
  const Effect* effect_at(const Body& body, Value address, unsigned size, std::int64_t& iterations) noexcept;
  std::int64_t stride_of(Value address) noexcept;
  bool compare_body(Address version, Address place) noexcept;
  bool is_same_body(const Body& body, const Effect* effects, std::size_t count) const noexcept;
  bool store_copy(const Instruction& instruction, State& state, Value address, unsigned size,
                  Value value) noexcept;
  std::uint64_t effects_before(const State& state) noexcept;
  bool store_all(const Instruction& instruction, State& state, bool is_set) noexcept;
  bool check_return(const State& state, Address place) noexcept;
  bool check_versions() noexcept;
  Value joined_cursor(const State& a, const State& b, Address place) noexcept;
  Value joined_versions(Value a, Value b, const State& x, const State& y, Address place) noexcept;

  // prover_joins.cpp: where paths meet
  void join(State& into, const State& other, Address place) noexcept;
  Value joined(Value a, Value b, const State& x, const State& y, Address place,
               std::uint64_t location) noexcept;
  Value joined_formula(Value less, Value not_less) noexcept;
  Value last_of_part() noexcept;
  Value joined_with_cursor(Value a, Value b, const State& x, const State& y, Value cursor) noexcept;
  Value joined_begun(Value a, Value b, const State& x, const State& y, Address place,
                     std::uint64_t location) noexcept;

  // prover_values.cpp: values
  Bits classify(Value value) const noexcept;
  bool is_of_cursor(const Polynomial& polynomial) const noexcept;
  bool is_of_iteration(const Polynomial& polynomial) const noexcept;
  bool goes_with(const Polynomial& polynomial, Value cursor) const noexcept;
  Value result(std::uint64_t operation, Value a, Value b = 0, Value c = 0) noexcept;
  Value apply(Operation operation, unsigned size, Value a, Value b) noexcept;
  Value combine(Operation operation, unsigned size, Value a, Value b, bool is_ordered) noexcept;
  bool is_identity(Operation operation, unsigned size, Value value) const noexcept;
  bool starts_with(Operation operation, unsigned size, Value value, Value& start) const noexcept;
  bool is_additive(Value value, unsigned size, bool is_natural) const noexcept;
  bool is_natural(const State& state) const noexcept;

  // prover_widths.cpp: 4 bytes of 8
  void note_cut(Value value, const State& state) noexcept;
  bool is_of_length(const Polynomial& polynomial) const noexcept;
  bool may_be_cut(Value value, const State& state) const noexcept;
  bool is_whole(const Polynomial& polynomial, bool is_nonempty) const noexcept;
  /// The notes of numbers that were cut, which an instruction restores whose result has nothing of the rest.
  struct Cuts {
    bool is_narrowed, is_cut, is_length_cut, is_cut_inside;
  };
  Cuts cuts() const noexcept { return {is_narrowed_, is_cut_, is_length_cut_, is_cut_inside_}; }
  void restore(const Cuts& before) noexcept {
    is_narrowed_ = before.is_narrowed;
    is_cut_ = before.is_cut;
    is_length_cut_ = before.is_length_cut;
    is_cut_inside_ = before.is_cut_inside;
  }
  bool is_place(Value value) const noexcept;
  Value not_cancelled(Value made, Value a, Value b = 0) noexcept;
  Value first_word(Value value) noexcept;
  Value cut_constant(Value value, unsigned size, bool has_sign) noexcept;
  Value extended(Value value) noexcept;
  bool has_two_widths(Value value) const noexcept;
  Value with_zeros(Value value) noexcept;
  Value with_signs(Value value) noexcept;
  Value without_zeros(Value value) const noexcept;
  Value first_four(Value value) noexcept;
  Value word_in(const State& state, unsigned reg, unsigned size) noexcept;
  Value whole_lane(Value value) noexcept;
  void widen(State& state, unsigned reg) noexcept;
  Value with_upper(Value word, Value old) noexcept;
  void note_sign(Value value) noexcept;

  // prover_steps.cpp: instructions
  bool step(const Instruction& instruction, State& state, int depth, bool in_cycle) noexcept;
  void note_overwritten(const Instruction& instruction, State& state) noexcept;
  bool step_vector(const Instruction& instruction, State& state, const VectorUse& use) noexcept;
  bool moves_lanes(const Instruction& instruction, Value a_low, Value a_high, Value b_low, Value b_high,
                   bool is_same, Value& low, Value& high) noexcept;
  bool step_narrow(const Instruction& instruction, State& state) noexcept;
  bool step_general(const Instruction& instruction, State& state) noexcept;
  bool step_conditional_move(const Instruction& instruction, State& state) noexcept; // prover_moves.cpp
  bool step_divide(const Instruction& instruction, State& state) noexcept;
  bool step_set(const Instruction& instruction, State& state) noexcept;
  Value found_in(std::uint64_t place, bool is_before) noexcept;
  bool step_atomic(const Instruction& instruction, State& state) noexcept;
  bool step_call(const Instruction& instruction, State& state, int depth, bool in_cycle,
                 bool is_jump) noexcept;
  bool call_known(const KnownFunction& known, const Instruction& instruction, State& state, int depth,
                  bool in_cycle) noexcept;
  bool call_static_init(const Instruction& instruction, State& state, bool in_cycle) noexcept;
  bool check_sleep(const Instruction& instruction, State& state) noexcept;
  bool copy_memory(const Instruction& instruction, State& state, bool is_set) noexcept;
  void clobber(State& state) noexcept;
  void note_copy(const Instruction& instruction) noexcept;
  Value address_of(const Operand& operand, const State& state, unsigned size = 8) noexcept;
  bool frame_place(Value address, SymbolId& base, std::int32_t& offset) const noexcept;
  bool load(const Instruction& instruction, const State& state, Value address, unsigned size,
            Value& value) noexcept;
  bool store(const Instruction& instruction, State& state, Value address, unsigned size,
             Value value) noexcept;
  bool is_of_end(Value value) const noexcept;
  Value read_once(Value address) noexcept;
  bool is_of_merges(Value value, int depth) noexcept;
  bool check_merges() noexcept;
  bool merges(Operation operation, Value address, unsigned size) noexcept;
  bool store_outside(const Instruction& instruction, State& state, Value address, unsigned size,
                     Value value) noexcept;
  bool read(const Instruction& instruction, const Operand& operand, const State& state,
            Value& value) noexcept;
  bool write(const Instruction& instruction, const Operand& operand, State& state, Value value) noexcept;
  Value without_upper(Value high) noexcept;
  bool read_vector(const Instruction& instruction, const Operand& operand, const State& state, unsigned size,
                   Value& low, Value& high) noexcept;
  Bits compared_bits(const State& state) const noexcept;
  Bits condition_bits(const State& state) noexcept;
  Bits condition_bits(const State& state, unsigned condition) noexcept;
  Value condition_of(const State& state, unsigned condition) noexcept;
  void erase(State& state, SymbolId base, std::int32_t offset, std::uint32_t size) noexcept;
  bool insert(State& state, const Slot& slot) noexcept;
  bool put(const Instruction& instruction, State& state, SymbolId base, std::int32_t offset,
           std::uint32_t size, Value value) noexcept;
  bool check_use(Value value, const Instruction& instruction, unsigned size = 8) noexcept;

  const Process& process_;
  Arena kept_;
  Arena passing_; // states; freed as functions return
  Decoder decoder_;
  Values values_;
  Grown<Function*> functions_;
  Verdict verdict_;
  Refusal refusal_;
  Loop loop_;
  bool is_clang_ = false;
  bool trusts_ =
      false; // the program cannot see the bounds of the part: values that depend on them are the compiler's
  bool has_part_ = false;          // the bounds of the part are known somewhere
  bool has_loop_ = false;          // a loop over the part was followed
  bool is_ending_ = false;         // the block that is followed does not lead to a return
  bool is_narrowed_ = false;       // 4 bytes of some value were used that may have more
  bool is_cut_ = false;            // numbers of the part were made in 4 bytes that may need more
  bool is_length_cut_ = false;     // 4 bytes of a number of clang's of 8 were used
  bool has_signs_ = false;         // gcc: a number of the part without a sign got one
  bool is_cut_inside_ = false;     // in the loop, of its iteration alone
  bool is_wide_ = false;           // the instruction that is followed uses 8 bytes of its operands
  bool has_int_part_ = false;      // gcc: the number of iterations has 4 bytes and a sign
  bool has_opaque_effect_ = false; // the loop that is followed has effects that are no stores
  bool is_judged_ = false;         // something in the block that is followed was to be judged
  bool in_cycle_ = false;          // the followed instruction is in a cycle
  std::uint32_t stamp_ = 0;        // number of the followed instruction, if it is followed once; 0: it is not
  std::uint32_t site_ = 0;         // number of the followed instruction
  std::uint64_t context_ = 0;      // number of the followed call
  Address at_ = 0;                 // the followed instruction
  int depth_ = 0;                  // depth of the followed function
  Body bodies_[4] = {};
  Store stores_[k_most_stores] = {}; // stores of the followed block
  std::size_t store_count_ = 0;
  Comparison comparisons_[8] = {};
  std::size_t comparison_count_ = 0;
  Merge merges_[16] = {};
  std::size_t merge_count_ = 0;
  std::uint32_t rewrites_ = 0; // rewrites that may still be made
  Value turns_ = 0;            // turns of a loop that executes several iterations at a time, if it is one
                               // of gcc's
  std::uint8_t vectors_ = 0;   // 1: an instruction of SSE writes a vector register, 2: one has 32 bytes
  bool throws_ = false;
  bool catches_ = false;
  Value quotient_ = 0; // gcc: number of iterations by number of threads, and the remainder
  Value remainder_ = 0;
  unsigned dividend_size_ = 0;   // bytes of gcc's dividend
  Address division_ = 0;         // in this block, of 8 bytes that a register still has; 0: none
  unsigned divided_ = 0;         // the register of division_
  unsigned copied_ = ~0U;        // the register that rax is a copy of
  bool is_unsigned_ = false;     // gcc: the number of iterations has no sign
  bool is_natural_ = false;      // in the state that is followed the part has no fewer iterations than zero
  bool decides_ = false;         // the last branch that was judged decides by the part
  Value dividend_ = 0;           // gcc: number of iterations; clang: the last one
  std::uint32_t budget_ = 60000; // instructions
};

/// Returns whether the code at `address` has landing places of exceptions, or may have some.
bool catches_exceptions(Address address, const Process& process) noexcept;

/// Returns whether `instruction` decides by the carry.
bool compares_unsigned(unsigned instruction) noexcept;
/// Returns whether a condition goes by the result alone: by its being zero, its sign or its parity.
bool goes_by_result(unsigned instruction) noexcept;
/// Returns whether the condition goes by the carry alone.
bool goes_by_carry(unsigned instruction) noexcept;
/// Returns whether the first 4 bytes of an operation's result are made of the first 4 bytes of its operands.
bool keeps_first_word(std::uint64_t operation) noexcept;

/// Returns whether a branch with the condition of `instruction` is taken if the comparison had a result of
/// this sign; false and `is_known` false: the sign does not decide.
bool holds_for(unsigned instruction, int sign, bool& is_known) noexcept;

} // namespace wstree::proof
