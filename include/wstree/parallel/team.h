// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that all members of a parallel region make together, as they do with `omp for`.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/parallel/fold.h"
#include "wstree/parallel/fold_blocks.h"
#include "wstree/parallel/fold_tree.h"

#include <concepts>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// The shared state of a collective call. It lives on the stack of one of the members.
template <class Policy, class Folder> class TeamCall {
public:
  using Value = typename Folder::Value;

  TeamCall(const Policy& policy, std::uint64_t n, std::uint32_t members, Folder& folder) noexcept
      : fold_(fold_call(policy, n, folder, {})), storage_(StorageCache::mine().take(members)), n_(n),
        call_(members, nullptr, nullptr) {
    if (storage_ == nullptr) return;
    ::new (reduction_.place())
        Reduction(*storage_, {shared(), members, fold_.settings(), fold_.least, fold_.most}, fold_.calls,
                  policy.other_find());
    reduction_.set();
    is_open_ = reduction_.value().open();
  }
  ~TeamCall() {
    reduction_.reset();
    if (storage_ != nullptr) StorageCache::mine().give_back(storage_);
  }
  TeamCall(const TeamCall&) = delete;
  TeamCall& operator=(const TeamCall&) = delete;

  /// Each member calls this with its own folder.
  void take_part(const Policy& policy, Folder& folder, std::uint32_t member) noexcept {
    FoldState state = fold_state(policy, &control_, folder);
    call_.work_as(member, [&] {
      if (is_open_) reduction_.value().take_part(member, {&state, &fold_.calls});
    });
  }
  /// The member that has made this object calls this when all other members are done.
  void finish(const Policy& policy, Folder& folder) noexcept {
    FoldState state = fold_state(policy, &control_, folder);
    const core::ErasedBody body{&state, &fold_.calls};
    if (!is_open_) return fold_alone(body, 0, n_, fold_.step_alone(n_), value_.slot()); // no memory
    if (!control_.has_ended()) reduction_.value().finish(body, value_.slot());
    if (shared() != n_ && !control_.has_ended()) do_batch(body, shared(), n_, value_.slot());
  }
  /// Each member copies the value of the call.
  void copy(Result<Value>& result) noexcept {
    if (control_.has_ended() || !value_.has_value()) return;
    control_.guard(n_, [&] {
      ::new (result.place()) Value(std::as_const(value_.value()));
      result.set();
    });
  }
  Control& control() noexcept { return control_; }

private:
  using Reduction = core::AnyReduction<core::StdPlatform>;

  /// Returns the number of elements that the tree shares out; finish() executes the others.
  std::uint64_t shared() const noexcept { return std::min(n_, k_most_shared); }

  FoldCall fold_;
  StorageCache::Storage* storage_;
  std::uint64_t n_;
  Call call_;
  Control control_;
  core::Maybe<Reduction> reduction_;
  Result<Value> value_;
  bool is_open_ = false;
};

/// As fold_tree(), by all members of the innermost parallel region. Each gets a copy of the value, or
/// the exception.
template <class Policy, class Folder>
void fold_in_team(const Policy& policy, std::uint64_t n, Folder& folder,
                  Result<typename Folder::Value>& result, call_site where) {
#if defined(_OPENMP)
  const int members = omp_get_num_threads();
  if (members > 1) {
    using Shared = TeamCall<Policy, Folder>;
    core::Maybe<Shared> mine;
    Shared* shared = nullptr;
#pragma omp single copyprivate(shared)
    {
      shared = ::new (mine.place()) Shared(policy, n, static_cast<std::uint32_t>(members), folder);
      mine.set();
    }
    shared->take_part(policy, folder, static_cast<std::uint32_t>(omp_get_thread_num()));
#pragma omp barrier
    if (mine.has_value()) shared->finish(policy, folder);
#pragma omp barrier
    shared->copy(result);
#pragma omp barrier
    const Control::End end = shared->control().end();
    // No member looks at it after this.
#pragma omp barrier
    mine.reset();
    return end.raise();
  }
#endif
  // A team of one, as that of an orphaned `omp for`: the function objects are this thread's own.
  fold_tree(policy.threads(1), n, folder, result, where);
}

} // namespace detail

