// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMPT for programs on libgomp, which has none (WSTREE_OMPT=1). The entries in gomp/ report the calling
// thread's events here, and the tool hears of them. They call tool_listens() first. Events of threads for
// which there is no memory are lost.
#pragma once

#include "ompt/types.h"
#include "process/request.h"

#include <cstdint>

namespace wstree::abi::ompt {

/// Returns tool_listens(), if the user wants a tool.
bool tool_listens_to(const void* caller) noexcept;
/// Returns whether a tool wants to hear of the calls of the code at `caller` from us. The first call from
/// code that runs on libgomp looks for the tool and lets it begin.
inline bool tool_listens(const void* caller) noexcept { return wants_tool() && tool_listens_to(caller); }

/// A worksharing construct that a thread is in.
struct Construct {
  int kind = 0; // kind of work; 0: none
  std::uint64_t count = 0;
  std::uint64_t step = 1; // between two values of a loop's variable
};

/// A task that is not an explicit one: a member of a region, or a thread outside of all regions.
struct ToldRegion;
struct Task {
  Data data{};
  TaskFrame frame{};
  Data* parallel = nullptr;     // data of its region
  ToldRegion* region = nullptr; // nullptr: the thread is outside of all that we saw opening
  Task* outer = nullptr;        // the next outer task of this thread
  std::uint32_t index = 0;
  std::uint32_t members = 1;
  Construct construct; // the thread's present construct
};

/// A region, on the stack of the thread that opens it, from before the fork until after the join.
struct ToldRegion {
  /// `requested` threads, 0: as many as the runtime chooses; `frame`: of the entry that the program
  /// has called.
  ToldRegion(const void* caller, unsigned requested, void* frame) noexcept;
  ~ToldRegion();
  ToldRegion(const ToldRegion&) = delete;
  ToldRegion& operator=(const ToldRegion&) = delete;

  const void* caller;
  Task* parent; // nullptr: no memory for the thread, the tool is not told of the region
  Task primary; // task of member 0
  Data data{};
  Data left{}; // the parent's frame data before the region
};

/// A member of a region, around the call of the program's outlined function. libgomp has no event for a
/// worker that leaves the barrier of the region: the tool hears of its beginning and end, and of the end of
/// the worker's task, when the worker enters it. Member 0 leaves it when the region is over.
class ToldMember {
public:
  ToldMember(ToldRegion& region, std::uint32_t index, std::uint32_t members, void* frame) noexcept;
  ~ToldMember();
  ToldMember(const ToldMember&) = delete;
  ToldMember& operator=(const ToldMember&) = delete;

private:
  ToldRegion& region_;
  Task own_;
  Task* task_; // nullptr: the tool is not told
};

/// The calling thread enters `construct`. It leaves a construct that is cancelled as any other.
void begin_work(const Construct& construct, const void* caller) noexcept;
/// Ends the construct that the thread is in.
void end_work(const void* caller) noexcept;
/// It got the iterations from `first` until `past`, exclusive, of the loop that it is in.
void tell_iterations(std::uint64_t first, std::uint64_t past) noexcept;

/// The calling thread waits in a barrier of `kind`.
class ToldBarrier {
public:
  ToldBarrier(int kind, const void* caller) noexcept;
  ~ToldBarrier();
  ToldBarrier(const ToldBarrier&) = delete;
  ToldBarrier& operator=(const ToldBarrier&) = delete;

private:
  int kind_;
  const void* caller_;
};

} // namespace wstree::abi::ompt
