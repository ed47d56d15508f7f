// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs regions with a loop in them and reports where their members were. The arguments are steps, in their
// order:
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
//   child          all later steps run in a forked child
//   late           all later steps run in another thread
// Lines of the report:
//   start MASK     once per process
//   row PROCESS ROOT REGION LEVEL MEMBER MEMBERS TID CPU MS MASK
//                  a member in a region, MS after the first one; the opener behind a region has 0 MEMBERS
//   thread MASK    every thread at the end
//   end right      or lost, if an iteration was
#include "headers.h"
#include "omp_decls.h"

#include <array>
#include <barrier>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

namespace {

using Clock = std::chrono::steady_clock;
using Cpus = std::set<int>;
using Mask = std::array<cpu_set_t, 16>; ///< room for more CPUs than any machine has

Cpus mask_of(pid_t thread) {
  Mask mask{};
  Cpus cpus;
  if (sched_getaffinity(thread, sizeof mask, mask.data()) != 0) return cpus;
  for (int cpu = 0; cpu < static_cast<int>(sizeof mask * 8); ++cpu)
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), sizeof mask, mask.data())) cpus.insert(cpu);
  return cpus;
}

bool set_mask(pid_t thread, const Cpus& cpus) {
  Mask mask{};
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), sizeof mask, mask.data());
  return sched_setaffinity(thread, sizeof mask, mask.data()) == 0;
}

std::string text_of(const Cpus& cpus) {
  std::string text;
  for (const int cpu : cpus) text += (text.empty() ? "" : ",") + std::to_string(cpu);
  return text + '\n';
}

Cpus cpus_of(const std::string& text) {
  Cpus cpus;
  std::istringstream list(text);
  for (std::string cpu; std::getline(list, cpu, ',');) cpus.insert(std::stoi(cpu));
  return cpus;
}

constexpr long k_iterations = 64, k_sum = k_iterations * (k_iterations - 1) / 2;

std::string report;
int process = 0;
std::atomic<bool> lost = false;
Clock::time_point first_region{}, end_of_quiet{};

void expect(bool right) {
  if (!right) lost = true;
}

long ms_since(Clock::time_point then) {
  return static_cast<long>(
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - then).count());
}

/// What one thread does that opens regions.
struct Root {
  int number = 0;
  int regions = 0;    ///< reported ones
  int members = 2;    ///< of the latest region
  std::string report; ///< of this thread; the second one's is added when it has ended

  [[nodiscard]] std::string row(int level, int members_there) const {
    std::ostringstream text;
    text << "row " << process << ' ' << number << ' ' << regions << ' ' << level << ' '
         << omp_get_thread_num() << ' ' << members_there << ' ' << gettid() << ' ' << sched_getcpu() << ' '
         << ms_since(first_region) << ' ' << text_of(mask_of(0));
    return text.str();
  }
  void end_region(const std::vector<std::string>& rows) {
    for (const std::string& each : rows) report += each;
    report += row(1, 0);
    ++regions;
  }
};

void quiet_region(int members) {
  long sum = 0;
#pragma omp parallel for schedule(runtime) num_threads(members) reduction(+ : sum)
  for (long i = 0; i < k_iterations; ++i) sum += i;
  if (end_of_quiet == Clock::time_point{}) end_of_quiet = Clock::now();
  expect(sum == k_sum);
}

/// `meanwhile` is called by the opener, within the region.
void reported_region(
    Root& root, int members, const std::function<void()>& meanwhile = [] {}) {
  std::vector<std::string> rows(static_cast<std::size_t>(members));
  long sum = 0;
#pragma omp parallel num_threads(members) reduction(+ : sum)
  {
#pragma omp for schedule(runtime)
    for (long i = 0; i < k_iterations; ++i) sum += i;
    if (omp_get_thread_num() == 0) meanwhile();
    rows[static_cast<std::size_t>(omp_get_thread_num())] = root.row(1, omp_get_num_threads());
  }
  expect(sum == k_sum);
  root.end_region(rows);
}

void nested_region(Root& root, int outer, int inner) {
  const auto width = static_cast<std::size_t>(inner) + 1;
  std::vector<std::string> rows(static_cast<std::size_t>(outer) * width);
  std::atomic<long> sum{0};
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(outer)
  {
    std::string* const own = &rows[static_cast<std::size_t>(omp_get_thread_num()) * width];
#pragma omp for schedule(runtime)
    for (long i = 0; i < k_iterations; ++i) sum += i;
    own[inner] = root.row(1, omp_get_num_threads());
#pragma omp parallel num_threads(inner)
    {
#pragma omp for schedule(runtime)
      for (long i = 0; i < k_iterations; ++i) sum += i;
      own[omp_get_thread_num()] = root.row(2, omp_get_num_threads());
    }
  }
  expect(sum == (outer + 1) * k_sum);
  root.end_region(rows);
}

