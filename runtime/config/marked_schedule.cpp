// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "marked_schedule.h"

#include "tokens.h"

namespace wstree::config {

ValueText to_marked(const ScheduleRequest& request) noexcept {
  ValueText text(k_marked_kind);
  if (request.chunk_given || request.kind != ScheduleKind::wstree)
    text.append(',').append_number(static_cast<std::uint64_t>(encode(schedule_of(request))));
  return text;
}

std::optional<ScheduleRequest> parse_marked(std::string_view value) noexcept {
  if (!value.starts_with(k_marked_kind)) return std::nullopt;
  const std::string_view rest = without_first(value, k_marked_kind.size());
  if (rest.empty()) return ScheduleRequest{};
  constexpr std::uint64_t k_most = (std::uint64_t{k_schedule_kinds} << k_mark_shift) - 1;
  const auto number = parse_number(without_first(rest, 1), 1, k_most);
  if (rest.front() != ',' || !number) return std::nullopt;
  const OwnSchedule schedule = decode(static_cast<int>(*number));
  ScheduleRequest request;
  request.kind = schedule.kind;
  request.chunk_given = schedule.chunk != 0;
  if (request.chunk_given) request.chunk = schedule.chunk;
  return request;
}

} // namespace wstree::config
