// A GPU for tests of groups: kernels, packed operands and the float64 reference of one workload.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gpu/contenders/kernel_store.hpp"
#include "gpu/contenders/operands.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/measure/verifier.hpp"
#include "support/gpu_bench.hpp"
#include "support/scaling.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright::testing {

/// Products of n columns and depth k, one for each of `rows`.
inline Workload packed_group(const std::vector<int64_t>& rows, int64_t n, int64_t k) {
  Workload group;
  for (const int64_t m : rows) group.shapes.push_back({m, n, k});
  return group;
}

/// Random numbers of rows for each product: none, one, a few or many.
inline std::vector<int64_t> random_rows(size_t products, int64_t most, std::mt19937& random) {
  std::vector<int64_t> rows;
  while (rows.size() < products) {
    switch (random() % 4) {
      case 0: rows.push_back(0); break;
      case 1: rows.push_back(1 + static_cast<int64_t>(random() % 16)); break;
      default: rows.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(most)));
    }
  }
  return rows;
}

/// The kernels that all workloads of one type share, so that they are loaded once.
struct GroupKernels {
  explicit GroupKernels(const Workload& group)
      : device(group.kind.dtype, output_type(group.kind), architecture(h200()), test_cache()),
        store(architecture(h200()), test_cache()) {}
  DeviceKernels device;
  KernelStore store;
};

/// One group or rank-k update on device 0: launches any config and compares with float64.
class GroupBench {
 public:
  explicit GroupBench(const Workload& group)
      : GroupBench(group, std::make_shared<GroupKernels>(group)) {}
  GroupBench(const Workload& group, std::shared_ptr<GroupKernels> shared)
      : group_(group),
        shared_(std::move(shared)),
        operands_(group, 0, kSeed, shared_->device),
        set_(operands_.set(0)) {
    // Of a group without a C: random like A and B, and never written here.
    if (set_.c == nullptr) set_.c = operands_.set(1).d;
    if (set_.entries != nullptr) operands_.list_products(group, set_);
    verifier_ = std::make_unique<WorkloadVerifier>(group_, set_, kSeed, shared_->device);
  }

  const Workload& group() const { return group_; }
  const OperandSet& operands() const { return set_; }
  KernelStore& kernels() { return shared_->store; }

  /// Poisons D, launches once and compares with float64.
  Verification run(const TileConfig& config) {
    const Epilogue& own = group_.kind.epilogue;
    return run(config, {own.alpha, own.beta});
  }
  /// The same with these factors instead of the group's.
  Verification run(const TileConfig& config, Scaling scaling, const PlanOptions& options = {}) {
    verifier_->poison();
    const Workload group = scaled(group_, scaling);
    kernels().launch(make_plan(group, config, h200(), options), {.operands = set_}, {});
    TW_CHECK(cudaDeviceSynchronize());
    return verifier_->check(group.kind.epilogue);
  }

  /// The same of the group itself on other operands, compared as if they were the bench's.
  Verification run_on(const OperandSet& operands, const TileConfig& config) {
    verifier_->poison();
    kernels().launch(make_plan(group_, config, h200()), {.operands = operands}, {});
    TW_CHECK(cudaDeviceSynchronize());
    return verifier_->check(group_.kind.epilogue);
  }

  /// Launches the same plan, but with other row offsets in device memory, of 32 or 64 bits each.
  template <class Offset>
  void launch(const TileConfig& config, const std::vector<Offset>& offsets) {
    const DeviceBuffer other(offsets.size() * sizeof(Offset));
    copy_to_device(other.get(), offsets.data(), other.bytes());
    OperandSet set = set_;
    set.offsets = other.get();
    kernels().launch(make_plan(group_, config, h200()), {.operands = set},
                     {.long_offsets = sizeof(Offset) > sizeof(int)});
    TW_CHECK(cudaDeviceSynchronize());
  }

  /// True if, by the kernel's own records, every CTA computed the plan's units in order; for units
  /// that a counter distributes, true if every unit was computed once.
  bool trace_is_the_plan(const TileConfig& config, const PlanOptions& options = {}) {
    constexpr KernelExtras kTraced{.trace = true};
    const LoadedPlan loaded = kernels().load(make_plan(group_, config, h200(), options), kTraced);
    const Plan& plan = loaded.plan;
    std::vector<tw::TraceRecord> records(static_cast<size_t>(loaded.launch->trace_record_count()));
    const DeviceBuffer buffer(records.size() * sizeof(tw::TraceRecord));
    copy_to_device(buffer.get(), records.data(), buffer.bytes());
    kernels().launch(loaded, {.operands = set_, .trace = buffer.as<tw::TraceRecord>()});
    copy_to_host(records.data(), buffer.get(), buffer.bytes());
    std::vector<std::vector<WorkTile>> work(static_cast<size_t>(plan.ctas()));
    for (const tw::TraceRecord& r : records) {
      if (r.cta < 0 || r.inside == 0) continue;
      work[static_cast<size_t>(r.cta)].push_back({r.problem, r.m, r.n, r.k_begin, r.k_end});
    }
    if (config.group_schedule != GroupSchedule::Dynamic) return work == assignments(plan);
    return all_of(work) == all_of(assignments(plan));
  }

  void poison() const { verifier_->poison(); }

 private:
  static constexpr uint64_t kSeed = 7;

  // The units of all CTAs, sorted.
  static std::vector<std::array<int, 5>> all_of(const std::vector<std::vector<WorkTile>>& lists) {
    std::vector<std::array<int, 5>> all;
    for (const std::vector<WorkTile>& list : lists) {
      for (const WorkTile& w : list) all.push_back({w.problem, w.m, w.n, w.k_begin, w.k_end});
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  Workload group_;
  std::shared_ptr<GroupKernels> shared_;
  Operands operands_;
  OperandSet set_;
  std::unique_ptr<WorkloadVerifier> verifier_;
};

}  // namespace tilewright::testing
