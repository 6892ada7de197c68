#include "model/fix_up.hpp"

namespace tilewright {
namespace {

constexpr double kMicroseconds = 1e6;

}  // namespace

double partial_tile_bytes(const TileShape& cta) {
  return 4.0 * cta.m * cta.n;
}

double partial_tile_move_us(const TileShape& cta, const DeviceSpec& device) {
  const double rate = device.l2_bytes_per_clock * device.sustained_clock_hz / device.sm_count;
  return partial_tile_bytes(cta) / rate * kMicroseconds;
}

double fix_up_us(Reduction reduction, const TileShape& cta, const DeviceSpec& device, bool first,
                 bool last) {
  // A vectorised accumulation in global memory reads what it adds to; where every part sums a share
  // it stores its own partial tile and reads as much of all of them.
  const bool twice =
      reduction == Reduction::ReduceScatter || (reduction == Reduction::Serial && !first && !last);
  const bool meets = is_turnstile(reduction) || reduction == Reduction::ReduceScatter;
  const double tiles = reduction == Reduction::InPlace ? 0.5 : twice ? 2.0 : 1.0;  // of fp32
  return tiles * partial_tile_move_us(cta, device) + (meets ? device.join.sm90_turn_us : 0.0);
}

double workspace_kernel_us(int64_t parts, const TileShape& cta, const DeviceSpec& device) {
  const double bytes = static_cast<double>(parts) * partial_tile_bytes(cta);
  return device.launch_us + bytes / device.dram_bytes_per_s * kMicroseconds;
}

}  // namespace tilewright
