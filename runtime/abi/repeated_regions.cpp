// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "repeated_regions.h"

#include "opened_decoder.h"
#include "own_stack.h"
#include "proven_process.h"
#include "unserved_regions.h"

#include <algorithm>
#include <array>
#include <new>

namespace wstree::abi {
namespace {

/// Functions by their code. An entry is taken once and for good; untouched pages cost nothing.
class Functions {
public:
  constexpr Functions() noexcept = default;

  RepeatableFunction* find(const void* code, const void* caller) noexcept {
    const auto mixed = reinterpret_cast<std::uintptr_t>(code) * 0x9E3779B97F4A7C15U;
    const std::size_t place = mixed >> (64 - k_bits);
    // relaxed: the release of the entry's state orders the memory behind the key. Guard: as there.
    if (keys_[place].load(std::memory_order_relaxed) == code) [[likely]]
      return answer(place);
    return find_from(place, code, caller);
  }

private:
  /// The state of an entry; `open` until its thread has read the function. Other threads do without the
  /// answer until then, and so does the child of a fork that comes meanwhile, for good.
  enum class State : std::uint8_t { open, refused, proven };

  [[gnu::noinline]] RepeatableFunction* find_from(std::size_t place, const void* code,
                                                  const void* caller) noexcept {
    for (std::size_t probes = 0; probes < k_most_probes; ++probes, place = (place + 1) % k_places) {
      const void* seen = keys_[place].load(std::memory_order_relaxed); // as in find()
      if (seen == code) return answer(place);
      if (seen == nullptr) {
        if (!decoder_is_open()) return nullptr; // it may be later
        if (keys_[place].compare_exchange_strong(seen, code, std::memory_order_relaxed,
                                                 std::memory_order_relaxed))
          return judge(place, code, caller);
        if (seen == code) return answer(place);
      }
    }
    return nullptr;
  }
  RepeatableFunction& entry(std::size_t place) noexcept {
    return *std::launder(reinterpret_cast<RepeatableFunction*>(entries_[place].bytes));
  }
  RepeatableFunction* answer(std::size_t place) noexcept {
    // acquire: pairs with the release in judge(); the verdict is complete. Guard: none on x86;
    // process.Repeated has functions that several root threads open at once.
    return states_[place].load(std::memory_order_acquire) == State::proven ? &entry(place) : nullptr;
  }
  [[gnu::noinline]] RepeatableFunction* judge(std::size_t place, const void* code,
                                              const void* caller) noexcept {
    auto& function = *::new (entries_[place].bytes) RepeatableFunction(code);
    stack::on_own_stack([&] {
      proof::Verdict verdict = proof::prove(code, own_process());
      if (verdict.kind != proof::Verdict::Kind::refused && verdict.has_float_reduction && !may_round()) {
        verdict = {};
        verdict.reason =
            "sums of floating-point numbers would depend on the pieces, unless --loops names static";
      }
      function.decide(verdict);
    });
    if (function.may_repeat())
      observe::note_served_region();
    else if (function.verdict().reason != proof::k_no_static_loop)
      observe::note_unserved_region(caller, function.verdict().reason, function.verdict().at);
    states_[place].store(function.may_repeat() ? State::proven : State::refused, std::memory_order_release);
    return answer(place);
  }
  /// Returns whether the user allows that sums are rounded in another way.
  static bool may_round() noexcept {
    return (session().options.loops.bits & static_cast<unsigned>(config::LoopKind::static_)) != 0;
  }

