#include "model/slab_index.hpp"

#include <numeric>

namespace tilewright {
namespace {

// Lines of a block where the operands of a rank-k update are the same; 0 where they are not, or
// where tiles have so little in common that a replay would read many blocks.
int lines_of_block(const ReplayScope& scope) {
  constexpr int kFewest = 32;
  const MatrixOp op = scope.plan.workload.op;
  if (op != MatrixOp::Syrk && op != MatrixOp::Syr2k) return 0;
  // Each phase must be whole slabs.
  const bool is_even = scope.depth % (scope.slab_k * phases(op)) == 0;
  if (scope.in_parts || !is_even) return 0;
  const int lines = std::gcd(scope.plan.config.cta.m, scope.plan.config.cta.n);
  return lines < kFewest ? 0 : lines;
}

}  // namespace

SlabIndex index_slabs(const ReplayScope& scope, const std::vector<ReplayWorker>& workers) {
  const OperandPanels& panels = scope.panels;
  const int lines = lines_of_block(scope);
  SlabIndex index;
  index.block_lines = lines;
  index.steps = scope.steps;
  if (lines > 0) index.turned_steps = scope.steps - scope.steps / phases(scope.plan.workload.op);
  std::vector<char> is_read;  // up to the last panel or block that is
  const auto read = [&](int64_t i) {
    if (i >= std::ssize(is_read)) is_read.resize(static_cast<size_t>(i) + 1, 0);
    is_read[static_cast<size_t>(i)] = 1;
  };
  const auto mark = [&](int panel) {
    if (lines == 0) return read(panel);
    int64_t block = panels.first_line(panel) / lines;
    for (int left = panels.extent(panel); left > 0; left -= lines) read(block++);
  };
  for (const ReplayWorker& worker : workers) {
    for (const TilePiece& piece : worker.pieces) panels.for_each(piece.cluster, mark);
  }
  index.first.resize(is_read.size());
  // By panel, so that the same tiles have the same slabs in whatever order they are dealt.
  for (size_t i = 0; i < is_read.size(); ++i) {
    if (is_read[i] == 0) continue;
    index.first[i] = index.count;
    index.count += static_cast<uint32_t>(scope.steps);
  }
  return index;
}

}  // namespace tilewright
