// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of WSTREE_RULES for the loops of this process.
#pragma once

#include "label.h"
#include "options.h"
#include "rule.h"
#include "source_text.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace wstree::abi {

/// Read once, when the session is prepared; then any thread may ask. Lives as long as the process.
///
/// The answers are kept by return address and label, in a table that threads fill without waiting for each
/// other, as that of the sites: the decision for a pair never changes, so two threads that decide at once
/// write one value.
class Rules {
public:
  /// Reads the rules that `value` of WSTREE_RULES names: a file, or the rules themselves. Prints one line for
  /// each rule that is not understood. nullptr: there are none for this process, or no memory. `may_open`:
  /// false where the kernel may end a process that opens files.
  static Rules* load(std::string_view value, config::ErrorSink errors, bool may_open = true) noexcept;

  /// Returns the ruling for the loop or region whose entry call returns to `caller`; `source` as the compiler
  /// passes it (may be null), `label`: the program's name for it (likewise).
  config::Ruling of(const void* caller, const char* source, const observe::Label* label = nullptr) noexcept;

  /// Returns the ruling for a call of the C++ library in line `line` of `file`. `site` differs for each such
  /// call site.
  config::Ruling of_call(const void* site, std::string_view file, std::uint64_t line,
                         const observe::Label* label) noexcept;

  /// Returns the way of binding threads, if a rule sets it.
  std::optional<config::Bind> bind() const noexcept { return bind_; }

private:
  /// The decision for one pair: 0, or the ruling and k_decided.
  struct Answer {
    std::atomic<const void*> caller{nullptr};
    std::atomic<const void*> label{nullptr};
    std::atomic<std::uint64_t> ruling{0};
  };
  static constexpr unsigned k_answer_bits = 16; // unused pages of the table are never touched
  static constexpr std::size_t k_answers = std::size_t{1} << k_answer_bits;
  static constexpr std::size_t k_most_probes = 64; // then the answer is found anew each time
  static constexpr std::uint64_t k_decided = std::uint64_t{1} << 63;

  Rules() noexcept = default;
  bool read(std::string_view text, std::string_view origin, config::ErrorSink errors) noexcept;
  template <class Source>
  config::Ruling answer(const void* caller, const observe::Label* label, const Source& source) noexcept;
  [[gnu::noinline]] config::Ruling decide(const void* caller, const observe::SourceText& at,
                                          const observe::Label* label) const noexcept;

  const char* text_ = nullptr; ///< text that the rules point into: kept as long as they are
  config::Rule* rules_ = nullptr;
  std::size_t count_ = 0;
  std::optional<config::Bind> bind_;
  std::array<Answer, k_answers> answers_;
};

/// The rulings of the latest loops of a region, on which its members agree: the first of them that meets a
/// loop decides by its own code location, because compilers may have made several of one loop. A member that
/// is more than k_kept loops late goes by its own.
class AgreedRulings {
public:
  static constexpr std::size_t k_kept = 16;

  /// Before the fork, which orders this.
  void clear() noexcept {
    for (auto& word : words_) word.store(0, std::memory_order_relaxed);
  }
  /// Agrees on the ruling for loop number `loop` of the region, counted from 0 by each member alike.
  config::Ruling agree(std::uint32_t loop, config::Ruling own) noexcept {
    constexpr unsigned k_bits = config::Ruling::k_loop_bits;
    constexpr std::uint64_t k_low = (std::uint64_t{1} << k_bits) - 1;
    constexpr std::uint64_t k_numbers = (std::uint64_t{1} << (64 - k_bits)) - 1;
    const std::uint64_t number = (std::uint64_t{loop} + 1) & k_numbers;
    std::atomic<std::uint64_t>& word = words_[loop % k_kept];
    // relaxed everywhere: the word carries all that the members agree on. A stale one costs the
    // compare-and-swap, which sees the latest. Guard: abi_rules, MembersAgree (a plain store lets
    // them differ).
    std::uint64_t seen = word.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t ahead = ((seen >> k_bits) - number) & k_numbers;
      if (seen >> k_bits == number) return config::Ruling::from_bits(seen & k_low);
      if (seen != 0 && ahead < k_numbers / 2) return own;
      if (word.compare_exchange_weak(seen, number << k_bits | (own.bits() & k_low), std::memory_order_relaxed,
                                     std::memory_order_relaxed))
        return own;
    }
  }

private:
  std::array<std::atomic<std::uint64_t>, k_kept> words_{};
};

} // namespace wstree::abi
