// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Proves from the machine code of an outlined function that it may be called again for each piece of its
// loop. README.md has the theorem and its cases. Code that the proof does not recognise is refused.
#pragma once

#include "count.h"

#include <cstddef>
#include <cstdint>

namespace wstree::proof {

/// Reason of a refused function that is no static loop at all.
inline constexpr char k_no_static_loop[] = "has no static loop";

struct Verdict {
  enum class Kind : std::uint8_t {
    refused,
    gcc,   ///< asks for the number of threads and of the thread, once each, and computes its part from them
    clang, ///< asks __kmpc_for_static_init_* once for the bounds of its part
  };
  Kind kind = Kind::refused;
  const char* reason = "";  ///< refused: why, in a few words for users, in static storage
  const void* at = nullptr; ///< refused: the instruction that is to blame; nullptr: the whole function is
  // Return addresses of the calls that are to be answered for a piece; calls that return elsewhere get the
  // true answers. clang: __kmpc_reduce*() is to be answered by 1 while a lock of the caller's is held, until
  // __kmpc_end_reduce*(); only one piece is to be marked as that with the last iteration.
  const void* after_thread_count = nullptr;  ///< gcc: of omp_get_num_threads()
  const void* after_thread_number = nullptr; ///< gcc: of omp_get_thread_num()
  const void* after_static_init = nullptr;   ///< clang: of __kmpc_for_static_init_*
  IterationCount iterations;                 ///< gcc: of the loop; clang passes them itself
  bool has_float_reduction = false; ///< sums of floating-point numbers are rounded as the pieces are cut
  bool has_lastprivate = false;     ///< the piece with the last iteration stores values for the program
  bool has_reduction = false;       ///< merges values behind the loop; clang: by __kmpc_reduce*
  std::uint32_t instructions = 0;   ///< instructions of the function and of those that it calls, each once
};

/// A segment of a loaded object.
struct Segment {
  const std::byte* begin = nullptr; ///< nullptr: there is none
  std::size_t size = 0;
  bool is_executable = false;
  bool is_writable = false; ///< by its header; segments that the loader protects after relocation count
                            ///< as writable
  const void* unwind_index = nullptr; ///< unwind index of the object, PT_GNU_EH_FRAME; nullptr: it has none
};

/// A function that another object may provide.
struct Callee {
  const char* name = nullptr;    ///< nullptr: unknown
  const void* address = nullptr; ///< address of its code, if that is known; else it is judged by its
                                 ///< name alone
};

/// The proof's questions about the process that it reads. The functions must not block.
struct Process {
  const void* context = nullptr;
  /// The segment around `address`.
  Segment (*segment_around)(const void* context, const void* address) noexcept = nullptr;
  /// The function whose address the loader puts into the word at `slot` of an object (by a relocation).
  Callee (*callee_in)(const void* context, const void* slot) noexcept = nullptr;
  /// Returns whether the object around `address` refers to a function of another one for whose name
  /// is_asked() holds.
  bool (*refers_to)(const void* context, const void* address,
                    bool (*is_asked)(const char* name) noexcept) noexcept = nullptr;
  /// Returns whether the C or the C++ library, or the compiler's, provides the function that the object
  /// around `address` calls so.
  bool (*is_standard)(const void* context, const void* address, const char* name) noexcept = nullptr;
};

/// Opens the decoder, once; whether it is there. Calls dlopen(), so not while a lock of the loader may be
/// waited for.
bool open_decoder() noexcept;
/// Returns why open_decoder() fails, in static storage; "" if it does not.
const char* decoder_problem() noexcept;

/// Proves that `function`, which a program hands to GOMP_parallel() or __kmpc_fork_call(), may be called
/// again for each piece of its loop, in any order and by any thread of the team. It holds for teams of at
/// least two threads; a team of one calls the function as it is. Takes at most some milliseconds, maps the
/// memory that it needs and unmaps it, and uses little stack. Refuses everything before open_decoder() has
/// succeeded. Any thread may call it.
Verdict prove(const void* function, const Process& process) noexcept;

} // namespace wstree::proof
