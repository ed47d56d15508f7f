// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the model checker shows and does not show of small programs whose outcomes are known.
#include "litmus.h"

#include <sstream>
#include <string>

namespace wstree::model {
namespace {

std::memory_order order_of(const std::string& word) {
  return word == "rlx"   ? relaxed
         : word == "acq" ? acquire
         : word == "rel" ? release
         : word == "ar"  ? acq_rel
                         : seq_cst;
}

/// One operation, as "x=1 rel" (a store), "r0=y acq" (a load), "x<1 ar" (an exchange), "x+1 rlx" (an
/// addition), "r0=x?1 rlx" (an exchange of 0 by 1, and whether it was one), "fence sc". "rlx" of a fence:
/// none.
void execute(Machine& m, const std::string& text) {
  std::istringstream words(text);
  std::string what, order;
  words >> what >> order;
  const auto variable = [&](char name) -> Atomic<int>& { return m.v[static_cast<std::size_t>(name - 'x')]; };
  const auto value = [&](std::size_t at) { return what[at] - '0'; };
  if (what == "fence")
    return ModelPlatform::fence(core::Tag::own, order_of(order)); // of no tag in particular
  if (what[0] == 'r') {
    int& to = m.r[static_cast<std::size_t>(value(1))];
    int zero = 0;
    if (what.size() == 4)
      to = variable(what[3]).load(order_of(order));
    else
      to = static_cast<int>(
          variable(what[3]).compare_exchange_strong(zero, value(5), order_of(order), relaxed));
  } else if (what[1] == '=') {
    variable(what[0]).store(value(2), order_of(order));
  } else if (what[1] == '<') {
    variable(what[0]).exchange(value(2), order_of(order));
  } else {
    variable(what[0]).fetch_add(value(2), order_of(order));
  }
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, by);) parts.push_back(part);
  return parts;
}

Body body_of(const std::string& thread) {
  return [operations = split(thread, ';')](Machine& m) {
    for (const std::string& operation : operations) execute(m, operation);
  };
}

enum class Are : std::uint8_t { exactly, among, never };
using enum Are;
struct Row {
  const char* program;   ///< threads between bars, their operations between semicolons
  int registers, finals; ///< what an outcome has: r0 and so on, and then what x and so on are in the end
  Are are;               ///< all outcomes, some of them, or none
  Outcomes wanted;
};

const Row k_rows[] = {
    // Store buffering, of exchanges and loads, with fences, and with a fence on one side (C++20,
    // atomics.order 4.2 and 4.3).
    {"x<1 sc; r0=y sc | y<1 sc; r1=x sc", 2, 0, never, {{0, 0}}},
    {"x<1 ar; r0=y sc | y<1 ar; r1=x sc", 2, 0, among, {{0, 0}}},
    {"x<1 sc; r0=y acq | y<1 sc; r1=x acq", 2, 0, among, {{0, 0}}},
    {"x=1 rlx; fence sc; r0=y rlx | y=1 sc; r1=x sc", 2, 0, never, {{0, 0}}},
    {"x=1 rlx; fence sc; r0=y rlx | y=1 rel; r1=x sc", 2, 0, among, {{0, 0}}},
    {"x=1 rlx; fence sc; r0=y rlx | y=1 sc; r1=x acq", 2, 0, among, {{0, 0}}},
    // Message passing.
    {"x=1 rlx; y=1 rlx | r0=y rlx; r1=x rlx", 2, 0, exactly, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}},
    {"x=1 rlx; y=1 rel | r0=y rlx; r1=x rlx", 2, 0, exactly, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}},
    {"x=1 rlx; y=1 rlx | r0=y acq; r1=x rlx", 2, 0, exactly, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}},
    {"x=1 rlx; y=1 rel | r0=y acq; r1=x rlx", 2, 0, exactly, {{0, 0}, {0, 1}, {1, 1}}},
    {"x=1 rlx; y=1 sc | r0=y sc; r1=x rlx", 2, 0, exactly, {{0, 0}, {0, 1}, {1, 1}}},
    // Without promises: C++ would allow {1, 1} of relaxed accesses. Load buffering is not modelled.
    {"r0=x rlx; y=1 rlx | r1=y rlx; x=1 rlx", 2, 0, exactly, {{0, 0}, {0, 1}, {1, 0}}},
    // Two readers agree on the order of two stores.
    {"x=1 rlx | x=2 rlx | r0=x rlx; r1=x rlx | r2=x rlx; r3=x rlx",
     4,
     0,
     among,
     {{1, 2, 1, 2}, {2, 1, 2, 1}}},
    {"x=1 rlx | x=2 rlx | r0=x rlx; r1=x rlx | r2=x rlx; r3=x rlx", 4, 0, never, {{1, 2, 2, 1}}},
    // Independent reads of independent writes: C++20 and later.
    {"x=1 rlx | y=1 rlx | r0=x rlx; fence ar; r1=y rlx | r2=y rlx; fence ar; r3=x rlx",
     4,
     0,
     among,
     {{1, 0, 1, 0}}},
    {"x=1 rlx | y=1 rlx | r0=x rlx; fence sc; r1=y rlx | r2=y rlx; fence sc; r3=x rlx",
     4,
     0,
     never,
     {{1, 0, 1, 0}}},
    // Two and two writes.
    {"x=1 rlx; y=2 rlx | y=1 rlx; x=2 rlx", 0, 2, among, {{1, 1}}},
    {"x=1 rel; y=2 rel | y=1 rel; x=2 rel", 0, 2, among, {{1, 1}}},
    {"x=1 sc; y=2 sc | y=1 sc; x=2 sc", 0, 2, exactly, {{1, 2}, {2, 1}, {2, 2}}},
    // Read-modify-writes are atomic.
    {"x+1 rlx | x+1 rlx | x+1 rlx", 0, 1, exactly, {{3}}},
    {"r0=x?1 rlx | r1=x?2 rlx", 2, 0, exactly, {{0, 1}, {1, 0}}},
    // C++20: nor is a later store of the releasing thread in the release sequence.
    {"y=1 rlx; x=1 rel; x=2 rlx | r0=x acq; r1=y rlx", 2, 0, among, {{2, 0}}},
    {"y=1 rlx; x=1 rel; x=2 rlx | r0=x acq; r1=y rlx", 2, 0, never, {{1, 0}}},
};

