#include "model/slab_names.hpp"

namespace tilewright {

SlabNames name_slabs(const ReplayScope& scope, const std::vector<ReplayWorker>& workers) {
  SlabNames names;
  const auto lines = static_cast<size_t>(scope.lines.count());
  std::vector<char> is_read(lines, 0);
  for (const ReplayWorker& worker : workers) {
    for (const TilePiece& piece : worker.pieces) {
      scope.lines.for_each(piece.cluster,
                           [&](int line) { is_read[static_cast<size_t>(line)] = 1; });
    }
  }
  names.first.resize(lines);
  // By line, so that the same tiles have the same slabs in whatever order they are dealt.
  for (size_t line = 0; line < lines; ++line) {
    if (is_read[line] == 0) continue;
    names.first[line] = names.count;
    names.count += static_cast<uint32_t>(scope.steps);
  }
  return names;
}

}  // namespace tilewright
