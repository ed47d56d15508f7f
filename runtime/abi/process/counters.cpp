// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/counters.h"

#include "fixed_text.h"
#include "message.h"
#include "perf_event.h"
#include "process_limits.h"

#include "wstree/core/cost.h"
#include "wstree/core/platform.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <new>
#include <utility>

namespace wstree::abi {
namespace {

using config::system_call;
using observe::k_counters;

constexpr std::array<config::CountedEvent, k_counters> k_events{
    config::k_cycles_event, config::k_instructions_event, config::k_cache_misses_event,
    config::k_page_faults_event, config::k_switches_event};
constexpr std::size_t k_mapped = 4096; // bytes; the system makes a page of it

/// As read() of the leader returns it (PERF_FORMAT_GROUP and so on).
struct Reading {
  std::uint64_t events, enabled, running;
  struct {
    std::uint64_t value, id;
  } of[k_counters];
};

/// The events of one thread.
struct Group {
  struct Part {
    const void* part;
    bool is_read;
    Reading before;
  };
  static constexpr std::size_t k_nested = 8; // loops inside each other; of more only inner ones are counted

  int leader = -1;
  std::size_t size = 0;
  std::size_t counter[k_counters];
  std::uint64_t id[k_counters];
  void* page[k_counters]; // keeps an event whose descriptor is closed; nullptr: the leader
  std::size_t depth = 0;
  Part parts[k_nested];
};
constinit thread_local Group* t_group __attribute__((tls_model("initial-exec"))) = nullptr;

using Errors = std::array<int, k_counters>;

config::FixedText<16> paranoid() noexcept {
  config::FixedText<16> text;
  const long file =
      system_call(SYS_openat, AT_FDCWD, "/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
  char bytes[8];
  const long size = file < 0 ? 0 : system_call(SYS_read, file, bytes, sizeof bytes);
  if (file >= 0) system_call(SYS_close, file);
  for (long i = 0; i < size && bytes[i] > ' '; ++i) text.append(bytes[i]);
  if (text.empty()) text.append("not known");
  return text;
}

void say_why_not(const Errors& errors) noexcept {
  static constinit std::atomic<bool> is_said{false};
  // relaxed: decides which thread speaks, and publishes nothing.
  if (is_said.exchange(true, std::memory_order_relaxed)) return;
  config::FixedText<config::k_max_line + 1> line("wstree: WSTREE_COUNTERS counts no ");
  for (std::size_t i = 0; i < k_counters; ++i) {
    if (errors[i] == 0) continue;
    for (const char c : observe::k_counter_names[i]) line.append(c == '_' ? ' ' : c);
    const auto next =
        std::find_if(errors.begin() + i + 1, errors.end(), [](int error) { return error != 0; });
    if (next != errors.end() && *next == errors[i]) {
      line.append(", ");
      continue;
    }
    if (errors[i] == EACCES || errors[i] == EPERM)
      line.append(" (kernel.perf_event_paranoid is ")
          .append(paranoid().view())
          .append(", and ")
          .append(k_events[i].in_kernel ? "1" : "2")
          .append(" or less is needed, or CAP_PERFMON, and no filter of calls)");
    else if (errors[i] == EMFILE || errors[i] == ENFILE)
      line.append(" (too many files are open)");
    else if (errors[i] == ENOENT || errors[i] == ENODEV || errors[i] == EOPNOTSUPP)
      line.append(" (the system has no such counters, like many virtual machines)");
    else
      line.append(" (error ").append_number(static_cast<std::uint64_t>(errors[i])).append(")");
    if (next != errors.end()) line.append(", no ");
  }
  observe::say(line.view());
}

/// Returns whether enough descriptors remain for the program: half of those that it may still have are
/// its own.
bool leaves_enough(long file) noexcept {
  rlimit files{};
  return system_call(SYS_prlimit64, 0, static_cast<int>(RLIMIT_NOFILE), 0, &files) == 0 &&
         static_cast<rlim_t>(file) < files.rlim_cur / 2;
}

/// Returns 0 or the number of an error.
int open_event(Group& group, std::size_t counter) noexcept {
  perf_event_attr attributes{};
  attributes.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
  const long file = k_events[counter].open(attributes, group.leader);
  if (file < 0) return static_cast<int>(-file);
  if (group.leader < 0 && !leaves_enough(file)) {
    system_call(SYS_close, file);
    return EMFILE;
  }
  long result = system_call(SYS_ioctl, file, PERF_EVENT_IOC_ID, &group.id[group.size]);
  group.page[group.size] = nullptr;
  if (result == 0 && group.leader < 0) {
    group.leader = static_cast<int>(file);
  } else {
    // One descriptor for each thread is enough: the mapping keeps the event.
    if (result == 0) result = system_call(SYS_mmap, 0, k_mapped, PROT_READ, MAP_SHARED, file, 0);
    system_call(SYS_close, file);
    if (result < 0 && result > -static_cast<long>(k_mapped)) return static_cast<int>(-result);
    group.page[group.size] = reinterpret_cast<void*>(result);
  }
  group.counter[group.size++] = counter;
  return 0;
}

void open_group() noexcept {
  void* const memory = core::StdPlatform::allocate(sizeof(Group));
  if (memory == nullptr) return;
  t_group = ::new (memory) Group;
  Errors errors{};
  for (std::size_t i = 0; i < k_counters; ++i) errors[i] = open_event(*t_group, i);
  if (t_group->size != k_counters) say_why_not(errors);
}

/// Returns whether the descriptor is still that of the events: the program may have closed it, and opened
/// a file.
bool has_leader(const Group& group) noexcept {
  std::uint64_t id = 0;
  return system_call(SYS_ioctl, group.leader, PERF_EVENT_IOC_ID, &id) == 0 && id == group.id[0];
}

bool read(const Group& group, Reading& reading) noexcept {
  if (place::has_new_call_filter() || !has_leader(group)) return false;
  const long bytes = system_call(SYS_read, group.leader, &reading, sizeof reading);
  const std::size_t wanted = sizeof reading - (k_counters - group.size) * sizeof *reading.of;
  if (bytes != static_cast<long>(wanted) || reading.events != group.size) return false;
  for (std::size_t i = 0; i < group.size; ++i)
    if (reading.of[i].id != group.id[i]) return false;
  return true;
}

} // namespace

void begin_counting(const void* part) noexcept {
  if (t_group == nullptr && !place::has_new_call_filter()) open_group();
  Group* const group = t_group;
  if (group == nullptr || group->size == 0) return;
  if (group->depth == Group::k_nested) group->depth = 0; // perhaps loops that threads have left by a jump
  Group::Part& entered = group->parts[group->depth++];
  entered.part = part;
  entered.is_read = read(*group, entered.before);
}

observe::CounterValues end_counting(const void* part) noexcept {
  observe::CounterValues counted;
  Group* const group = t_group;
  if (group == nullptr) return counted;
  std::size_t depth = group->depth;
  while (depth != 0 && group->parts[depth - 1].part != part) --depth;
  if (depth == 0) return counted;
  group->depth = depth - 1;
  const Group::Part& entered = group->parts[depth - 1];
  Reading now;
  if (!entered.is_read || !read(*group, now)) return counted;
  const std::uint64_t enabled = now.enabled - entered.before.enabled;
  const std::uint64_t running = now.running - entered.before.running;
  if (running == 0) return counted; // other events had the processor's counters
  counted.all_parts = 1;
  for (std::size_t i = 0; i < group->size; ++i) {
    const std::uint64_t value = now.of[i].value - entered.before.of[i].value;
    counted.parts[group->counter[i]] = 1;
    counted.values[group->counter[i]] = core::scaled(value, enabled, running);
  }
  return counted;
}

void close_counters() noexcept {
  if (t_group == nullptr) return;
  for (std::size_t i = 0; i < t_group->size; ++i)
    if (t_group->page[i] != nullptr) system_call(SYS_munmap, t_group->page[i], k_mapped);
  forget_counters();
}

void forget_counters() noexcept { // a child has no such mappings
  Group* const group = std::exchange(t_group, nullptr);
  if (group == nullptr) return;
  if (!place::has_new_call_filter() && has_leader(*group)) system_call(SYS_close, group->leader);
  core::StdPlatform::release(group, sizeof(Group));
}

} // namespace wstree::abi