TEST(Litmus, ProgramsHaveTheOutcomesOfCpp20) {
  for (const Row& row : k_rows) {
    std::vector<Body> bodies;
    for (const std::string& thread : split(row.program, '|')) bodies.push_back(body_of(thread));
    const Outcomes all = outcomes(bodies, row.registers, row.finals);
    if (row.are == exactly) {
      EXPECT_EQ(all, row.wanted) << row.program;
    }
    for (const Outcome& outcome : row.wanted)
      EXPECT_EQ(all.count(outcome), row.are == never ? 0U : 1U) << row.program;
  }
}

/// Fences between relaxed accesses.
TEST(Litmus, MessagePassingByFences) {
  for (const std::string writer : {"rlx", "acq", "rel", "ar", "sc"})
    for (const std::string reader : {"rlx", "acq", "rel", "ar", "sc"}) {
      const Outcomes all = outcomes({body_of("x=1 rlx; fence " + writer + "; y=1 rlx"),
                                     body_of("r0=y rlx; fence " + reader + "; r1=x rlx")},
                                    2);
      const bool releases = writer != "rlx" && writer != "acq", acquires = reader != "rlx" && reader != "rel";
      EXPECT_EQ(all.count({1, 0}), releases && acquires ? 0U : 1U) << writer << ", " << reader;
      EXPECT_EQ(all.size(), releases && acquires ? 3U : 4U) << writer << ", " << reader;
    }
}

TEST(Litmus, PlainDataBehindAMessage) {
  const auto run = [](std::memory_order store, std::memory_order load) {
    Litmus litmus({[=](Machine& m) {
                     m.data.write(1);
                     m.x.store(1, store);
                   },
                   [=](Machine& m) {
                     if (m.x.load(load) == 1) m.r[0] = m.data.read();
                   }},
                  1);
    return explore(litmus, k_all);
  };
  EXPECT_FALSE(run(release, acquire).failed);
  EXPECT_TRUE(run(release, relaxed).failed);
  EXPECT_TRUE(run(relaxed, acquire).failed);
}

TEST(WeakExchange, FailsWithoutAReasonAsOftenAsTheBoundsSay) {
  const auto tries = [](std::uint32_t spurious) {
    Litmus litmus({[](Machine& m) {
                    int zero = 0;
                    m.r[0] = 0;
                    while (!m.x.compare_exchange_weak(zero, 1, acq_rel, relaxed)) ++m.r[0];
                    m.r[1] = zero;
                  }},
                  2, 1);
    Bounds bounds = k_all;
    bounds.spurious = spurious;
    EXPECT_TRUE(explore(litmus, bounds).exhausted);
    return litmus.outcomes;
  };
  EXPECT_EQ(tries(0), (Outcomes{{0, 0, 1}}));
  EXPECT_EQ(tries(2), (Outcomes{{0, 0, 1}, {1, 0, 1}, {2, 0, 1}}));
}

} // namespace
} // namespace wstree::model
