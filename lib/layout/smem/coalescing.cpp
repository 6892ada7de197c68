#include "layout/smem/coalescing.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr int64_t kRequestBytes = 128;

void add_request(const WarpAccess& access, LaneRange lanes, Coalescing& total) {
  std::set<int64_t> starts;
  std::set<int64_t> sectors;
  std::set<int64_t> lines;
  for (int lane = lanes.first; lane < lanes.end; ++lane) {
    const int64_t address = access.addresses[static_cast<size_t>(lane)];
    if (address == kInactive) continue;
    // An aligned access of up to 16 bytes lies in one sector.
    starts.insert(address);
    sectors.insert(address / kSectorBytes);
    lines.insert(address / kLineBytes);
  }
  total.requests += starts.empty() ? 0 : 1;
  total.sectors += static_cast<int64_t>(sectors.size());
  total.lines += static_cast<int64_t>(lines.size());
  total.bytes_used += static_cast<int64_t>(starts.size()) * access.op.bytes;
}

}  // namespace

Coalescing count_sectors(const WarpAccess& access) {
  if (is_matrix(access.op)) {
    throw usage_error(
        format("{} accesses shared memory only: leave --space global out", to_string(access.op)));
  }
  require_aligned(access);
  const int step = static_cast<int>(std::min<int64_t>(kWarpLanes, kRequestBytes / access.op.bytes));
  Coalescing total;
  for (int first = 0; first < kWarpLanes; first += step) {
    add_request(access, {first, first + step}, total);
  }
  total.bytes_moved = total.sectors * kSectorBytes;
  total.efficiency = total.bytes_moved == 0 ? 1
                                            : static_cast<double>(total.bytes_used) /
                                                  static_cast<double>(total.bytes_moved);
  return total;
}

}  // namespace tilewright
