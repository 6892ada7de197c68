#include "serve/array_launch.hpp"

#include <optional>
#include <span>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/launch/device_guard.hpp"
#include "gpu/launch/group_offsets.hpp"
#include "serve/library.hpp"
#include "serve/request.hpp"
#include "serve/shipped_names.hpp"

namespace tilewright {
namespace {

// Makes the array's device current, if the calling thread has another one.
class ArrayDeviceGuard {
 public:
  explicit ArrayDeviceGuard(const ArrayDevice& device) {
    if (current_device() != device.index) guard_.emplace(device.index);
  }

 private:
  std::optional<DeviceGuard> guard_;
};

// Workspace bytes for the offsets of groups, if the host has their sizes.
int64_t offset_bytes(const shipped_call& call) {
  if (call.groups == 0 || call.group_rows == nullptr) return 0;
  return round_up(group_offset_bytes(call.groups), kWorkspaceAlignment);
}

// A query of the workspace only needs offsets that are not NULL.
constexpr int32_t kAnyOffset = 0;

}  // namespace

void throw_unless_good(int status) {
  switch (status) {
    case SHIPPED_GOOD: return;
    case SHIPPED_BAD_CALL: throw usage_error(shipped_error());
    case SHIPPED_UNSUPPORTED: throw Error(ExitCode::No, shipped_error());
    case SHIPPED_CUDA: throw environment_error(shipped_error());
    default: throw internal_error(shipped_error());
  }
}

int64_t workspace_of(const ArrayCall& made) {
  require_on_gpu(made);
  shipped_call asked = made.call;
  const int64_t for_offsets = offset_bytes(asked);
  if (for_offsets > 0) asked.offsets = &kAnyOffset;
  const ArrayDeviceGuard guard(made.device);
  uint64_t bytes = 0;
  throw_unless_good(shipped_workspace(&asked, &bytes, nullptr));
  return static_cast<int64_t>(bytes) + for_offsets;
}

void launch_arrays(ArrayCall& made, void* workspace, int64_t workspace_bytes) {
  shipped_call& call = made.call;
  const ArrayDeviceGuard guard(made.device);
  const int64_t for_offsets = offset_bytes(call);
  if (workspace_bytes < for_offsets) {
    throw usage_error(format("workspace has {} bytes, and the groups' offsets alone need {}",
                             workspace_bytes, for_offsets));
  }
  char* const begin = static_cast<char*>(workspace);
  if (for_offsets > 0) {
    write_group_offsets(begin, {call.group_rows, static_cast<size_t>(call.groups)},
                        static_cast<cudaStream_t>(call.stream));
    call.offsets = begin;
  }
  const bool has_more = workspace_bytes > for_offsets;
  call.workspace = has_more ? begin + for_offsets : nullptr;
  call.workspace_bytes = static_cast<uint64_t>(workspace_bytes - for_offsets);
  switch (entry_point_of(call)) {
    case EntryPoint::Gemm: return throw_unless_good(shipped_gemm(&call));
    case EntryPoint::GroupedGemm: return throw_unless_good(shipped_grouped_gemm(&call));
    case EntryPoint::RankK: return throw_unless_good(shipped_rank_k(&call));
  }
}

}  // namespace tilewright
