// Where the groups of a call begin, for the device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

namespace tilewright {

/// Of the int32 that write_group_offsets() writes: one a group, and the end of all.
int64_t group_offset_bytes(int64_t groups);

/// Writes where each group's rows begin, and the end, in the stream. Waits for nothing; where the
/// stream is captured, what is copied stays as long as the process.
void write_group_offsets(void* to, std::span<const int64_t> rows, cudaStream_t stream);

}  // namespace tilewright
