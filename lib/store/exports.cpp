#include "store/exports.hpp"

#include "base/escape.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "tile/config/raster.hpp"

namespace tilewright {

std::string no_plain_product(const Workload& workload) {
  if (is_group(workload)) return "a group of products in one launch";
  if (is_triangular(workload)) return format("{}, one triangle of D", to_string(workload.op));
  const Epilogue& e = workload.kind.epilogue;
  if (is_plain(e)) return "";
  return e == Epilogue{.out_dtype = e.out_dtype, .bias = true} ? "a bias" : "an epilogue";
}

std::vector<TileConfig> candidates_of(const TuneEntry& entry) {
  std::vector<TileConfig> candidates = {entry.choice};
  candidates.reserve(1 + entry.ties.size());
  for (const Tie& tie : entry.ties) candidates.push_back(tie.config);
  return candidates;
}

std::optional<Raster> same_walk(const TileConfig& config, const GemmShape& shape,
                                const std::vector<std::string>& rasters) {
  const TileCoord grid = cluster_grid(shape, config);
  const Raster own = cluster_raster(config);
  const auto slots = tw::slot_count<int64_t>(own, grid);
  if (slots > kMostListed) return std::nullopt;
  for (const std::string& spelling : rasters) {
    TileConfig other = config;
    other.raster = parse_raster(spelling);
    const Raster walk = cluster_raster(other);
    if (tw::slot_count<int64_t>(walk, grid) != slots) continue;
    int64_t slot = 0;
    for (; slot < slots; ++slot) {
      if (tw::tile_at(walk, grid, slot) != tw::tile_at(own, grid, slot)) break;
    }
    if (slot == slots) return other.raster;
  }
  return std::nullopt;
}

std::vector<std::string> lead_lines(const Dispatched& answer) {
  const std::optional<LibraryLead> lead = library_lead(answer);
  if (!lead) return {};
  return {format("Note: {}.", lead_text(*lead, answer.entry.problem))};
}

std::string commented(const std::vector<std::string>& lines, const std::string& prefix) {
  constexpr size_t kWidth = 100;
  std::string text;
  for (const std::string& line : lines) {
    for (const std::string& part : wrap(comment_text(line), kWidth - prefix.size())) {
      text += prefix + part + '\n';
    }
  }
  return text;
}

}  // namespace tilewright
