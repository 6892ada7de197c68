#include "harness/host_runner.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <new>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "harness/harness_plans.hpp"
#include "harness/host_product.hpp"

namespace tilewright {
namespace {

int64_t physical_bytes() {
  return int64_t{sysconf(_SC_PHYS_PAGES)} * int64_t{sysconf(_SC_PAGESIZE)};
}

class HostRunner : public Runner {
 public:
  explicit HostRunner(uint64_t seed) : device_(host_device()), seed_(seed) {}

  const DeviceSpec& device() const override { return device_; }

  using Runner::prepare;
  void prepare(const Workload& workload) override {
    if (is_triangular(workload)) {
      throw usage_error("in host memory a harness computes products, and no updates of triangles");
    }
    if (is_group(workload) && workload.kind.epilogue.bias) {
      throw usage_error("in host memory the products of a group have no bias");
    }
    if (flops(workload) / 2 > kMaxHostMacs) {
      throw usage_error(format("{}: on host memory a launch has at most {:.0e} multiply-adds",
                               to_string(workload), kMaxHostMacs));
    }
    plans_.begin(workload);
    workspaces_.clear();
    products_.clear();
    products_.reserve(workload.shapes.size());
    for (size_t i = 0; i < workload.shapes.size(); ++i) {
      products_.emplace_back(problem_of(workload, i), seed_ + i);
    }
  }

  MeasuringMethod method() const override {
    return {.timer = "host-clock",
            .regime = "one launch a round, on host memory that was just written",
            .data = format("uniform [-1, 1), seed {}", seed_),
            .reference = "none"};
  }

  std::vector<BuildResult> build(std::span<const TileConfig> configs) override {
    return std::vector<BuildResult>(configs.size(), {.reason = "our kernels run on a GPU"});
  }

  HarnessText describe(const std::string& file) override { return plans_.describe(file); }

  std::vector<BuildResult> build_foreign(std::span<const Contender> contenders) override {
    return plans_.build(contenders, [this](const Contender& one) { workspace_of(one); });
  }

  ForeignMapping mapping_of(const Contender& contender) override {
    return plans_.mapping_of(contender);
  }

  std::vector<Contender> reference_contenders() override { return {}; }

  // Both versions of the operands: a result cached from the first is wrong for the second.
  Verification verify(const Contender& contender) override {
    Verification verification;
    for (int version = 0; version < HostProduct::kVersions; ++version) {
      const Launch launch = run(contender, version);
      verification = judge(contender, launch);
      if (!verification.ok) break;
    }
    return verification;
  }

  std::vector<LaunchTime> time_round(std::span<const Contender> contenders) override {
    std::vector<LaunchTime> times;
    for (const Contender& contender : contenders) {
      const Launch launch = run(contender, next_version());
      times.push_back({.us = launch.us, .failure = launch.failure});
    }
    return times;
  }

  Verification verify_in_round(std::span<const Contender> contenders) override {
    for (const Contender& contender : contenders) {
      const Launch launch = run(contender, next_version());
      if (&contender == &contenders.back()) return judge(contender, launch);
    }
    throw internal_error("a round without contenders cannot be verified");
  }

  using Runner::count;
  std::vector<CounterReading> count(std::span<const Contender> contenders) override {
    return std::vector<CounterReading>(contenders.size(),
                                       {std::nullopt, "the host has no counters"});
  }
  KernelTrace trace(const Contender&) override { throw usage_error("a harness records no trace"); }
  std::string timer_check() override { return "times by the host's clock"; }

 private:
  struct Workspace {
    ZonedMemory memory = {};
    bool is_fresh = true;
  };
  struct Launch {
    double us = 0;
    std::string failure = {};
  };
  // The addresses of each product's operands.
  struct Operands {
    std::vector<const void*> a, b, c;
    std::vector<void*> d;
  };

