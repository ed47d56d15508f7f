// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "label.h"

#include <sched.h>

namespace wstree::observe {

/// Open addressing by the hashes of the texts, of which two that differ are never expected to be equal: with
/// 1,024 texts that has a chance of 3 in 10^14. Entries are never removed.
class LabelTable {
public:
  const Label* find(std::string_view text) noexcept {
    const std::uint64_t hash = hash_of(text);
    for (std::uint64_t probes = 0; probes < k_most_labels; ++probes) {
      Label& label = labels_[(hash + probes) % k_most_labels];
      // [O18] relaxed: a hash changes once, from 0, and says nothing of the text, which has its own order
      //       [O19]. Guard: observe_labels, SameTextFromManyThreadsIsOneLabel.
      std::uint64_t seen = label.hash_.load(std::memory_order_relaxed);
      if (seen == 0 && label.hash_.compare_exchange_strong(seen, hash, std::memory_order_relaxed,
                                                           std::memory_order_relaxed)) {
        label.text_.append(text);
        // [O19] release: the text is complete before a reader sees the flag; pairs with the acquire in
        //       view(). Guard: as above, under the thread sanitizer.
        label.is_complete_.store(true, std::memory_order_release);
        return &label;
      }
      if (seen == hash) return &label;
    }
    return nullptr;
  }

private:
  /// FNV-1a; never 0.
  static std::uint64_t hash_of(std::string_view text) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return hash != 0 ? hash : 1;
  }

  Label labels_[k_most_labels];
};

namespace {
constinit LabelTable g_labels;
}

std::string_view Label::view() const noexcept {
  constexpr int k_patience = 1000;
  for (int waited = 0; !is_complete_.load(std::memory_order_acquire); ++waited) { // O19
    if (waited == k_patience) return {};
    sched_yield();
  }
  return text_.view();
}

const Label* find_label(std::string_view text) noexcept {
  text = text.substr(0, Label::k_longest);
  return text.empty() ? nullptr : g_labels.find(text);
}

} // namespace wstree::observe
