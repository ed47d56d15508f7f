// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: __kmpc_dist_dispatch_init, by which a compiler may start the loop of a `distribute parallel for`:
// it first takes the calling team's share of the iterations and then starts the loop over that. Together the
// teams of a league run every iteration once; the flag that init stores is 1 in the team that has the last
// iteration of all.
#include "loop_oracle.h"

using namespace oracle;

namespace {

kmpc::Ident ident;

} // namespace

#define DIST_INIT(suffix, T, ST)                                                                             \
  extern "C" void __kmpc_dist_dispatch_init_##suffix(kmpc::Ident*, std::int32_t, std::int32_t,               \
                                                     std::int32_t*, T, T, ST, ST);                           \
  static void dist_init(Tag<T>, std::int32_t gtid, const Loop& loop, std::int32_t* last) {                   \
    __kmpc_dist_dispatch_init_##suffix(&ident, gtid, loop.schedule, last, static_cast<T>(loop.lower),        \
                                       static_cast<T>(loop.upper), static_cast<ST>(loop.stride),             \
                                       static_cast<ST>(loop.chunk));                                         \
  }
DIST_INIT(4, std::int32_t, std::int32_t)
DIST_INIT(4u, std::uint32_t, std::int32_t)
DIST_INIT(8, std::int64_t, std::int64_t)
DIST_INIT(8u, std::uint64_t, std::int64_t)
#undef DIST_INIT

namespace {

struct Record {
  Chunk chunk;
  int team;
  std::int32_t team_has_last;
};

template <class T>
void drain(std::int32_t gtid, int team, std::int32_t team_has_last, std::vector<Record>& log) {
  T lower{}, upper{};
  typename kmpc::Entries<T>::Stride stride{};
  std::int32_t last = 0;
  while (kmpc::Entries<T>::next(&ident, gtid, &last, &lower, &upper, &stride) != 0) {
    log.push_back({{static_cast<std::uint64_t>(lower), static_cast<std::uint64_t>(upper), 0, last},
                   team,
                   team_has_last});
    check::spin(100);
  }
}

void run_league(const Loop& loop, int teams, int members) {
  std::vector<Record> log;
#pragma omp teams num_teams(teams) thread_limit(members)
  {
    const int team = omp_get_team_num();
#pragma omp parallel num_threads(members)
    {
      std::vector<Record> own;
      const std::int32_t gtid = kmpc::__kmpc_global_thread_num(&ident);
      for (int again = 0; again < 2; ++again) { // and once more, as the next loop of the same region
        std::int32_t has_last = -1;
        std::vector<Record> ignored;
        with_type(loop.type, [&](auto tag) {
          dist_init(tag, gtid, loop, &has_last);
          drain<typename decltype(tag)::Value>(gtid, team, has_last, again == 0 ? own : ignored);
        });
      }
#pragma omp critical
      log.insert(log.end(), own.begin(), own.end());
    }
  }
  struct Numbered {
    Span span;
    const Record* record;
  };
  std::vector<Numbered> spans;
  for (const Record& record : log) spans.push_back({number(loop, record.chunk, teams), &record});
  std::sort(spans.begin(), spans.end(),
            [](const Numbered& a, const Numbered& b) { return a.span.first < b.span.first; });
  Wide expected = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Numbered& each = spans[i];
    CHECK(each.span.first == expected, "iteration %s instead of %s comes next; %s",
          text(each.span.first).c_str(), text(expected).c_str(), describe(loop, teams).c_str());
    expected = each.span.last + 1;
    const bool end_of_share = i + 1 == spans.size() || spans[i + 1].record->team != each.record->team;
    CHECK(each.span.flag == (end_of_share ? 1 : 0), "last=%d in the middle or not at the end of a share; %s",
          each.span.flag, describe(loop, teams).c_str());
    CHECK(each.record->team_has_last == (each.record->team == spans.back().record->team ? 1 : 0),
          "init told team %d of %d that it has the last iteration: %d; %s", each.record->team, teams,
          each.record->team_has_last, describe(loop, teams).c_str());
  }
  CHECK(expected == trips(loop), "%s; %s", text(expected).c_str(), describe(loop, teams).c_str());
}

void leagues() {
  for (int round = 0; round < check::repeat(2, 50); ++round)
    for (const Type type : k_types)
      for (const int teams : {1, 2, 3})
        for (const Wide count : {Wide{1}, Wide{2}, Wide{3}, Wide{4}, Wide{100}, Wide{1001}})
          for (const Wide stride : {Wide{1}, Wide{-1}, Wide{7}, Wide{-1000}}) {
            const Wide start = stride > 0 ? lowest(type) : highest(type);
            run_league({type, start, start + (count - 1) * stride, stride}, teams, 1 + (round + teams) % 3);
          }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  return check::run(argc, argv, {CASE(leagues)});
}