  Workspace& workspace_of(const Contender& contender) {
    const auto known = workspaces_.find(contender.name);
    if (known != workspaces_.end()) return known->second;
    const TilewrightHarnessPlan& plan = plans_.plan_of(contender).plan;
    const int64_t alignment = std::max(plan.workspace_alignment, kUsualWorkspaceAlignment);
    // Linux may promise more than the machine has, and end the process when it is used.
    const int64_t most = physical_bytes();
    if (plan.workspace_bytes > most - alignment) {
      throw no_workspace(plan, format("this machine has {} bytes", most));
    }
    try {
      Workspace workspace{.memory = ZonedMemory(plan.workspace_bytes, alignment)};
      return workspaces_.emplace(contender.name, std::move(workspace)).first->second;
    } catch (const std::bad_alloc&) {
      throw no_workspace(plan, "this process gets no more memory");
    }
  }

  int next_version() { return turn_ = (turn_ + 1) % HostProduct::kVersions; }

  // Zeros, or bytes that are NaN in every type, as the plan requests.
  static void fill(Workspace& workspace, int init) {
    constexpr unsigned char kAnything = 0xFF;
    if (init == TILEWRIGHT_HARNESS_INIT_ZERO_ONCE && !workspace.is_fresh) return;
    std::fill_n(workspace.memory.data(), workspace.memory.bytes(),
                init == TILEWRIGHT_HARNESS_INIT_NONE ? kAnything : 0);
    workspace.is_fresh = false;
  }

  Launch run(const Contender& contender, int version) {
    const HarnessPlan& planned = plans_.plan_of(contender);
    Workspace& workspace = workspace_of(contender);
    Operands of;
    for (HostProduct& product : products_) {
      product.load(version);
      of.a.push_back(product.a());
      of.b.push_back(product.b());
      of.c.push_back(product.c());
      of.d.push_back(product.d());
    }
    const HostProduct& first = products_.front();
    workspace.memory.lay_red_zones();
    fill(workspace, planned.plan.workspace_init);
    const TilewrightHarnessOperands operands{
        .abi_version = TILEWRIGHT_HARNESS_ABI,
        .struct_size = sizeof(TilewrightHarnessOperands),
        .a = of.a.data(),
        .b = of.b.data(),
        .c = first.c() == nullptr ? nullptr : of.c.data(),
        .d = of.d.data(),
        .bias = first.bias(),
        .scale_a = first.scale_a(),
        .scale_b = first.scale_b(),
        .workspace = planned.plan.workspace_bytes > 0 ? workspace.memory.data() : nullptr,
        .row_offsets = nullptr};
    const auto begin = std::chrono::steady_clock::now();
    std::string failure = planned.file->run(planned.plan.state, operands, nullptr);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    return {.us = took.count(), .failure = std::move(failure)};
  }

  Verification judge(const Contender& contender, const Launch& launch) {
    if (!launch.failure.empty()) {
      return {.ok = false, .rel_error = 0, .detail = launch.failure};
    }
    Verification verification;
    double worst = 0;
    for (size_t i = 0; i < products_.size(); ++i) {
      verification = products_[i].check();
      worst = std::max(worst, verification.rel_error);
      if (verification.ok) continue;
      if (products_.size() > 1) {
        verification.detail =
            format("product {} of {}: {}", i, products_.size(), verification.detail);
      }
      return verification;
    }
    verification.rel_error = worst;
    const ZonedMemory& workspace = workspace_of(contender).memory;
    verification.detail =
        workspace.stray(format("the workspace of {} bytes that it requested", workspace.bytes()));
    verification.ok = verification.detail.empty();
    return verification;
  }

  DeviceSpec device_;
  uint64_t seed_;
  std::vector<HostProduct> products_;
  HarnessPlans plans_;
  std::map<std::string, Workspace> workspaces_;  // by contender
  int turn_ = 0;
};

}  // namespace

DeviceSpec host_device() {
  DeviceSpec device;
  device.name = "host";
  device.marketing_name = "host memory and CPU";
  return device;
}

std::unique_ptr<Runner> make_host_runner(uint64_t seed) {
  return std::make_unique<HostRunner>(seed);
}

}  // namespace tilewright
