// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs regions with a loop in them and reports where their members were: masks, CPUs, thread numbers. The
// arguments are steps, in their order:
//   team=PxN       N regions of P members
//   nested=PxQ     a region of P members, each of which opens one of Q
//   roots=PxN      N regions of P members, and in each of them a second thread has one of its own
//   quiet=PxN      like team, without a report
//   busy=MS        quiet regions, as large as the last one, until MS milliseconds after the first of them
//   deferred       a target task (nowait), for which libomp opens a team of its own that stays
//   pin=M:CPU      member M of a region as large as the last one changes its own mask
//   opener=LIST    the opener changes its own mask
//   stay           the opener's mask becomes the CPUs that no worker was pinned to
//   outside=LIST   another process changes the masks of all threads
//   mark           calls getppid(), which a trace of system calls shows
//   child          the rest runs in a forked child
//   late           the rest runs in another thread
// Lines of the report, with KEY=VALUE behind the first word:
//   start   once per process        row    a member in a region      after   the opener behind a region
//   thread  every thread at the end      sum    1 if no iteration was lost
#include "headers.h"
#include "omp_decls.h"

#include <array>
#include <barrier>
#include <chrono>
#include <filesystem>
#include <mutex>

namespace {

using Clock = std::chrono::steady_clock;
using Cpus = std::vector<int>;

/// Room for more CPUs than any machine has.
using Mask = std::array<cpu_set_t, 16>;

Cpus mask_of(pid_t thread) {
  Mask mask{};
  Cpus cpus;
  if (sched_getaffinity(thread, sizeof mask, mask.data()) != 0) return cpus;
  for (int cpu = 0; cpu < static_cast<int>(sizeof mask * 8); ++cpu)
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), sizeof mask, mask.data())) cpus.push_back(cpu);
  return cpus;
}

bool set_mask(pid_t thread, const Cpus& cpus) {
  Mask mask{};
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), sizeof mask, mask.data());
  return sched_setaffinity(thread, sizeof mask, mask.data()) == 0;
}

bool set_own_mask(const Cpus& cpus) { return set_mask(0, cpus); }

std::string text_of(const Cpus& cpus) {
  std::string text;
  for (const int cpu : cpus) text += (text.empty() ? "" : ",") + std::to_string(cpu);
  return text;
}

Cpus cpus_of(const std::string& text) {
  Cpus cpus;
  for (std::size_t at = 0; at < text.size(); at = std::min(text.find(',', at), text.size() - 1) + 1)
    cpus.push_back(std::atoi(text.c_str() + at));
  return cpus;
}

struct Row {
  int level = 1, outer = 0, member = 0, members = 0;
  pid_t tid = 0;
  int cpu = -1;
  long ms = 0;
  Cpus mask;
};

struct Report {
  std::string text;
  std::mutex adding;
  int process = 0;
  std::atomic<bool> lost = false;

  void line(const char* kind, const std::string& rest) {
    const std::lock_guard lock(adding);
    text += std::string(kind) + " process=" + std::to_string(process) + ' ' + rest + '\n';
  }
};

Report report;
Clock::time_point first_region{}, end_of_quiet{};
bool has_begun = false, has_been_quiet = false;

void begin() {
  if (!has_begun) first_region = Clock::now();
  has_begun = true;
}

void end_quiet() {
  if (!has_been_quiet) end_of_quiet = Clock::now();
  has_been_quiet = true;
}

long ms_since(Clock::time_point then) {
  return static_cast<long>(
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - then).count());
}

Row own_row(int level, int outer) {
  Row row{level,    outer,          omp_get_thread_num(),   omp_get_num_threads(),
          gettid(), sched_getcpu(), ms_since(first_region), {}};
  row.mask = mask_of(0);
  return row;
}

void add(int root, int region, const Row& row) {
  if (row.members == 0) return; // the team was smaller than asked for
  report.line("row", "root=" + std::to_string(root) + " region=" + std::to_string(region) +
                         " level=" + std::to_string(row.level) + " outer=" + std::to_string(row.outer) +
                         " member=" + std::to_string(row.member) + " members=" + std::to_string(row.members) +
                         " tid=" + std::to_string(row.tid) + " cpu=" + std::to_string(row.cpu) +
                         " ms=" + std::to_string(row.ms) + " mask=" + text_of(row.mask));
}