/// Every function here has to be called by all members of the innermost parallel region, with the same range.
/// Each member's function objects are its own. A barrier ends the call.
namespace team {

template <execution_policy Policy, std::integral Index, class Init, class Chunk, class Combine>
auto fold(const Policy& policy, Index first, std::type_identity_t<Index> last, Init init, Chunk chunk,
          Combine combine, call_site where = call_site::current()) {
  detail::check_fold<Policy>();
  auto folder = detail::make_folder(init, chunk, combine, first);
  detail::Result<typename decltype(folder)::Value> result;
  if (first < last)
    detail::fold_chunks<Policy>(
        detail::distance(first, last), folder, result,
        [&](std::uint64_t n, auto& how, auto& value) { detail::fold_in_team(policy, n, how, value, where); });
  if (result.has_value()) return std::move(result.value());
  return folder.make();
}
template <std::integral Index, class Init, class Chunk, class Combine>
auto fold(Index first, std::type_identity_t<Index> last, Init init, Chunk chunk, Combine combine,
          call_site where = call_site::current()) {
  return team::fold(par(), first, last, std::move(init), std::move(chunk), std::move(combine), where);
}
template <execution_policy Policy, std::integral Index, detail::other_end<Index> End, class Init, class Chunk,
          class Combine>
auto fold(const Policy& policy, Index first, End last, Init init, Chunk chunk, Combine combine,
          call_site where = call_site::current()) {
  const auto ends = detail::ends_of(first, last);
  return team::fold(policy, ends.first, ends.last, std::move(init), std::move(chunk), std::move(combine),
                    where);
}
template <std::integral Index, detail::other_end<Index> End, class Init, class Chunk, class Combine>
auto fold(Index first, End last, Init init, Chunk chunk, Combine combine,
          call_site where = call_site::current()) {
  return team::fold(par(), first, last, std::move(init), std::move(chunk), std::move(combine), where);
}

template <execution_policy Policy, std::integral Index, class Chunk>
void for_each_chunk(const Policy& policy, Index first, std::type_identity_t<Index> last, Chunk&& chunk,
                    call_site where = call_site::current()) {
  using Function = std::remove_reference_t<Chunk>;
  detail::LoopFolder<detail::EachChunk<Index, Function>> folder{{{chunk}, first}};
  detail::Result<detail::Nothing> result;
  if (first < last) detail::fold_in_team(policy, detail::distance(first, last), folder, result, where);
}
template <execution_policy Policy, std::integral Index, detail::other_end<Index> End, class Chunk>
void for_each_chunk(const Policy& policy, Index first, End last, Chunk&& chunk,
                    call_site where = call_site::current()) {
  const auto ends = detail::ends_of(first, last);
  team::for_each_chunk(policy, ends.first, ends.last, chunk, where);
}
template <execution_policy Policy, std::integral Index, class Function>
void for_each(const Policy& policy, Index first, std::type_identity_t<Index> last, Function&& function,
              call_site where = call_site::current()) {
  team::for_each_chunk(
      policy, first, last,
      [&function](Index begin, Index end) {
        for (Index i = begin; i != end; ++i) function(i);
      },
      where);
}
template <std::integral Index, class Function>
void for_each(Index first, std::type_identity_t<Index> last, Function&& function,
              call_site where = call_site::current()) {
  team::for_each(par(), first, last, function, where);
}

template <execution_policy Policy, std::integral Index, detail::other_end<Index> End, class Function>
void for_each(const Policy& policy, Index first, End last, Function&& function,
              call_site where = call_site::current()) {
  const auto ends = detail::ends_of(first, last);
  team::for_each(policy, ends.first, ends.last, function, where);
}
template <std::integral Index, detail::other_end<Index> End, class Function>
void for_each(Index first, End last, Function&& function, call_site where = call_site::current()) {
  team::for_each(par(), first, last, function, where);
}

} // namespace team
} // namespace v1
} // namespace wstree
