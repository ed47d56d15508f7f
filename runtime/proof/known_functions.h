// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of other objects that the proof recognises by name.
#pragma once

#include <cstdint>

namespace wstree::proof {

struct KnownFunction {
  enum class Kind : std::uint8_t {
    thread_count,  // omp_get_num_threads
    thread_number, // omp_get_thread_num
    static_init,   // __kmpc_for_static_init_*
    static_fini,
    reduce, // __kmpc_reduce_nowait, __kmpc_reduce
    end_reduce,
    lock,   // GOMP_atomic_start
    unlock, // GOMP_atomic_end
    no_return,
    throws,    // never returns, but a caller may catch
    pure,      // reads its arguments and returns a value
    copies,    // memcpy, memmove, memset: also writes where its first argument points
    allocates, // returns memory of its own, or takes it back
    sleeps,    // returns when time is over; may write where its second argument points
    team_wide, // omp_get_max_threads and others with equal answers to all members
  };
  const char* name;
  Kind kind;
  std::uint8_t integers = 0; // arguments in integer registers
  std::uint8_t floats = 0;   // and in vector registers
};

/// Returns whether `name` is a function that changes or reads how a thread computes with
/// floating-point numbers.
bool is_of_float_environment(const char* name) noexcept;

/// nullptr: unknown.
const KnownFunction* find_known_function(const char* name) noexcept;
/// Whether a call of it may end in an exception.
bool may_throw(const KnownFunction& known) noexcept;

} // namespace wstree::proof