void add_after(int root, int region) {
  report.line("after", "root=" + std::to_string(root) + " region=" + std::to_string(region) +
                           " mask=" + text_of(mask_of(0)));
}

/// What one thread does that opens regions.
struct Root {
  int number = 0;
  int regions = 0; ///< reported ones
  int members = 2; ///< of the latest region
  Cpus workers;    ///< CPUs that the workers of the latest reported region had in their masks
};

constexpr long k_iterations = 64;

void quiet_region(int members) {
  long sum = 0;
#pragma omp parallel for schedule(runtime) num_threads(members) reduction(+ : sum)
  for (long i = 0; i < k_iterations; ++i) sum += i;
  end_quiet();
  if (sum != k_iterations * (k_iterations - 1) / 2) report.lost = true;
}

/// `meanwhile` is called by the opener, within the region.
template <class Meanwhile> void reported_region(Root& root, int members, Meanwhile meanwhile) {
  std::vector<Row> rows(static_cast<std::size_t>(members));
  long sum = 0;
#pragma omp parallel num_threads(members) reduction(+ : sum)
  {
#pragma omp for schedule(runtime)
    for (long i = 0; i < k_iterations; ++i) sum += i;
    if (omp_get_thread_num() == 0) meanwhile();
    rows[static_cast<std::size_t>(omp_get_thread_num())] = own_row(1, 0);
  }
  if (sum != k_iterations * (k_iterations - 1) / 2) report.lost = true;
  root.workers.clear();
  for (const Row& row : rows) {
    add(root.number, root.regions, row);
    if (row.member > 0) root.workers.insert(root.workers.end(), row.mask.begin(), row.mask.end());
  }
  add_after(root.number, root.regions++);
}

void reported_region(Root& root, int members) {
  reported_region(root, members, [] {});
}

void nested_region(Root& root, int outer, int inner) {
  std::vector<std::vector<Row>> rows(static_cast<std::size_t>(outer));
  for (auto& each : rows) each.resize(static_cast<std::size_t>(inner) + 1);
  std::atomic<long> sum{0};
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(outer)
  {
    const int number = omp_get_thread_num();
    auto& own = rows[static_cast<std::size_t>(number)];
#pragma omp for schedule(runtime)
    for (long i = 0; i < k_iterations; ++i) sum += i;
    own.back() = own_row(1, 0);
#pragma omp parallel num_threads(inner)
    {
#pragma omp for schedule(runtime)
      for (long i = 0; i < k_iterations; ++i) sum += i;
      own[static_cast<std::size_t>(omp_get_thread_num())] = own_row(2, number);
    }
  }
  if (sum != (outer + 1) * k_iterations * (k_iterations - 1) / 2) report.lost = true;
  for (const auto& each : rows)
    for (const Row& row : each) add(root.number, root.regions, row);
  add_after(root.number, root.regions++);
}

/// Every region of the second thread begins and ends while the first one is in a region of its own.
void two_roots(Root& root, int members, int regions) {
  std::barrier together(2);
  std::thread second([&] {
    Root own{1, 0, members, {}};
    for (int i = 0; i < regions; ++i) {
      together.arrive_and_wait();
      reported_region(own, members);
      together.arrive_and_wait();
    }
  });
  for (int i = 0; i < regions; ++i)
    reported_region(root, members, [&] {
      together.arrive_and_wait();
      together.arrive_and_wait();
    });
  second.join();
}

void deferred_task() {
  long sum = 0;
#pragma omp target nowait map(tofrom : sum) depend(out : sum)
  {
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (long i = 0; i < k_iterations; ++i) sum += i;
  }
#pragma omp taskwait
  if (sum != k_iterations * (k_iterations - 1) / 2) report.lost = true;
}

