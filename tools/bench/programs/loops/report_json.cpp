// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

namespace bench {
namespace {

/// Names of workloads, candidates and verdicts need no more than this; paths may.
std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    made += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return made + '"';
}

void write_medians(std::FILE* out, const char* key, const std::vector<std::optional<double>>& values,
                   const std::vector<Candidate>& candidates) {
  std::fprintf(out, ", \"%s\": {", key);
  const char* separator = "";
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (!values[c]) continue;
    std::fprintf(out, "%s%s: %.5f", separator, quoted(candidates[c].name).c_str(), *values[c]);
    separator = ", ";
  }
  std::fprintf(out, "}");
}

void write_spreads(std::FILE* out, const Row& row, const std::vector<Candidate>& candidates) {
  std::fprintf(out, ", \"spreads\": {");
  const char* separator = "";
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (!row.main[c]) continue;
    std::fprintf(out, "%s%s: %.5f", separator, quoted(candidates[c].name).c_str(), row.spreads[c]);
    separator = ", ";
  }
  std::fprintf(out, "}");
}

void write_row(std::FILE* out, const Row& row, const std::vector<Candidate>& candidates) {
  std::fprintf(out, "{\"name\": %s, \"group\": \"%s\", \"standard\": %s, \"short\": %s",
               quoted(row.info.name).c_str(), name_of(row.info.group),
               is_standard(row.info) ? "true" : "false", row.info.is_short ? "true" : "false");
  if (row.info.group == Group::grid) {
    const GridPlace place = grid_place(row.info.name);
    std::fprintf(out, ", \"position\": %d, \"span\": %d", place.position, place.span);
  }
  std::fprintf(out, ", \"seq_ms\": %.4f, \"ideal\": %.4f, \"spread\": %.4f", row.seq_ms, row.ideal,
               row.tree_spread);
  write_medians(out, "ratio", row.main, candidates);
  write_medians(out, "ratio_without_library", row.bare, candidates);
  if (row.info.group == Group::brief || row.info.group == Group::untuned)
    write_medians(out, "to_static", row.to_static, candidates);
  write_spreads(out, row, candidates);
  if (row.tree && row.best)
    std::fprintf(out, ", \"best_peer\": {\"name\": %s, \"ratio\": %.5f}", quoted(row.best_name).c_str(),
                 *row.best);
  std::fprintf(out, "}");
}

void write_part(std::FILE* out, const Part& part) {
  std::fprintf(out, "{\"runtime\": %s, \"file\": %s, \"dropped\": %d,\n \"workloads\": [",
               quoted(part.runtime).c_str(), quoted(part.file).c_str(), part.dropped);
  const char* separator = "\n";
  for (const Row& row : part.rows) {
    std::fprintf(out, "%s  ", separator);
    write_row(out, row, part.candidates);
    separator = ",\n";
  }
  std::fprintf(out, "],\n \"verdicts\": [");
  separator = "\n";
  for (const Verdict& verdict : part.verdicts) {
    std::fprintf(out, "%s  {\"what\": %s, \"limit\": %.3f, \"worst\": %.4f, \"held\": %zu, \"of\": %zu}",
                 separator, quoted(verdict.what).c_str(), verdict.limit, verdict.worst, verdict.held,
                 verdict.of);
    separator = ",\n";
  }
  std::fprintf(out, "]}");
}

} // namespace

bool write_json(const std::string& path, const Origin& origin, const std::vector<Part>& parts) {
  std::FILE* out = std::fopen(path.c_str(), "w");
  if (!out) return false;
  std::fprintf(out, "{\"library\": %s, \"threads\": %d, \"rounds\": %d,\n\"runtimes\": [",
               quoted(origin.library).c_str(), origin.threads, origin.rounds);
  const char* separator = "\n";
  for (const Part& part : parts) {
    std::fputs(separator, out);
    write_part(out, part);
    separator = ",\n";
  }
  std::fprintf(out, "]}\n");
  return std::fclose(out) == 0;
}

} // namespace bench
