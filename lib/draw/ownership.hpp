// Who holds the elements of a tile, as cells: every holder of an element shows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "draw/cell_panel.hpp"

namespace tilewright {

/// Element `value` of what `thread` holds.
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

/// Elements held once, several times and by nobody.
struct OwnershipCounts {
  int64_t once = 0;
  int64_t shared = 0;    // by several threads
  int64_t repeated = 0;  // by one thread several times
  int64_t uncovered = 0;
  int64_t most = 0;  // holders of one element
};
OwnershipCounts count_holders(const OwnershipMap& map);

/// What the cells show.
struct OwnershipView {
  std::optional<int64_t> thread = std::nullopt;  // outlined
  bool values = true;     // a second line with the number of the thread's value
  bool by_value = false;  // coloured by value instead of thread
};

/// Cells say "T3" and "V1"; an element with two holders shows both, one with more the first two and
/// how many there are, its fill split among the colours of the first four. Elements without a
/// holder are hatched; with an outlined thread the others are pale.
CellPanel ownership_panel(const OwnershipMap& map, const OwnershipView& view);

/// "... elements once, ..." for a subtitle.
std::string describe(const OwnershipCounts& counts);
/// What the panel's marks mean; only those that it has.
std::vector<LegendEntry> ownership_legend(const OwnershipCounts& counts, const OwnershipView& view);

}  // namespace tilewright
