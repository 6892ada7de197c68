// What a table shows of configs that no time ranks: their waves and their traffic.
#pragma once

#include <string>
#include <vector>

#include "model/estimate.hpp"
#include "render/table.hpp"

namespace tilewright {

/// "predicted", or "ranked by waves and traffic" where the model has no time.
std::string how_ranked(const Estimate& estimate);

/// Appends the columns `waves` and `DRAM, MB`, reads plus writes, and a config's cells. Nothing
/// where the model has a time.
void append_rank_columns(std::vector<Column>& columns, const Estimate& estimate);
void append_rank_cells(std::vector<std::string>& cells, const Estimate& estimate);

}  // namespace tilewright
