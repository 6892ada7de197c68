#include "render/rank_columns.hpp"

#include "base/text.hpp"

namespace tilewright {

std::string how_ranked(const Estimate& estimate) {
  return estimate.is_time ? "predicted" : "ranked by waves and traffic";
}

void append_rank_columns(std::vector<Column>& columns, const Estimate& estimate) {
  if (estimate.is_time) return;
  columns.push_back({"waves", true, 0});
  columns.push_back({"DRAM, MB", true, 0});
}

void append_rank_cells(std::vector<std::string>& cells, const Estimate& estimate) {
  if (estimate.is_time) return;
  cells.push_back(format("{}", estimate.waves));
  cells.push_back(megabytes_text(estimate.dram_read_bytes + estimate.dram_write_bytes));
}

}  // namespace tilewright
