#include "tile/tile_config.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::string_view, 15> kKeys = {
    "family",        "cta",          "cluster",     "stages",        "schedule",
    "raster",        "l2_promotion", "evict_first", "decomposition", "group_schedule",
    "problem_order", "swap_ab",      "warps",       "smem",          "k_warps"};
constexpr std::array<std::string_view, 3> kFamilyNames = {"sm90", "sm80", "skinny"};
constexpr std::array<std::string_view, 4> kEvictFirstNames = {"none", "a", "b", "ab"};

// In the artefact's order.
std::vector<std::string> family_keys(Family family) {
  switch (family) {
    case Family::Sm80:
      return {"family", "cta", "warps", "stages", "smem", "raster", "decomposition"};
    case Family::Skinny: return {"family", "cta", "k_warps", "stages", "decomposition"};
    case Family::Sm90: break;
  }
  return {"family",        "cta",          "cluster",     "stages",        "schedule",
          "raster",        "l2_promotion", "evict_first", "decomposition", "group_schedule",
          "problem_order", "swap_ab"};
}

// Keys that a single product does not need: printed where they are not the default.
bool is_group_key(std::string_view key) {
  return key == "group_schedule" || key == "problem_order";
}

bool has_key(Family family, std::string_view key) {
  const std::vector<std::string> keys = family_keys(family);
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool names(const ConfigRequest& r, std::string_view key) {
  if (key == "family") return r.family.has_value();
  if (key == "cta") return r.cta.has_value();
  if (key == "cluster") return r.cluster.has_value();
  if (key == "stages") return r.stages.has_value();
  if (key == "schedule") return r.schedule.has_value();
  if (key == "raster") return r.raster.has_value();
  if (key == "l2_promotion") return r.l2_promotion_bytes.has_value();
  if (key == "evict_first") return r.evict_first.has_value();
  if (key == "decomposition") return r.decomposition.has_value();
  if (key == "group_schedule") return r.group_schedule.has_value();
  if (key == "problem_order") return r.problem_order.has_value();
  if (key == "swap_ab") return r.swap_ab.has_value();
  if (key == "warps") return r.warps.has_value();
  if (key == "smem") return r.smem.has_value();
  return r.k_warps.has_value();
}

// A request that no family can answer.
void require_family(const ConfigRequest& request) {
  if (!families_of(request).empty()) return;
  for (const std::string_view key : kKeys) {
    if (!request.family || !names(request, key) || has_key(*request.family, key)) continue;
    throw usage_error(format("config: family {} has no key '{}': it has {}",
                             to_string(*request.family), key,
                             join(family_keys(*request.family), ", ")));
  }
  std::vector<std::string> named;
  for (const std::string_view key : kKeys) {
    if (names(request, key)) named.emplace_back(key);
  }
  throw usage_error(format("config: no family has all of the keys {}", join(named, ", ")));
}

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

WarpGrid parse_warps(std::string_view text) {
  const auto extents = parse_extents(text, 2);
  if (!extents) throw usage_error(format("config: warps='{}' is not MxN, such as 2x4", text));
  return {(*extents)[0], (*extents)[1]};
}

Family parse_family(std::string_view text) {
  for (size_t i = 0; i < kFamilyNames.size(); ++i) {
    if (kFamilyNames[i] == text) return static_cast<Family>(i);
  }
  throw usage_error(format("config: unknown family '{}'{}: sm90, sm80 or skinny", text,
                           did_you_mean(text, kFamilyNames)));
}

EvictFirst parse_evict_first(std::string_view text) {
  const auto* const at = std::find(kEvictFirstNames.begin(), kEvictFirstNames.end(), text);
  if (at == kEvictFirstNames.end()) {
    throw usage_error(format("config: evict_first '{}' is not none, a, b or ab", text));
  }
  return {.a = text == "a" || text == "ab", .b = text == "b" || text == "ab"};
}

void set_key(ConfigRequest& request, std::string_view key, std::string_view value) {
  if (key == "family") {
    request.family = parse_family(value);
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
  } else if (key == "warps") {
    request.warps = parse_warps(value);
  } else if (key == "smem") {
    request.smem = parse_smem_arrangement(value);
  } else if (key == "k_warps") {
    request.k_warps = parse_config_number(key, value, 1, 32);
  } else if (key == "raster") {
    request.raster = parse_raster(value);
  } else if (key == "l2_promotion") {
    const int bytes = parse_config_number(key, value, 0, 256);
    if (bytes != 0 && bytes != 64 && bytes != 128 && bytes != 256) {
      throw usage_error(format("config: l2_promotion={} is not 0, 64, 128 or 256 bytes", bytes));
    }
    request.l2_promotion_bytes = bytes;
  } else if (key == "evict_first") {
    request.evict_first = parse_evict_first(value);
  } else if (key == "decomposition") {
    request.decomposition = parse_decomposition(value);
  } else if (key == "group_schedule") {
    request.group_schedule = parse_group_schedule(value);
  } else if (key == "problem_order") {
    request.problem_order = parse_problem_order(value);
  } else if (key == "swap_ab") {
    if (value != "true" && value != "false") {
      throw usage_error(format("config: swap_ab '{}' is not true or false", value));
    }
    request.swap_ab = value == "true";
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
  require_family(request);
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

std::string to_string(Family family) {
  return std::string(kFamilyNames[static_cast<size_t>(family)]);
}

std::vector<Family> all_families() {
  return {Family::Sm90, Family::Sm80, Family::Skinny};
}

std::vector<Family> families_of(const ConfigRequest& request) {
  std::vector<Family> families;
  for (const Family family : all_families()) {
    if (request.family.value_or(family) != family) continue;
    const bool has_all = std::all_of(kKeys.begin(), kKeys.end(), [&](std::string_view key) {
      return !names(request, key) || has_key(family, key);
    });
    if (has_all) families.push_back(family);
  }
  return families;
}

std::optional<std::string> missing_key(const ConfigRequest& request) {
  if (!request.family) return "family";
  for (const std::string& key : family_keys(*request.family)) {
    const bool optional = key == "swap_ab" || key == "evict_first" || is_group_key(key);
    if (!optional && !names(request, key)) return key;
  }
  return std::nullopt;
}

TileConfig config_of(const ConfigRequest& r) {
  const TileConfig otherwise;
  return {.family = r.family.value_or(families_of(r).front()),
          .cta = r.cta.value_or(otherwise.cta),
          .cluster = r.cluster.value_or(otherwise.cluster),
          .stages = r.stages.value_or(otherwise.stages),
          .schedule = r.schedule.value_or(otherwise.schedule),
          .raster = r.raster.value_or(otherwise.raster),
          .l2_promotion_bytes = r.l2_promotion_bytes.value_or(otherwise.l2_promotion_bytes),
          .evict_first = r.evict_first.value_or(otherwise.evict_first),
          .decomposition = r.decomposition.value_or(otherwise.decomposition),
          .group_schedule = r.group_schedule.value_or(otherwise.group_schedule),
          .problem_order = r.problem_order.value_or(otherwise.problem_order),
          .swap_ab = r.swap_ab.value_or(otherwise.swap_ab),
          .sm80 = {r.warps.value_or(WarpGrid{}), r.smem.value_or(SmemArrangement{})},
          .skinny = {r.k_warps.value_or(0)}};
}

std::string to_string(KernelSchedule schedule) {
  return schedule == KernelSchedule::PingPong ? "pingpong" : "cooperative";
}

namespace {

std::string value_of(const TileConfig& c, std::string_view key) {
  if (key == "family") return to_string(c.family);
  if (key == "cta") return to_string(c.cta);
  if (key == "cluster") return to_string(c.cluster);
  if (key == "stages") return format("{}", c.stages);
  if (key == "schedule") return to_string(c.schedule);
  if (key == "raster") return to_string(c.raster);
  if (key == "l2_promotion") return format("{}", c.l2_promotion_bytes);
  if (key == "evict_first") return to_string(c.evict_first);
  if (key == "decomposition") return to_string(c.decomposition);
  if (key == "group_schedule") return to_string(c.group_schedule);
  if (key == "problem_order") return to_string(c.problem_order);
  if (key == "swap_ab") return c.swap_ab ? "true" : "false";
  if (key == "warps") return to_string(c.sm80.warps);
  if (key == "smem") return to_string(c.sm80.smem);
  return format("{}", c.skinny.k_warps);
}

}  // namespace

std::vector<ConfigKey> config_keys(const TileConfig& c) {
  std::vector<ConfigKey> keys;
  for (const std::string& key : family_keys(c.family)) {
    if (is_group_key(key) && value_of(c, key) == value_of({}, key)) continue;
    const bool is_number = key == "stages" || key == "l2_promotion" || key == "k_warps";
    keys.push_back({key, value_of(c, key), is_number});
  }
  return keys;
}

std::string to_string(const TileConfig& config) {
  std::vector<std::string> assignments;
  for (const ConfigKey& key : config_keys(config)) {
    assignments.push_back(key.name + "=" + key.value);
  }
  return join(assignments, ",");
}

bool satisfies(const TileConfig& c, const ConfigRequest& r) {
  return (!r.family || *r.family == c.family) && (!r.cta || *r.cta == c.cta) &&
         (!r.cluster || *r.cluster == c.cluster) && (!r.stages || *r.stages == c.stages) &&
         (!r.schedule || *r.schedule == c.schedule) && (!r.raster || *r.raster == c.raster) &&
         (!r.l2_promotion_bytes || *r.l2_promotion_bytes == c.l2_promotion_bytes) &&
         (!r.evict_first || *r.evict_first == c.evict_first) &&
         (!r.decomposition || *r.decomposition == c.decomposition) &&
         (!r.group_schedule || *r.group_schedule == c.group_schedule) &&
         (!r.problem_order || *r.problem_order == c.problem_order) &&
         (!r.swap_ab || *r.swap_ab == c.swap_ab) && (!r.warps || *r.warps == c.sm80.warps) &&
         (!r.smem || *r.smem == c.sm80.smem) && (!r.k_warps || *r.k_warps == c.skinny.k_warps);
}

GemmShape kernel_shape(const GemmShape& s, const TileConfig& config) {
  return config.swap_ab ? GemmShape{s.n, s.m, s.k} : s;
}

tw::ElementType element_of(DataType type) {
  switch (type) {
    case DataType::BF16: return tw::ElementType::BF16;
    case DataType::F16: return tw::ElementType::F16;
    case DataType::F32: return tw::ElementType::F32;
  }
  return tw::ElementType::BF16;
}

bool tma_rows(int64_t elements, DataType type) {
  constexpr int64_t kUnit = 16;
  return elements * element_bytes(type) % kUnit == 0;
}

Repacked repacked_operands(const Problem& p) {
  const GemmShape& s = p.shape;
  return {.a = !tma_rows(k_contiguous_a(p.layout) ? s.k : s.m, p.dtype),
          .b = !tma_rows(k_contiguous_b(p.layout) ? s.k : s.n, p.dtype)};
}

TileCoord tile_grid(const GemmShape& shape, const TileShape& cta) {
  return {static_cast<int>(ceil_div<int64_t>(shape.m, cta.m)),
          static_cast<int>(ceil_div<int64_t>(shape.n, cta.n))};
}

TileCoord cluster_grid(const GemmShape& shape, const TileConfig& c) {
  const TileCoord tiles = tile_grid(kernel_shape(shape, c), c.cta);
  return {ceil_div(tiles.m, c.cluster.m), ceil_div(tiles.n, c.cluster.n)};
}

Raster cluster_raster(const TileConfig& config) {
  return tw::in_clusters(config.raster, config.cluster.m, config.cluster.n);
}

}  // namespace tilewright
