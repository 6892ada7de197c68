// Numbers the slabs that a replay reads, for the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/replay_scope.hpp"
#include "model/replay_worker.hpp"

namespace tilewright {

/// Numbers run from 0 to count - 1; the slabs of a panel follow each other.
///
/// In syrk and syr2k the columns' operand is the rows' one, in syr2k with its two matrices in the
/// other order. There panels consist of blocks of lines, and a block of columns has the slabs of
/// the same block of rows.
struct SlabIndex {
  std::vector<uint32_t> first = {};  // by panel, or by block
  uint32_t count = 0;
  int block_lines = 0;       // 0: panels are not divided
  int64_t steps = 0;         // of a block
  int64_t turned_steps = 0;  // from a block of rows in one phase to the same lines in the other

  /// Calls visit(slab, lines) for what a panel reads in a step.
  template <class Visit>
  void for_each(const OperandPanels& panels, int panel, int64_t step, Visit visit) const {
    const int lines = panels.extent(panel);
    if (block_lines == 0) {
      visit(first[static_cast<size_t>(panel)] + static_cast<uint32_t>(step), lines);
      return;
    }
    const int64_t own = panels.is_row(panel) ? step : (step + turned_steps) % steps;
    auto block = static_cast<size_t>(panels.first_line(panel) / block_lines);
    for (int left = lines; left > 0; left -= block_lines, ++block) {
      visit(first[block] + static_cast<uint32_t>(own), std::min(left, block_lines));
    }
  }
};

/// Numbers the slabs of all panels that the workers read.
SlabIndex index_slabs(const ReplayScope& scope, const std::vector<ReplayWorker>& workers);

}  // namespace tilewright
