#include "tile/config/tile_config.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/math.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::string_view, 4> kEvictFirstNames = {"none", "a", "b", "ab"};

// `count` whole numbers from 1 to 4096 joined by 'x'; nullopt for any other text.
std::optional<std::vector<int>> parse_extents(std::string_view text, size_t count) {
  std::vector<int> extents;
  for (const std::string_view part : split_sizes(text)) {
    const std::optional<int64_t> value = parse_count(part);
    if (!value || *value < 1 || *value > kMaxExtent) return std::nullopt;
    extents.push_back(static_cast<int>(*value));
  }
  if (extents.size() != count) return std::nullopt;
  return extents;
}

}  // namespace

WarpGrid parse_warps(std::string_view text) {
  const auto extents = parse_extents(text, 2);
  if (!extents) throw usage_error(format("config: warps='{}' is not MxN, such as 2x4", text));
  return {(*extents)[0], (*extents)[1]};
}

EvictFirst parse_evict_first(std::string_view text) {
  const auto* const at = std::find(kEvictFirstNames.begin(), kEvictFirstNames.end(), text);
  if (at == kEvictFirstNames.end()) {
    throw usage_error(format("config: evict_first '{}' is not none, a, b or ab", text));
  }
  return {.a = text == "a" || text == "ab", .b = text == "b" || text == "ab"};
}

KernelSchedule parse_kernel_schedule(std::string_view text) {
  if (text == "cooperative") return KernelSchedule::Cooperative;
  if (text == "pingpong") return KernelSchedule::PingPong;
  throw usage_error(format("config: schedule '{}' is not cooperative or pingpong", text));
}

TileShape parse_tile(std::string_view text) {
  const auto extents = parse_extents(text, 3);
  if (!extents) {
    throw usage_error(format("'{}' is not a CTA tile: write MxNxK, such as 128x256x64", text));
  }
  return {(*extents)[0], (*extents)[1], (*extents)[2]};
}

ClusterShape parse_cluster(std::string_view text) {
  const auto extents = parse_extents(text, 2);
  if (!extents) {
    throw usage_error(format("'{}' is not a cluster: write MxN in CTAs, such as 2x1", text));
  }
  return {(*extents)[0], (*extents)[1]};
}

std::string to_string(const TileShape& t) {
  return format("{}x{}x{}", t.m, t.n, t.k);
}

std::string to_string(const ClusterShape& c) {
  return format("{}x{}", c.m, c.n);
}

SmemArrangement parse_smem_arrangement(std::string_view text) {
  const auto fail = [text]() -> Error {
    return usage_error(format(
        "config: smem='{}' is not fitted, none, pad:N or swizzle:B:M:S in 16-bit elements", text));
  };
  const std::vector<std::string_view> parts = split(text, ':');
  std::vector<int> numbers;
  for (size_t i = 1; i < parts.size(); ++i) {
    const bool negative = parts[i].substr(0, 1) == "-";
    const std::optional<int64_t> value = parse_count(parts[i].substr(negative ? 1 : 0));
    if (!value || *value > 256) throw fail();
    numbers.push_back(static_cast<int>(negative ? -*value : *value));
  }
  using tw::SmemKind;
  if (text == "fitted") return {};
  if (text == "none") return {.kind = SmemKind::Pad};
  if (parts.front() == "pad" && numbers.size() == 1 && numbers[0] > 0) {
    return {.kind = SmemKind::Pad, .pad = numbers[0]};
  }
  if (parts.front() != "swizzle" || numbers.size() != 3 || numbers[0] < 1) throw fail();
  return {.kind = SmemKind::Swizzle, .bits = numbers[0], .base = numbers[1], .shift = numbers[2]};
}

std::string to_string(const SmemArrangement& smem) {
  switch (smem.kind) {
    case tw::SmemKind::Fitted: return "fitted";
    case tw::SmemKind::Swizzle: return format("swizzle:{}:{}:{}", smem.bits, smem.base, smem.shift);
    case tw::SmemKind::Pad: break;
  }
  return smem.pad == 0 ? "none" : format("pad:{}", smem.pad);
}

std::string to_string(const WarpGrid& w) {
  return format("{}x{}", w.m, w.n);
}

std::string to_string(const EvictFirst& operands) {
  return std::string(kEvictFirstNames[(operands.a ? 1 : 0) + (operands.b ? 2 : 0)]);
}

std::string to_string(KernelSchedule schedule) {
  return schedule == KernelSchedule::PingPong ? "pingpong" : "cooperative";
}

GemmShape kernel_shape(const GemmShape& s, const TileConfig& config) {
  return config.swap_ab ? GemmShape{s.n, s.m, s.k} : s;
}

TileCoord tile_grid(const GemmShape& shape, const TileShape& cta) {
  return {static_cast<int>(ceil_div<int64_t>(shape.m, cta.m)),
          static_cast<int>(ceil_div<int64_t>(shape.n, cta.n))};
}

TileShape cluster_tile(const TileConfig& c) {
  return {c.cta.m * c.cluster.m, c.cta.n * c.cluster.n, c.cta.k};
}

TileCoord cluster_grid(const GemmShape& shape, const TileConfig& c) {
  const TileCoord tiles = tile_grid(kernel_shape(shape, c), c.cta);
  return {ceil_div(tiles.m, c.cluster.m), ceil_div(tiles.n, c.cluster.n)};
}

Raster cluster_raster(const TileConfig& config) {
  return tw::in_clusters(config.raster, config.cluster.m, config.cluster.n);
}

}  // namespace tilewright
