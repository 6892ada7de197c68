// Writes the row offsets of a call's groups to the device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

namespace tilewright {

/// Bytes that write_group_offsets() writes: one int32 per group, and one for the end.
int64_t group_offset_bytes(int64_t groups);

/// Writes each group's first row, then the end, in stream order, without waiting. If the stream is
/// captured, the offsets that it copies live as long as the process.
void write_group_offsets(void* to, std::span<const int64_t> rows, cudaStream_t stream);

}  // namespace tilewright