void pin_member(int members, int member, int cpu) {
#pragma omp parallel num_threads(members)
  if (omp_get_thread_num() == member && !set_own_mask({cpu})) report.lost = true;
}

void stay(const Root& root) {
  Cpus own;
  for (const int cpu : mask_of(0))
    if (std::find(root.workers.begin(), root.workers.end(), cpu) == root.workers.end()) own.push_back(cpu);
  if (!own.empty() && !set_own_mask(own)) report.lost = true;
}

/// As taskset -a -p does it, but not troubled by threads that end meanwhile.
void change_from_outside(const Cpus& cpus) {
  const std::string threads = "/proc/" + std::to_string(getpid()) + "/task";
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& each : std::filesystem::directory_iterator(threads))
      set_mask(std::stoi(each.path().filename().string()), cpus);
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) report.lost = true;
}

// --- steps

using Steps = std::vector<std::string>;

void finish() {
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) {
    const Cpus mask = mask_of(std::stoi(each.path().filename().string()));
    if (mask.empty() && errno == ESRCH) continue; // libgomp ends threads of inner teams after the region
    report.line("thread", "mask=" + text_of(mask));
  }
  report.line("sum", std::string("right=") + (report.lost ? "0" : "1"));
  std::fputs(report.text.c_str(), stdout);
  std::fflush(stdout);
}

bool opens_a_team(const std::string& step) {
  const Steps all = {"team", "nested", "roots", "quiet"};
  return std::find(all.begin(), all.end(), step) != all.end();
}

/// Returns in the child. The parent ends as the child did.
void go_on_in_a_child() {
  const pid_t child = fork();
  if (child == 0) {
    report.text.clear();
    ++report.process;
    has_begun = has_been_quiet = false;
    report.line("start", "mask=" + text_of(mask_of(0)));
    return;
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) std::exit(9);
  finish();
  std::exit(WEXITSTATUS(status));
}

int run(const Steps& steps, std::size_t from, Root& root) {
  for (std::size_t i = from; i < steps.size(); ++i) {
    const std::string& step = steps[i];
    const std::string name = step.substr(0, step.find('='));
    const std::string value = name.size() < step.size() ? step.substr(name.size() + 1) : "";
    const std::size_t second = value.find_first_of("x:");
    const int a = std::atoi(value.c_str());
    const int b = second == std::string::npos ? 1 : std::atoi(value.c_str() + second + 1);
    if (opens_a_team(name)) root.members = a;
    if (opens_a_team(name) || name == "busy") begin();
    if (name == "team") {
      for (int region = 0; region < b; ++region) reported_region(root, a);
    } else if (name == "quiet") {
      for (int region = 0; region < b; ++region) quiet_region(a);
    } else if (name == "nested") {
      nested_region(root, a, b);
    } else if (name == "busy") {
      do quiet_region(root.members);
      while (ms_since(end_of_quiet) < a);
    } else if (name == "roots") {
      two_roots(root, a, b);
    } else if (name == "deferred") {
      deferred_task();
    } else if (name == "pin") {
      pin_member(root.members, a, b);
    } else if (name == "opener") {
      if (!set_own_mask(cpus_of(value))) report.lost = true;
    } else if (name == "stay") {
      stay(root);
    } else if (name == "outside") {
      change_from_outside(cpus_of(value));
    } else if (name == "mark") {
      (void)getppid();
    } else if (name == "child") {
      go_on_in_a_child();
    } else if (name == "late") {
      int status = 0;
      std::thread other([&] {
        Root own{root.number + 1, 0, root.members, {}};
        status = run(steps, i + 1, own);
      });
      other.join();
      return status;
    } else {
      std::fprintf(stderr, "unknown step %s\n", step.c_str());
      return 2;
    }
  }
  finish();
  return report.lost ? 8 : 0;
}

} // namespace

int main(int argc, char** argv) {
  // Where two threads that spin are left on one processor, each region takes a turn of all that are there.
  alarm(500);
  omp_set_dynamic(0);
  report.line("start", "mask=" + text_of(mask_of(0)));
  Root root;
  return run(Steps(argv + 1, argv + argc), 0, root);
}
