// Makes configs of the sm90 family from text.
#pragma once

#include <string>

#include "tile/config/config_keys.hpp"

namespace tilewright::testing {

/// Parses "cta=128x128x64,cluster=2x1,..."; `stages` applies if the text has none.
inline TileConfig sm90_config(const std::string& text, int stages) {
  ConfigRequest request = parse_config("family=sm90," + text);
  if (!names_key(request, "stages")) request.values.stages = stages;
  return config_of(request);
}

}  // namespace tilewright::testing
