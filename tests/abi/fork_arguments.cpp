// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: the arguments of a region. A compiler hands any number of pointer-sized values to the fork entry,
// the first few travel in registers and the rest on the stack; each member must get all of them, with an
// aligned stack, and the region must still be known as a team (a loop in it is served to all of its members
// together).
#include "loop_oracle.h"

#include <array>
#include <utility>

namespace {

using Word = std::uintptr_t;
using Microtask = void (*)(std::int32_t*, std::int32_t*, ...);

} // namespace

extern "C" {
void __kmpc_fork_call(kmpc::Ident*, std::int32_t argc, Microtask, ...);
void __kmpc_push_num_threads(kmpc::Ident*, std::int32_t gtid, std::int32_t threads);
__attribute__((weak)) void __kmpc_fork_call_if(kmpc::Ident*, std::int32_t argc, Microtask,
                                               std::int32_t condition, void* argument);
}

namespace {

kmpc::Ident ident;
constexpr std::int32_t k_iterations = 97;

struct Seen {
  std::uint32_t members = 0, wrong = 0, misaligned = 0, iterations = 0, last_flags = 0;
};
Seen seen;

void add(std::uint32_t& counter, std::uint32_t amount = 1) {
  __atomic_fetch_add(&counter, amount, __ATOMIC_RELAXED);
}

/// A value that differs in all of its bytes from argument to argument,
/// so that a shifted or truncated one shows.
constexpr Word pattern(std::size_t index) { return (index + 1) * 0x9e3779b97f4a7c15u; }

void loop_in_the_region(std::int32_t gtid) {
  using Entries = kmpc::Entries<std::int32_t>;
  Entries::init(&ident, gtid, kmpc::k_runtime, 0, k_iterations - 1, 1, 1);
  std::int32_t last = 0, lower = 0, upper = 0, stride = 0;
  while (Entries::next(&ident, gtid, &last, &lower, &upper, &stride) != 0) {
    add(seen.iterations, static_cast<std::uint32_t>(upper - lower + 1));
    add(seen.last_flags, static_cast<std::uint32_t>(last));
  }
}

/// What a compiler outlines from a region with sizeof...(Argument) captured variables.
template <class... Argument> void outlined(std::int32_t* gtid, std::int32_t* tid, Argument... arguments) {
  alignas(16) char frame[16];
  const Word values[] = {0, arguments...};
  char* volatile address = frame;
  if (reinterpret_cast<Word>(address) % 16 != 0) add(seen.misaligned);
  for (std::size_t i = 0; i < sizeof...(Argument); ++i)
    if (values[i + 1] != pattern(i)) add(seen.wrong);
  if (*tid != omp_get_thread_num() || *gtid != kmpc::__kmpc_global_thread_num(&ident)) add(seen.wrong);
  add(seen.members);
  loop_in_the_region(*gtid);
}

template <std::size_t> using WordOf = Word;

template <std::size_t... I> void fork_with(int team, std::index_sequence<I...>) {
  seen = {};
  const std::int32_t gtid = kmpc::__kmpc_global_thread_num(&ident);
  __kmpc_push_num_threads(&ident, gtid, team);
  const auto body = reinterpret_cast<Microtask>(&outlined<WordOf<I>...>);
  __kmpc_fork_call(&ident, static_cast<std::int32_t>(sizeof...(I)), body, pattern(I)...);
  CHECK(seen.members == static_cast<std::uint32_t>(team), "%u of %d members, %zu arguments", seen.members,
        team, sizeof...(I));
  CHECK(seen.wrong == 0, "%u values, %zu arguments", seen.wrong, sizeof...(I));
  CHECK(seen.misaligned == 0, "%u frames, %zu arguments", seen.misaligned, sizeof...(I));
  CHECK(seen.iterations == k_iterations && seen.last_flags == 1, "%u iterations, %u last flags, team of %d",
        seen.iterations, seen.last_flags, team);
}

void every_number_of_arguments() {
  [&]<std::size_t... Count>(std::index_sequence<Count...>) {
    for (const int team : {1, 2, 4}) (fork_with(team, std::make_index_sequence<Count>{}), ...);
  }
  (std::make_index_sequence<40>{});
}

template <class... Argument> void outlined_for_if(std::int32_t* gtid, std::int32_t*, Argument*... value) {
  if (((*value != pattern(3)) || ...)) add(seen.wrong);
  add(seen.members);
  loop_in_the_region(*gtid);
}

void fork_call_if() {
  // What Fortran compilers make of an if clause. Without a hook each member ran the whole loop.
  if (__kmpc_fork_call_if == nullptr) return;
  const std::int32_t gtid = kmpc::__kmpc_global_thread_num(&ident);
  const Microtask with = reinterpret_cast<Microtask>(&outlined_for_if<Word>);
  const Microtask without = reinterpret_cast<Microtask>(&outlined_for_if<>);
  for (const bool argument : {true, false})
    for (const int condition : {0, 1}) {
      seen = {};
      Word value = pattern(3);
      __kmpc_push_num_threads(&ident, gtid, 3);
      __kmpc_fork_call_if(&ident, argument ? 1 : 0, argument ? with : without, condition,
                          argument ? &value : nullptr);
      CHECK(seen.members == (condition ? 3u : 1u) && seen.wrong == 0, "%u, condition %d, %u wrong",
            seen.members, condition, seen.wrong);
      CHECK(seen.iterations == k_iterations && seen.last_flags == 1, "%u iterations, condition %d",
            seen.iterations, condition);
    }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  return check::run(argc, argv, {CASE(every_number_of_arguments), CASE(fork_call_if)});
}
