// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A team that reduces affine maps, under the model checker.
#pragma once

#include "engine/execution.h"
#include "engine/platform.h"
#include "typed_reduction.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wstree::model {

/// x -> a x + b, modulo 2^32: applied one after the other, which commutes only by chance. Each access is
/// checked for races.
template <class P> class AffineMap {
public:
  AffineMap(std::uint32_t a, std::uint32_t b) { write(a, b); }
  /// Of element `i`.
  static AffineMap of(std::uint64_t i) {
    return AffineMap(static_cast<std::uint32_t>(2 * i + 3), static_cast<std::uint32_t>(i * i + 7));
  }
  AffineMap(AffineMap&& other) noexcept { write(other.a_, other.b_); } // a write that the model sees
  /// Continues this map by `next`.
  void append(const AffineMap& next) {
    const std::uint32_t a = next.a_, b = next.b_;
    write(a_ * a, b_ * a + b);
  }
  bool equals(const AffineMap& other) const {
    return std::uint32_t{a_} == std::uint32_t{other.a_} && std::uint32_t{b_} == std::uint32_t{other.b_};
  }

private:
  void write(std::uint32_t a, std::uint32_t b) {
    a_ = a;
    b_ = b;
  }
  typename P::template Plain<std::uint32_t> a_{0}, b_{0};
};

struct ReductionModelPlan {
  std::uint32_t members = 2;
  std::vector<std::uint64_t> elements{4}; ///< of each reduction, one after the other in the same storage
  core::Settings settings{
      .batch = core::BatchMode::fixed, .limit = 1, .steal_cost = 0, .near_enough = 0, .clocked = false};
  bool has_memory = true;        ///< for nodes and cells
  std::uint32_t fails_after = 0; ///< elements after which the first reduction fails; 0: it does not
};

/// Every element once, in order, and everything that was put down combined once: else the map differs.
template <class P, std::uint32_t pairs> class ReductionProgram final : public Program {
public:
  explicit ReductionProgram(ReductionModelPlan plan) : plan_(std::move(plan)) {}

  std::uint32_t threads() const override { return plan_.members; }

  void reset() override {
    reduction_.reset(); // maps need no destructor: what an execution has left behind is forgotten
    Execution::now->allocation_fails = false;
    storage_ = Storage::create(plan_.members);
    index_ = 0;
    open();
  }

  void body(std::uint32_t member) override {
    for (std::size_t i = 0; i < plan_.elements.size(); ++i) {
      Execution::now->works_for(i + 1);
      Body body{*this};
      reduction_->take_part(member, body);
      Execution::now->succeed();
      if (i + 1 == plan_.elements.size()) return;
      Execution::now->meet([this] {
        check_done();
        ++index_;
        open();
      });
    }
  }

  void finish() override { check_done(); }
  void without(std::uint32_t) override {} // its part is missing, and so is the result: the others end

private:
  using Map = AffineMap<P>;
  using Storage = core::ReductionStorage<P, pairs>;

  struct Body {
    using Value = Map;
    ReductionProgram& program;

    bool start(void* place, std::uint64_t begin, std::uint64_t end) {
      auto* const map = ::new (place) Map(Map::of(begin));
      return program.see(begin, end) && extend_by(*map, begin + 1, end);
    }
    bool extend(Map& map, std::uint64_t begin, std::uint64_t end) {
      return program.see(begin, end) && extend_by(map, begin, end);
    }
    bool combine(Map& left, Map& right, std::uint64_t) {
      left.append(right);
      return true;
    }
    bool move(void* place, Map& map, std::uint64_t) {
      ::new (place) Map(std::move(map));
      return true;
    }
    bool goes_on() { return !program.has_failed_; }
    bool has_ended() { return program.has_failed_; }

    static bool extend_by(Map& map, std::uint64_t begin, std::uint64_t end) {
      for (; begin != end; ++begin) map.append(Map::of(begin));
      return true;
    }
  };
  using Reduction = test::TypedReduction<P, Body, Storage>;

  void open() {
    hits_.assign(plan_.elements[index_], 0);
    has_failed_ = false;
    done_ = 0;
    core::ReductionPlan plan;
    plan.elements = plan_.elements[index_];
    plan.members = plan_.members;
    plan.settings = plan_.settings;
    Execution::now->allocation_fails = false; // the opener would not get here without
    reduction_.emplace(*storage_, plan);
    if (!reduction_->open()) Execution::now->fail("no memory to open");
    Execution::now->allocation_fails = !plan_.has_memory;
  }

  bool see(std::uint64_t begin, std::uint64_t end) {
    Execution::now->succeed();
    if (Execution::now->is_told())
      Execution::now->tell("executes " + std::to_string(begin) + " to " + std::to_string(end));
    for (std::uint64_t i = begin; i < end; ++i)
      if (i >= hits_.size() || ++hits_[i] != 1) {
        Execution::now->fail("element " + std::to_string(i) + " is executed twice, or is none");
        return false;
      }
    done_ += end - begin;
    if (index_ == 0 && plan_.fails_after != 0 && done_ >= plan_.fails_after) has_failed_ = true;
    return !has_failed_;
  }

  /// All threads have left.
  void check_done() {
    if (has_failed_) return;
    Body body{*this};
    core::Maybe<Map> result;
    if (!reduction_->finish(body, result) || !result.has_value())
      return Execution::now->fail("there is no result");
    Map wanted = Map::of(0);
    for (std::uint64_t i = 1; i < hits_.size(); ++i) wanted.append(Map::of(i));
    if (!result.value().equals(wanted)) Execution::now->fail("the result is wrong");
  }

  ReductionModelPlan plan_;
  Storage* storage_ = nullptr; // of the execution's heap
  std::optional<Reduction> reduction_;
  std::size_t index_ = 0; // of the plan
  std::vector<std::uint8_t> hits_;
  std::uint64_t done_ = 0;
  bool has_failed_ = false;
};

template <class P = ModelPlatform, std::uint32_t pairs = 4>
std::function<std::unique_ptr<Program>()> reductions(ReductionModelPlan plan) {
  return [plan] { return std::make_unique<ReductionProgram<P, pairs>>(plan); };
}

} // namespace wstree::model
