#include "model/slab_index.hpp"

namespace tilewright {

SlabIndex index_slabs(const ReplayScope& scope, const std::vector<ReplayWorker>& workers) {
  SlabIndex index;
  const auto panels = static_cast<size_t>(scope.panels.count());
  std::vector<char> is_read(panels, 0);
  for (const ReplayWorker& worker : workers) {
    for (const TilePiece& piece : worker.pieces) {
      scope.panels.for_each(piece.cluster,
                            [&](int panel) { is_read[static_cast<size_t>(panel)] = 1; });
    }
  }
  index.first.resize(panels);
  // By panel, so that the same tiles have the same slabs in whatever order they are dealt.
  for (size_t panel = 0; panel < panels; ++panel) {
    if (is_read[panel] == 0) continue;
    index.first[panel] = index.count;
    index.count += static_cast<uint32_t>(scope.steps);
  }
  return index;
}

}  // namespace tilewright
