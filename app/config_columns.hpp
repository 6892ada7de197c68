// What tells configs apart, as columns of a table; what they share is said once above it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "table.hpp"

namespace tilewright {

struct ConfigColumns {
  std::string alike;                            // "key=value, key=value": what all configs have
  std::vector<Column> columns;                  // the other keys; in CSV every key
  std::vector<std::vector<std::string>> cells;  // of each config, one a column
};

/// Configs as "key=value,..." have them; an empty text is no config, and its cells are empty.
ConfigColumns config_columns(std::span<const std::string> configs);

/// The words and "key=value, key=value" in lines of 80 columns, or a narrower window's; empty where
/// nothing is alike.
std::string alike_lines(const ConfigColumns& configs, int width, const std::string& words);

/// The columns, and a config's cells, behind those of a table or of its row.
void append(std::vector<Column>& columns, const ConfigColumns& configs);
void append(std::vector<std::string>& cells, const ConfigColumns& configs, size_t row);

}  // namespace tilewright
