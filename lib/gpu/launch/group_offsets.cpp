#include "gpu/launch/group_offsets.hpp"

#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "gpu/launch/check.hpp"
#include "gpu/launch/device_guard.hpp"

namespace tilewright {
namespace {

// Keeps offsets for the life of the process: a graph copies them from here at every launch.
const std::vector<int32_t>& keep_offsets(std::vector<int32_t> offsets) {
  static std::mutex* const mutex = new std::mutex();
  static auto* const kept = new std::set<std::vector<int32_t>>();
  const std::lock_guard<std::mutex> lock(*mutex);
  return *kept->insert(std::move(offsets)).first;
}

// CUDA copies pageable memory into a buffer of its own before this returns, except in a captured
// stream.
void copy_offsets(void* to, const std::vector<int32_t>& offsets, cudaStream_t stream) {
  TW_CHECK(cudaMemcpyAsync(to, offsets.data(), offsets.size() * sizeof(int32_t),
                           cudaMemcpyHostToDevice, stream));
}

}  // namespace

int64_t group_offset_bytes(int64_t groups) {
  return (groups + 1) * static_cast<int64_t>(sizeof(int32_t));
}

void write_group_offsets(void* to, std::span<const int64_t> rows, cudaStream_t stream) {
  std::vector<int32_t> offsets = {0};
  offsets.reserve(rows.size() + 1);
  for (const int64_t count : rows) {
    offsets.push_back(offsets.back() + static_cast<int32_t>(count));
  }
  if (is_captured(stream)) return copy_offsets(to, keep_offsets(std::move(offsets)), stream);
  copy_offsets(to, offsets, stream);
}

}  // namespace tilewright