  static constexpr unsigned k_bits = 11;
  static constexpr std::size_t k_places = std::size_t{1} << k_bits;
  static constexpr std::size_t k_most_probes = 16;
  struct Entry {
    alignas(RepeatableFunction) std::byte bytes[sizeof(RepeatableFunction)];
  };
  std::array<std::atomic<const void*>, k_places> keys_{};
  std::array<std::atomic<State>, k_places> states_{};
  std::array<Entry, k_places> entries_{};
};
constinit Functions g_functions;

} // namespace

void RepeatableFunction::decide(const proof::Verdict& verdict) noexcept {
  verdict_ = verdict;
  if (!may_repeat()) return;
  costs_ = static_cast<loop::RepeatedCosts*>(Platform::allocate(sizeof(loop::RepeatedCosts))); // zeroed
  if (costs_ != nullptr) return;
  verdict_ = {};
  verdict_.reason = "there is no memory for its costs";
}

RepeatableFunction* find_repeatable(const void* code, const void* caller) noexcept {
  return g_functions.find(code, caller);
}

void MaybeRepeated::choose(RepeatableFunction& function, const void* caller, const char* source,
                           const void* data) noexcept {
  const proof::IterationCount& count = function.verdict().iterations;
  const std::uint64_t iterations = count.read(data);
  if (count.is_known() && iterations == 0) return;
  const Session& process = session();
  // Rules, hints, tools and figures need more than the time, and so does an opener that may be pinned.
  const bool is_inside = t_frame != nullptr && t_frame->in_parallel;
  if (process.rules == nullptr && !has_hint() && !process.measured && !process.attends_regions() &&
      !is_inside && function.cost(iterations).is_whole(process.settings)) {
    timed_ = &function.cost(iterations);
    began_ = Platform::ticks();
    return;
  }
  config::Ruling ruling = take_hint();
  ruling.overlay(ruling_of(caller, source, t_label));
  const ServedAs as = choose_schedule(config::LoopKind::proven, {}, ruling);
  if (!as.schedule.ours) return;
  const bool is_static = as.schedule.model == core::Model::static_ && as.schedule.chunk == 0;
  const bool is_whole = is_static || (!process.recorded && function.cost(iterations).is_whole(*as.settings));
  region_.emplace(function, as, caller, iterations, is_whole, process.recorded);
}

RepeatedRegion::~RepeatedRegion() {
  const std::uint64_t wall = core::elapsed(began_, Platform::ticks());
  const std::uint64_t items = items_.load(std::memory_order_relaxed);
  if (items == 0) {
    if (is_whole_) function_.cost(known_iterations_).check_whole(wall, *as_.settings);
    return;
  }
  const std::uint64_t work = work_.load(std::memory_order_relaxed);
  const std::uint64_t moved = moved_.load(std::memory_order_relaxed);
  // Iterations that a late member leaves to the others do not show that the loop is uneven.
  const bool is_even = moved <= items / core::tuning::k_steady_items ||
                       moved * (work / items) <= core::tuning::k_late * as_.settings->shortest_target;
  function_.cost(known_iterations_)
      .learn(work, iterations_.load(std::memory_order_relaxed), is_even,
             members_.load(std::memory_order_relaxed), wall, *as_.settings);
}

bool RepeatedRegion::begin(Frame& frame, const loop::OwnFirst& items, bool is_whole, std::uint64_t smallest,
                           std::uint64_t size, const void* place) const noexcept {
  TaskSchedule schedule = as_.schedule;
  if (schedule.chunk != 0) schedule.chunk = std::max(schedule.chunk / size, smallest);
  if (!begin_pieces(frame, items.shared(), {schedule, as_.settings}, is_whole, caller_, place)) return false;
  set_bounds(frame, 0, 0, 1, known_iterations_ != 0 ? known_iterations_ : items.items(), size);
  return true;
}

void RepeatedRegion::add(std::uint64_t ticks, std::uint64_t done, std::uint64_t items,
                         std::uint64_t iterations, std::uint32_t members) noexcept {
  const std::uint64_t share = items / members + 1;
  work_.fetch_add(ticks, std::memory_order_relaxed);
  if (done > share) moved_.fetch_add(done - share, std::memory_order_relaxed);
  if (items_.load(std::memory_order_relaxed) != 0) return;
  iterations_.store(iterations, std::memory_order_relaxed);
  members_.store(members, std::memory_order_relaxed);
  items_.store(items, std::memory_order_relaxed);
}

} // namespace wstree::abi
