#include "tile/config/raster.hpp"

#include <limits>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

[[noreturn]] void reject_raster_text(std::string_view text, const std::string& why) {
  throw usage_error(format("raster '{}': {}", text, why));
}

const tw::RasterRecord& find_record(std::string_view text, std::string_view name) {
  std::vector<std::string_view> names;
  for (const tw::RasterRecord& record : tw::kRasters) {
    if (record.name == name) return record;
    names.emplace_back(record.name);
  }
  if (name == "file") {
    reject_raster_text(text, "only analyze grid and draw grid take an order from a file");
  }
  reject_raster_text(
      text, format("unknown; the rasters are {}{}", raster_spellings(), did_you_mean(name, names)));
}

// Cuts "@m" or "@n" off `rest`.
tw::GroupAxis take_axis(std::string_view text, std::string_view& rest) {
  const size_t at = rest.find('@');
  if (at == std::string_view::npos) return tw::GroupAxis::M;
  const std::string_view axis = rest.substr(at + 1);
  rest = rest.substr(0, at);
  if (axis == "m") return tw::GroupAxis::M;
  if (axis == "n") return tw::GroupAxis::N;
  reject_raster_text(text, format("'@{}' is no axis; use @m or @n", axis));
}

int parse_factor(std::string_view text, std::string_view factor) {
  const std::optional<int64_t> value = parse_count(factor);
  if (!value || *value < 1 || *value > kMaxFactor) {
    reject_raster_text(
        text, format("factor '{}' is not a whole number from 1 to {}", factor, kMaxFactor));
  }
  return static_cast<int>(*value);
}

}  // namespace

Raster parse_raster(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view head = text.substr(0, colon);
  const std::string_view name = head.substr(0, head.find('@'));
  const tw::RasterRecord& record = find_record(text, name);
  Raster raster{.kind = record.kind};
  if (!record.has_axis && text.find('@') != std::string_view::npos) {
    reject_raster_text(text, format("{} takes no axis", name));
  }
  if (record.most_factors == 0) {
    if (colon != std::string_view::npos)
      reject_raster_text(text, format("{} takes no factor", name));
    return raster;
  }
  if (colon == std::string_view::npos || name != head) {
    reject_raster_text(text, format("needs a factor, as in {}:8", name));
  }
  std::string_view list = text.substr(colon + 1);
  raster.axis = take_axis(text, list);
  const std::vector<std::string_view> factors =
      record.separator == 'x' ? split_sizes(list) : split(list, record.separator);
  if (static_cast<int>(factors.size()) > record.most_factors) {
    reject_raster_text(text, format("takes at most {} factor{}", record.most_factors,
                                    record.most_factors == 1 ? "" : "s"));
  }
  for (const std::string_view factor : factors) {
    raster.factors[raster.factor_count++] = parse_factor(text, factor);
  }
  return raster;
}

std::string raster_spellings() {
  std::vector<std::string> spellings;
  for (const tw::RasterRecord& record : tw::kRasters) {
    spellings.push_back(format("{}{}", record.name, record.factors));
  }
  return join(spellings, ", ");
}

std::string to_string(const Raster& r) {
  const tw::RasterRecord& record = tw::record_of(r.kind);
  std::string text(record.name);
  for (int i = 0; i < r.factor_count; ++i) {
    text += i == 0 ? ':' : record.separator;
    text += format("{}", r.factors[i]);
  }
  return r.axis == tw::GroupAxis::N ? text + "@n" : text;
}

TileCoord parse_grid(std::string_view text) {
  const std::vector<std::string_view> parts = split_sizes(text);
  if (parts.size() == 2) {
    const std::optional<int64_t> m = parse_count(parts[0]);
    const std::optional<int64_t> n = parse_count(parts[1]);
    constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
    if (m && n && *m >= 1 && *n >= 1 && *m <= kMax && *n <= kMax) {
      return {static_cast<int>(*m), static_cast<int>(*n)};
    }
  }
  throw usage_error(
      format("'{}' is not a tile grid: write MxN in tiles, such as 13x10, each from 1 to "
             "2147483647",
             text));
}

}  // namespace tilewright
