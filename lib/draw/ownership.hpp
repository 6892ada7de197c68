// Which threads hold the elements of a tile, as cells that show every holder.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "draw/cell_panel.hpp"

namespace tilewright {

/// A thread and the index of one of its values.
struct Holder {
  int64_t thread = 0;
  int64_t value = 0;
  bool operator==(const Holder&) const = default;
};

/// Holders of each element of a row-major tile.
struct OwnershipMap {
  int rows = 0;
  int columns = 0;
  std::vector<std::vector<Holder>> holders;
};

/// How many elements are held once, several times or by no thread.
struct OwnershipCounts {
  int64_t once = 0;
  int64_t shared = 0;    // held by several threads
  int64_t repeated = 0;  // held several times by one thread
  int64_t uncovered = 0;
  int64_t most = 0;  // most holders of one element
};
OwnershipCounts count_holders(const OwnershipMap& map);

/// What the cells show.
struct OwnershipView {
  std::optional<int64_t> thread = std::nullopt;  // the thread to outline
  bool values = true;                            // adds a second line with the index of the value
  bool by_value = false;                         // coloured by value instead of thread
};

/// Cells show "T3" and "V1". An element with two holders shows both; one with more shows the first
/// two and the count. The fill of such a cell is split among the colours of the first four holders.
/// Elements without a holder are hatched; beside an outlined thread, the others are pale.
CellPanel ownership_panel(const OwnershipMap& map, const OwnershipView& view);

/// "... elements once, ..." for a subtitle.
std::string describe(const OwnershipCounts& counts);
/// Explains the marks that occur in the panel.
std::vector<LegendEntry> ownership_legend(const OwnershipCounts& counts, const OwnershipView& view);

}  // namespace tilewright
