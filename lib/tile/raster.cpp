#include "tile/raster.hpp"

#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"row", "col", "split-merge", "swizzle-merge"};

[[noreturn]] void reject(std::string_view text, const std::string& why) {
  throw usage_error(format("raster '{}': {}", text, why));
}

// Cuts "@m" or "@n" off `rest`.
tw::GroupAxis take_axis(std::string_view text, std::string_view& rest) {
  const size_t at = rest.find('@');
  if (at == std::string_view::npos) return tw::GroupAxis::M;
  const std::string_view axis = rest.substr(at + 1);
  rest = rest.substr(0, at);
  if (axis == "m") return tw::GroupAxis::M;
  if (axis == "n") return tw::GroupAxis::N;
  reject(text, format("'@{}' is no axis; use @m or @n", axis));
}

int parse_factor(std::string_view text, std::string_view factor) {
  const std::optional<int64_t> value = parse_count(factor);
  if (!value || *value < 1 || *value > std::numeric_limits<int16_t>::max()) {
    reject(text, format("factor '{}' is not a whole number from 1 to 32767", factor));
  }
  return static_cast<int>(*value);
}

}  // namespace

Raster parse_raster(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const char* fixed : {"row@m", "row@n", "col@m", "col@n"}) {
    if (text == fixed) reject(text, format("{} takes no axis", text.substr(0, 3)));
  }
  if (name == "row" || name == "col") {
    if (colon != std::string_view::npos) reject(text, format("{} takes no factor", name));
    return {.kind = name == "row" ? tw::RasterKind::Row : tw::RasterKind::Col};
  }
  const std::string_view bare = name.substr(0, name.find('@'));
  const bool split_merge = bare == "split-merge";
  if (!split_merge && bare != "swizzle-merge") {
    reject(text, format("unknown; known are row, col, split-merge:F[xF2][@m|@n] and "
                        "swizzle-merge:F[,F2...][@m|@n]{}",
                        did_you_mean(bare, kNames)));
  }
  if (colon == std::string_view::npos || bare != name) {
    reject(text, format("needs a factor, as in {}:8", bare));
  }
  std::string_view list = text.substr(colon + 1);
  Raster raster{.kind = split_merge ? tw::RasterKind::SplitMerge : tw::RasterKind::SwizzleMerge};
  raster.axis = take_axis(text, list);
  const size_t most = split_merge ? 2 : tw::kMaxRasterFactors;
  const std::vector<std::string_view> factors = split(list, split_merge ? 'x' : ',');
  if (factors.size() > most) reject(text, format("takes at most {} factors", most));
  for (const std::string_view factor : factors) {
    raster.factors[raster.factor_count++] = parse_factor(text, factor);
  }
  return raster;
}

std::string to_string(const Raster& r) {
  if (r.kind == tw::RasterKind::Row) return "row";
  if (r.kind == tw::RasterKind::Col) return "col";
  const bool split_merge = r.kind == tw::RasterKind::SplitMerge;
  std::string text = split_merge ? "split-merge:" : "swizzle-merge:";
  for (int i = 0; i < r.factor_count; ++i) {
    if (i > 0) text += split_merge ? 'x' : ',';
    text += format("{}", r.factors[i]);
  }
  return r.axis == tw::GroupAxis::N ? text + "@n" : text;
}

TileCoord parse_grid(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, 'x');
  if (parts.size() == 2) {
    const std::optional<int64_t> m = parse_count(parts[0]);
    const std::optional<int64_t> n = parse_count(parts[1]);
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    if (m && n && *m >= 1 && *n >= 1 && *m <= kMost && *n <= kMost) {
      return {static_cast<int>(*m), static_cast<int>(*n)};
    }
  }
  throw usage_error(
      format("'{}' is not a tile grid: write MxN in tiles, such as 13x10, each from 1 to "
             "2147483647",
             text));
}

}  // namespace tilewright
