// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts and times of a rank in the loops of a communicator.
#pragma once

#include "wstree/mpi/record_text.h"
#include "wstree/parallel/policy.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// Returns the label of a loop, or else its file and line.
inline std::string name_of_loop(const char* label, call_site where) {
  if (label != nullptr) return label;
  if (where.file == nullptr) return "(no label)";
  const std::string file = where.file;
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(where.line);
}

/// Steals from one rank.
struct Stolen {
  std::uint64_t steals = 0;
  std::uint64_t iterations = 0;
};

/// Loops of one name.
struct LoopAccount {
  std::uint64_t executions = 0;
  std::uint64_t iterations = 0; // executed here
  std::uint64_t pieces = 0;
  std::uint64_t operations = 0;                // on the words of other ranks
  double working = 0;                          // seconds in pieces
  double looking = 0;                          // seconds of looking for work, and waiting
  double stealing = 0;                         // seconds in steals, part of `looking`
  double fetching = 0;                         // and in on_steal
  std::map<std::uint32_t, Stolen> stolen_from; // by rank of the communicator
  double cost = 0;                             // seconds of an iteration; 0: not known

  /// An execution has taken so many seconds for an iteration. A rank may have been suspended meanwhile.
  void learn(double seconds) noexcept {
    if (seconds > 0) cost = cost > 0 ? std::min(seconds, 2 * cost) : seconds;
  }
};

/// An event of a rank's timeline: a piece, or a time of looking for work.
struct RankEvent {
  const std::string* loop;
  double begin, end;         // seconds of std::chrono::steady_clock
  std::uint64_t first, past; // iterations of a piece; of no piece: both 0
  std::uint32_t from;        // the rank from which the iterations came
};

/// Names of a communicator's ranks in reports.
struct RankNames {
  std::vector<std::uint32_t> world; // ranks of MPI_COMM_WORLD, by rank of the communicator
  std::uint32_t rank = 0;           // own rank in the communicator
  std::uint32_t threads = 1;
};

class Account {
public:
  using Loop = std::pair<const std::string, LoopAccount>;

  Account() : wanted_(wanted_by_library()) {}

  /// Returns the figures of a loop by its label, or else its file and line.
  Loop& of(const char* label, call_site where) {
    if (last_ != nullptr && (label != nullptr ? last_->first == label
                                              : where.file != nullptr && where.file == last_at_.file &&
                                                    where.line == last_at_.line))
      return *last_;
    last_ = &*loops_.try_emplace(name_of_loop(label, where)).first;
    last_at_ = label == nullptr ? where : call_site();
    return *last_;
  }

  void add(const RankEvent& event) {
    constexpr std::size_t k_most = std::size_t{1} << 16;
    if ((wanted_ & WSTREE_RANKS_TRACE) == 0) return;
    if (events_.size() < k_most)
      events_.push_back(event);
    else
      ++dropped_;
  }

  /// Gives the figures to libwstree.so, which writes them into the reports of the process. Without the
  /// library they are printed, if WSTREE_STATS asks for statistics. `number`: of the communicator.
  void tell(const RankNames& names, std::uint32_t number) const {
    if (loops_.empty()) return;
    if (wstree_ranks_tell == nullptr) {
      if (wants_lines()) std::fputs(lines(names).c_str(), stderr);
    } else if (wanted_ != 0) {
      give_to_library(lines(names), statistics(names), events(names, number));
    }
  }

private:
  std::string lines(const RankNames& names) const {
    std::string text;
    for (const auto& [name, loop] : loops_) {
      text += "wstree: loop " + name + " on " + counted(names.world.size(), "rank") + ", rank " +
              std::to_string(names.world[names.rank]) + ": " + counted(loop.executions, "execution") + ", " +
              counted(loop.iterations, "iteration") + ", " + counted(loop.pieces, "piece") + ", " +
              counted(loop.operations, "remote operation") + ", " + seconds(loop.working, 3) + " s work, " +
              seconds(loop.looking, 3) + " s looking for work (" + seconds(loop.stealing, 3) +
              " s in steals);";
      for (const auto& [victim, stolen] : loop.stolen_from)
        text += " stole " + counted(stolen.iterations, "iteration") + " from rank " +
                std::to_string(names.world[victim]) + " (" + counted(stolen.steals, "steal") + "),";
      if (loop.stolen_from.empty()) text += " stole nothing,";
      text.back() = '\n';
    }
    return text;
  }

  std::string statistics(const RankNames& names) const {
    std::string text;
    for (const auto& [name, loop] : loops_) {
      text += text.empty() ? "" : ",\n  ";
      text += "{\"name\": " + json_string(name) + member("rank", names.world[names.rank]) +
              member("ranks", names.world.size()) + member("threads", names.threads) +
              member("executions", loop.executions) + member("iterations", loop.iterations) +
              member("pieces", loop.pieces) + member("remote_operations", loop.operations) +
              ", \"work_seconds\": " + seconds(loop.working, 9) +
              ", \"looking_seconds\": " + seconds(loop.looking, 9) +
              ", \"steal_seconds\": " + seconds(loop.stealing, 9) +
              ", \"on_steal_seconds\": " + seconds(loop.fetching, 9) + ", \"stolen\": [";
      for (const auto& [victim, stolen] : loop.stolen_from)
        text += (text.back() == '[' ? "" : ", ") + ("{\"rank\": " + std::to_string(names.world[victim])) +
                member("steals", stolen.steals) + member("iterations", stolen.iterations) + "}";
      text += "]}";
    }
    return text;
  }

  /// Returns one track of a trace.
  std::string events(const RankNames& names, std::uint32_t number) const {
    if (events_.empty()) return {};
    const std::string rank = std::to_string(names.world[names.rank]);
    const std::string track = track_of(number);
    std::string text = ",\n{\"ph\": \"M\"" + track +
                       ", \"ts\": 0, \"name\": \"thread_name\", \"args\": " + "{\"name\": \"rank " + rank +
                       " of a loop on " + counted(names.world.size(), "rank") + "\"" +
                       member("events", events_.size()) + member("dropped", dropped_) + "}}";
    for (const RankEvent& event : events_) {
      const bool is_piece = event.first != event.past;
      text += ",\n{\"ph\": \"X\"" + track + ", \"ts\": " + seconds(event.begin * 1e6, 3) +
              ", \"dur\": " + seconds((event.end - event.begin) * 1e6, 3) +
              ", \"name\": " + (is_piece ? json_string(*event.loop) : "\"looking for work\"") +
              ", \"cat\": \"" + (is_piece ? "piece" : "looking") + "\", \"args\": {\"rank\": " + rank +
              member("from", names.world[event.from]);
      if (is_piece) text += member("first", event.first) + member("past", event.past);
      text += "}}";
    }
    return text;
  }

  int wanted_;
  std::map<std::string, LoopAccount> loops_;
  Loop* last_ = nullptr; // the loop that was asked for last, and its place if it has no label
  call_site last_at_;
  std::vector<RankEvent> events_;
  std::uint64_t dropped_ = 0;
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
