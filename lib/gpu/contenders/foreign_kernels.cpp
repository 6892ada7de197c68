#include "gpu/contenders/foreign_kernels.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/launch/check.hpp"
#include "stats/product_check.hpp"

namespace tilewright {

namespace {

// The workspace and room around it.
DeviceBuffer buffer_of(const TilewrightHarnessPlan& plan, int64_t room) {
  size_t free = 0;
  size_t total = 0;
  TW_CHECK(cudaMemGetInfo(&free, &total));
  const auto most = static_cast<int64_t>(free);
  if (plan.workspace_bytes > most - room) {
    throw no_workspace(plan, format("{} of the device's {} bytes are free", free, total));
  }
  return DeviceBuffer(static_cast<size_t>(plan.workspace_bytes + room));
}

}  // namespace

void ForeignKernels::begin(const Workload& workload) {
  workspaces_.clear();
  has_launched_ = false;
  plans_.begin(workload);
  workload_ = workload;
}

ForeignKernels::Workspace& ForeignKernels::workspace_of(const Contender& contender) {
  const auto known = workspaces_.find(contender.name);
  if (known != workspaces_.end()) return known->second;
  const TilewrightHarnessPlan& plan = plans_.plan_of(contender).plan;
  const int64_t alignment = std::max(plan.workspace_alignment, kUsualWorkspaceAlignment);
  Workspace workspace{.bytes = plan.workspace_bytes};
  workspace.buffer = buffer_of(plan, alignment + 2 * kRedZoneBytes);
  const auto first =
      reinterpret_cast<uintptr_t>(workspace.buffer.get()) + static_cast<uintptr_t>(kRedZoneBytes);
  const auto unit = static_cast<uintptr_t>(alignment);
  workspace.begin =
      workspace.buffer.as<unsigned char>() + kRedZoneBytes + (unit - first % unit) % unit;
  TW_CHECK(cudaMemset(workspace.begin, 0, static_cast<size_t>(workspace.bytes)));
  return workspaces_.emplace(contender.name, std::move(workspace)).first->second;
}

void ForeignKernels::launch(const Contender& contender, const OperandSet& operands,
                            cudaStream_t stream) {
  has_launched_ = true;
  const HarnessPlan& planned = plans_.plan_of(contender);
  const Workspace& workspace = workspace_of(contender);
  if (planned.plan.workspace_init == TILEWRIGHT_HARNESS_INIT_ZERO_EACH) {
    TW_CHECK(cudaMemsetAsync(workspace.begin, 0, static_cast<size_t>(workspace.bytes), stream));
  }
  std::vector<const void*> a;
  std::vector<const void*> b;
  std::vector<const void*> c;
  std::vector<void*> d;
  for (size_t i = 0; i < workload_.shapes.size(); ++i) {
    const OperandSet own = is_group(workload_) ? operands_of(operands, workload_, i) : operands;
    a.push_back(own.a);
    b.push_back(own.b);
    c.push_back(own.c);
    d.push_back(own.d);
  }
  const bool packs_rows = is_group(workload_) && packing_of(workload_) == Packing::Rows;
  const TilewrightHarnessOperands given{
      .abi_version = TILEWRIGHT_HARNESS_ABI,
      .struct_size = sizeof(TilewrightHarnessOperands),
      .a = a.data(),
      .b = b.data(),
      .c = operands.c == nullptr ? nullptr : c.data(),
      .d = d.data(),
      .bias = operands.bias,
      .scale_a = operands.scale_a,
      .scale_b = operands.scale_b,
      .workspace = workspace.bytes > 0 ? workspace.begin : nullptr,
      .row_offsets = packs_rows ? static_cast<const int32_t*>(operands.offsets) : nullptr};
  const std::string failure = planned.file->run(planned.plan.state, given, stream);
  if (!failure.empty()) throw Error(ExitCode::WrongResult, failure);
}

void ForeignKernels::fill_red_zones(const Contender& contender) {
  constexpr int kAnything = 0xFF;
  const Workspace& workspace = workspace_of(contender);
  const auto bytes = static_cast<size_t>(workspace.bytes);
  const int init = plans_.plan_of(contender).plan.workspace_init;
  if (init == TILEWRIGHT_HARNESS_INIT_NONE) {
    TW_CHECK(cudaMemset(workspace.begin, kAnything, bytes));
  }
  TW_CHECK(cudaMemset(workspace.begin - kRedZoneBytes, kRedZoneByte, kRedZoneBytes));
  TW_CHECK(cudaMemset(workspace.begin + bytes, kRedZoneByte, kRedZoneBytes));
}

std::string ForeignKernels::find_stray_write(const Contender& contender) {
  const Workspace& workspace = workspace_of(contender);
  const std::string name = format("the workspace of {} bytes that it requested", workspace.bytes);
  std::vector<unsigned char> zone(kRedZoneBytes);
  copy_to_host(zone.data(), workspace.begin - kRedZoneBytes, zone.size());
  if (const auto at = first_overwritten(zone)) {
    return format("it wrote a byte {} before {}", zone.size() - *at, name);
  }
  copy_to_host(zone.data(), workspace.begin + workspace.bytes, zone.size());
  if (const auto at = first_overwritten(zone)) {
    return format("it wrote a byte {} behind {}", *at + 1, name);
  }
  return {};
}

}  // namespace tilewright
