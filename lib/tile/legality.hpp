// Which configs can run a problem on a device, and by which named rule the others cannot.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tile/device_spec.hpp"
#include "tile/problem.hpp"
#include "tile/tile_config.hpp"

namespace tilewright {

/// Why a config (or a problem) is refused: the rule's name and one sentence.
struct Rejection {
  std::string rule;
  std::string reason;
  bool operator==(const Rejection&) const = default;
};

/// Why no kernel of the sm90 family can address the problem's operands (TMA: rows of a multiple of
/// 16 bytes), with the sizes that would work; nothing when it can.
std::optional<Rejection> reject_problem(const Problem& problem);

/// The first rule that the config breaks, checked in this order: architecture, tile-shape, cluster,
/// warps, smem, shared-memory, registers, layout, alignment, wave, decomposition, raster (each
/// family has some of them); nothing when it is legal.
std::optional<Rejection> reject_config(const Problem& problem, const TileConfig& config,
                                       const DeviceSpec& device);

}  // namespace tilewright
