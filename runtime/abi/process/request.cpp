// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/request.h"

#include "fixed_text.h"
#include "resolve/binding.h"
#include "resolve/runtime.h"

namespace wstree::abi {

constinit std::atomic<bool> g_wants_tool{false};
constinit std::atomic<bool> g_wants_pieces{false};

namespace {

// The constructor of the library writes the next five, before there are threads.
constinit bool g_secure = false;
constinit std::optional<config::ScheduleRequest> g_request;
constinit int g_request_mark = 0; // 0: none
constinit TaskSchedule g_requested;
constinit config::FixedText<64> g_request_text;

constinit config::MarkTable g_marks;

constinit Real<void(int*, int*)> g_get_schedule = question<void(int*, int*)>("omp_get_schedule");

[[gnu::noinline]] TaskSchedule set_by_program(int chunk) noexcept {
  const auto schedule = g_marks.meaning(chunk);
  if (!schedule) return {};
  return {true, model_of(schedule->kind), schedule->chunk};
}

} // namespace

config::MarkTable& marks() noexcept { return g_marks; }

bool activate() noexcept {
  if (g_secure) return false;
  if (active()) return true;
  end_idleness();
  bind_all();
  return true;
}

TaskSchedule task_schedule(const void* caller) noexcept {
  const auto get = g_get_schedule.find(caller);
  if (get == nullptr) return {};
  int kind = 0;
  int chunk = 0;
  get(&kind, &chunk);
  if (kind != k_sentinel_kind) return {};
  return chunk == g_request_mark ? g_requested : set_by_program(chunk);
}

void remember_request(std::string_view value, const config::ScheduleRequest& request) noexcept {
  g_request = request;
  g_request_text.append(value);
  const config::OwnSchedule schedule = schedule_of(request);
  g_request_mark = g_marks.mark(schedule);
  g_requested = {true, model_of(schedule.kind), schedule.chunk};
  activate();
}

void remember_secure() noexcept { g_secure = true; }
bool is_secure() noexcept { return g_secure; }

const std::optional<config::ScheduleRequest>& environment_request() noexcept { return g_request; }

void report_request(config::LineSink lines) noexcept {
  if (g_request) config::report_schedule(g_request_text.view(), *g_request, lines);
}

} // namespace wstree::abi
