// Configs of the sm90 family, as tests write them.
#pragma once

#include <string>

#include "tile/config/config_keys.hpp"

namespace tilewright::testing {

/// "cta=128x128x64,cluster=2x1,...", of so many stages where it names none.
inline TileConfig sm90_config(const std::string& text, int stages) {
  ConfigRequest request = parse_config("family=sm90," + text);
  request.stages = request.stages.value_or(stages);
  return config_of(request);
}

}  // namespace tilewright::testing