/// Every region of the second thread begins and ends while the first one is in a region of its own.
void two_roots(Root& root, int members, int regions) {
  std::barrier together(2);
  Root own{1, 0, members, {}};
  const auto meet = [&] { together.arrive_and_wait(); };
  std::thread second([&] {
    for (int i = 0; i < regions; ++i) {
      meet();
      reported_region(own, members);
      meet();
    }
  });
  for (int i = 0; i < regions; ++i)
    reported_region(root, members, [&] {
      meet();
      meet();
    });
  second.join();
  root.report += own.report;
}

void deferred_task() {
  long sum = 0;
#pragma omp target nowait map(tofrom : sum) depend(out : sum)
  {
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (long i = 0; i < k_iterations; ++i) sum += i;
  }
#pragma omp taskwait
  expect(sum == k_sum);
}

void pin_member(int members, int member, int cpu) {
#pragma omp parallel num_threads(members)
  if (omp_get_thread_num() == member) expect(set_mask(0, {cpu}));
}

void stay(int members) {
  std::vector<Cpus> masks(static_cast<std::size_t>(members));
#pragma omp parallel num_threads(members)
  masks[static_cast<std::size_t>(omp_get_thread_num())] = mask_of(0);
  Cpus own = masks[0];
  for (std::size_t worker = 1; worker < masks.size(); ++worker)
    for (const int cpu : masks[worker]) own.erase(cpu);
  if (!own.empty()) expect(set_mask(0, own));
}

/// Changes all masks as taskset -a -p does, but is not troubled by threads that end meanwhile.
void change_from_outside(const Cpus& cpus) {
  const std::string threads = "/proc/" + std::to_string(getpid()) + "/task";
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& each : std::filesystem::directory_iterator(threads))
      set_mask(std::stoi(each.path().filename().string()), cpus);
    _exit(0);
  }
  int status = 0;
  expect(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

void finish(const Root& root) {
  report += root.report;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) {
    const Cpus mask = mask_of(std::stoi(each.path().filename().string()));
    if (mask.empty() && errno == ESRCH) continue; // libgomp ends threads of inner teams after the region
    report += "thread " + text_of(mask);
  }
  std::printf("%send %s\n", report.c_str(), lost ? "lost" : "right");
  std::fflush(stdout);
}

/// Returns in the child. The parent ends as the child did.
void go_on_in_a_child(Root& root) {
  const pid_t child = fork();
  if (child == 0) {
    ++process;
    first_region = end_of_quiet = {};
    root.report.clear();
    report = "start " + text_of(mask_of(0));
    return;
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) std::exit(9);
  finish(root);
  std::exit(WEXITSTATUS(status));
}

int run(char** step, Root& root) {
  for (; *step != nullptr; ++step) {
    const std::string text = *step, name = text.substr(0, text.find('='));
    const std::string value = name.size() < text.size() ? text.substr(name.size() + 1) : "";
    const std::size_t second = value.find_first_of("x:");
    const int a = std::atoi(value.c_str());
    const int b = second == std::string::npos ? 1 : std::atoi(value.c_str() + second + 1);
    if (second != std::string::npos && name != "pin") root.members = a;
    if (first_region == Clock::time_point{} && name != "late" && name != "child") first_region = Clock::now();
    const auto times = [b](auto region) {
      for (int i = 0; i < b; ++i) region();
    };
    const std::map<std::string, std::function<void()>> simple{
        {"team", [&] { times([&] { reported_region(root, a); }); }},
        {"quiet", [&] { times([&] { quiet_region(a); }); }},
        {"nested", [&] { nested_region(root, a, b); }},
        {"busy",
         [&] {
           do quiet_region(root.members);
           while (ms_since(end_of_quiet) < a);
         }},
        {"roots", [&] { two_roots(root, a, b); }},
        {"deferred", deferred_task},
        {"pin", [&] { pin_member(root.members, a, b); }},
        {"opener", [&] { expect(set_mask(0, cpus_of(value))); }},
        {"stay", [&] { stay(root.members); }},
        {"outside", [&] { change_from_outside(cpus_of(value)); }},
        {"mark", [] { (void)getppid(); }},
        {"child", [&] { go_on_in_a_child(root); }}};
    if (name == "late") {
      report += root.report;
      int status = 0;
      std::thread([&] {
        Root own{root.number + 1, 0, root.members, {}};
        status = run(step + 1, own);
      }).join();
      return status;
    }
    if (!simple.contains(name)) return 2;
    simple.at(name)();
  }
  finish(root);
  return lost ? 8 : 0;
}

} // namespace

int main(int, char** argv) {
  // Where two threads that spin are left on one processor, each region takes a turn of all that are there.
  alarm(500);
  omp_set_dynamic(0);
  report = "start " + text_of(mask_of(0));
  Root root;
  return run(argv + 1, root);
}
