// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report_writer.h"

namespace wstree::observe {

/// Texts of this rank of an MPI job about the loops of one communicator, in the words of the program; may
/// be null.
struct RankText {
  const char* lines;      ///< for people
  const char* statistics; ///< JSON: objects with commas between them
  const char* events;     ///< events of a trace, each behind a comma
  RankText* next = nullptr;
};

/// Adds a text, which stays where it is, to the reports of this process. Any thread.
void add_rank_text(RankText& text) noexcept;

/// In the child of a fork, while it has one thread: the texts are the parent's.
void forget_rank_texts() noexcept;

/// Write one kind of the texts each; nothing if there are none.
void write_rank_lines(ReportWriter& out) noexcept;
void write_rank_statistics(ReportWriter& out) noexcept; ///< `, "rank_loops": [...]`
void write_rank_events(ReportWriter& out) noexcept;

} // namespace wstree::observe
