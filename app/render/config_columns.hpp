// The keys in which configs differ, as columns of a table; the keys that they share stand once
// above the table.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "render/report.hpp"
#include "render/table.hpp"

namespace tilewright {

struct ConfigColumns {
  std::string alike;                            // "key=value, key=value": equal in all configs
  std::vector<Column> columns;                  // the other keys; in CSV every key
  std::vector<std::vector<std::string>> cells;  // one row per config, one cell per column
};

/// Each config is "key=value,...". An empty text means no config; its cells are empty.
ConfigColumns config_columns(std::span<const std::string> configs);

/// `words` and "key=value, key=value" in lines of 80 columns, or of a narrower window. Empty where
/// the configs share no key.
TextPart alike_keys(const ConfigColumns& configs, const std::string& words);

/// Appends the columns to a table's, and a config's cells to the table's row.
void append(std::vector<Column>& columns, const ConfigColumns& configs);
void append(std::vector<std::string>& cells, const ConfigColumns& configs, size_t row);

}  // namespace tilewright
