// The project's nouns read from YAML nodes; each throws the node's usage error on bad input.
#pragma once

#include <optional>
#include <string>

#include "stats/sample.hpp"
#include "store/yaml_reader.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_fingerprint.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// Empty when the key is absent.
std::string read_text(const std::optional<YamlReader>& node);

/// [low, high].
Interval read_interval(const YamlReader& node);

/// The keys `problem` (MxNxK), `dtype`, `out_dtype`, `layout` and `bias` of a map; what is absent
/// is as in `otherwise`.
Problem read_problem(const YamlReader& node, const Problem& otherwise = {});
/// The same without the shape.
Problem read_problem_kind(const YamlReader& node, const Problem& otherwise);

/// CONFIG text of which every key is present.
TileConfig read_config(const YamlReader& node);

/// The same for a text put together from `node`.
TileConfig read_whole_config(const YamlReader& node, const std::string& text);

DeviceFingerprint read_fingerprint(const YamlReader& node);

/// Complains unless the file ends in `complete: true`, which a truncated one has lost.
void require_complete(const YamlReader& file);

}  // namespace tilewright
