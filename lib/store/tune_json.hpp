// The artefact for machines: the same keys and values as best.yaml.
#pragma once

#include <string>

#include "store/best_table.hpp"

namespace tilewright {

/// Indented JSON with a final newline.
std::string tune_json(const Artefact& artefact);
std::string tune_json(const TuneEntry& entry);

/// One entry as YAML.
std::string tune_yaml(const TuneEntry& entry);

}  // namespace tilewright
