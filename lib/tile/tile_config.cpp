#include "tile/tile_config.hpp"

#include <array>
#include <vector>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::string_view, 8> kKeys = {
    "family", "cta", "cluster", "stages", "schedule", "raster", "l2_promotion", "decomposition"};

// Whole numbers from 1 to 4096 joined by 'x', or nothing.
std::optional<std::vector<int>> parse_extents(std::string_view text, size_t count) {
  std::vector<int> extents;
  for (const std::string_view part : split(text, 'x')) {
    const std::optional<int64_t> value = parse_count(part);
    if (!value || *value < 1 || *value > 4096) return std::nullopt;
    extents.push_back(static_cast<int>(*value));
  }
  if (extents.size() != count) return std::nullopt;
  return extents;
}

int parse_config_number(std::string_view key, std::string_view text, int least, int most) {
  const std::optional<int64_t> value = parse_count(text);
  if (!value || *value < least || *value > most) {
    throw usage_error(
        format("config: {}='{}' is not a whole number from {} to {}", key, text, least, most));
  }
  return static_cast<int>(*value);
}

void set_key(ConfigRequest& request, std::string_view key, std::string_view value) {
  if (key == "family") {
    if (value != "sm90") throw usage_error(format("config: unknown family '{}': sm90", value));
    request.family = Family::Sm90;
  } else if (key == "cta") {
    request.cta = parse_tile(value);
  } else if (key == "cluster") {
    request.cluster = parse_cluster(value);
  } else if (key == "stages") {
    request.stages = parse_config_number(key, value, 1, 32);
  } else if (key == "schedule") {
    if (value != "cooperative" && value != "pingpong") {
      throw usage_error(format("config: schedule '{}' is not cooperative or pingpong", value));
    }
    request.schedule = value == "pingpong" ? KernelSchedule::PingPong : KernelSchedule::Cooperative;
  } else if (key == "raster") {
    request.raster = parse_raster(value);
  } else if (key == "l2_promotion") {
    const int bytes = parse_config_number(key, value, 0, 256);
    if (bytes != 0 && bytes != 64 && bytes != 128 && bytes != 256) {
      throw usage_error(format("config: l2_promotion={} is not 0, 64, 128 or 256 bytes", bytes));
    }
    request.l2_promotion_bytes = bytes;
  } else if (key == "decomposition") {
    if (value != "data-parallel") {
      throw usage_error(
          format("config: decomposition '{}' has no kernel: use data-parallel", value));
    }
  } else {
    throw usage_error(format("config: unknown key '{}'{}", key, did_you_mean(key, kKeys)));
  }
}

}  // namespace

ConfigRequest parse_config(std::string_view text) {
  ConfigRequest request;
  std::vector<std::string> seen;
  for (const std::string& assignment : split_assignments(text)) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos) {
      throw usage_error(
          format("config '{}': '{}' is not key=value, such as cta=128x256x64", text, assignment));
    }
    const std::string key(trim(std::string_view(assignment).substr(0, equals)));
    for (const std::string& other : seen) {
      if (other == key) throw usage_error(format("config: {} is given twice", key));
    }
    seen.push_back(key);
    set_key(request, key, trim(std::string_view(assignment).substr(equals + 1)));
  }
  return request;
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

std::string to_string(KernelSchedule schedule) {
  return schedule == KernelSchedule::PingPong ? "pingpong" : "cooperative";
}

std::string to_string(const TileConfig& c) {
  return format(
      "family=sm90,cta={},cluster={},stages={},schedule={},raster={},l2_promotion={},"
      "decomposition=data-parallel",
      to_string(c.cta), to_string(c.cluster), c.stages, to_string(c.schedule), to_string(c.raster),
      c.l2_promotion_bytes);
}

bool satisfies(const TileConfig& c, const ConfigRequest& r) {
  return (!r.family || *r.family == c.family) && (!r.cta || *r.cta == c.cta) &&
         (!r.cluster || *r.cluster == c.cluster) && (!r.stages || *r.stages == c.stages) &&
         (!r.schedule || *r.schedule == c.schedule) && (!r.raster || *r.raster == c.raster) &&
         (!r.l2_promotion_bytes || *r.l2_promotion_bytes == c.l2_promotion_bytes);
}

tw::TileParams kernel_params(const TileConfig& c, DataType dtype) {
  return {.cta_m = c.cta.m,
          .cta_n = c.cta.n,
          .cta_k = c.cta.k,
          .stages = c.stages,
          .cluster_m = c.cluster.m,
          .cluster_n = c.cluster.n,
          .schedule = c.schedule,
          .element = dtype == DataType::BF16 ? tw::ElementType::BF16 : tw::ElementType::F16,
          .rasters = tw::family_of(c.raster.kind)};
}

TileCoord tile_grid(const GemmShape& shape, const TileShape& cta) {
  return {static_cast<int>(ceil_div<int64_t>(shape.m, cta.m)),
          static_cast<int>(ceil_div<int64_t>(shape.n, cta.n))};
}

TileCoord cluster_grid(const GemmShape& shape, const TileConfig& c) {
  const TileCoord tiles = tile_grid(shape, c.cta);
  return {ceil_div(tiles.m, c.cluster.m), ceil_div(tiles.n, c.cluster.n)};
}

Raster cluster_raster(const TileConfig& config) {
  return tw::in_clusters(config.raster, config.cluster.m, config.cluster.n);
}

}  // namespace tilewright
