#include "layout/smem/layout_access.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "layout/algebra/layout_evaluator.hpp"
#include "layout/smem/pipeline_stages.hpp"

namespace tilewright {

namespace {

// A rank-2 layout as a tile; element row * cols + col is at `offset`.
class LayoutTile {
 public:
  LayoutTile(const ComposedLayout& layout, int element_bytes, bool transposed)
      : evaluate_(layout), transposed_(transposed) {
    rows_ = size(mode(layout.layout, 0));
    const int64_t cols = size(mode(layout.layout, 1));
    tile_ = transposed ? SharedTile{cols, rows_, element_bytes}
                       : SharedTile{rows_, cols, element_bytes};
  }

  const SharedTile& tile() const { return tile_; }
  int64_t offset(int64_t element) const {
    const int64_t row = element / tile_.cols;
    const int64_t col = element % tile_.cols;
    return evaluate_(transposed_ ? col + row * rows_ : row + col * rows_);
  }
  // True if every piece of `elements` elements is contiguous.
  bool holds_pieces(int64_t elements) const {
    if (tile_.cols % elements != 0) return false;
    for (int64_t e = 0; e < element_count(tile_); ++e) {
      if (e % elements != 0 && offset(e) != offset(e - 1) + 1) return false;
    }
    return true;
  }

 private:
  LayoutEvaluator evaluate_;
  bool transposed_;
  int64_t rows_ = 0;
  SharedTile tile_;
};

TileCost cost_of_tile(const LayoutTile& view, const TilePattern& pattern) {
  TileCost cost;
  for (const LaneElements& lanes : warp_accesses(view.tile(), pattern)) {
    WarpAccess access{.op = pattern.op, .addresses = {}};
    for (size_t lane = 0; lane < kWarpLanes; ++lane) {
      access.addresses[lane] = lanes[lane] == kInactive
                                   ? kInactive
                                   : view.offset(lanes[lane]) * view.tile().element_bytes;
    }
    require_aligned(access);
    add_access(access, cost);
  }
  return cost;
}

// Calls visit(access) for every warp instruction of a copy.
template <class Visit>
void for_each_access(const ComposedLayout& layout, const Layout& threads, int element_bytes,
                     const AccessOp& op, const Visit& visit) {
  if (is_matrix(op)) {
    throw usage_error(format("{} takes row addresses, not values: omit --threads", to_string(op)));
  }
  if (rank(threads) != 2) throw usage_error("a thread-value layout has two modes");
  const int64_t thread_count = size(mode(threads, 0));
  const int64_t value_count = size(mode(threads, 1));
  const int64_t together = elements_together({1, 1, element_bytes}, {.op = op});
  if (value_count % together != 0) {
    throw usage_error(format("{} moves {} values at a time, which do not divide the {} of a thread",
                             to_string(op), together, value_count));
  }
  const LayoutEvaluator memory(layout);
  const LayoutEvaluator owner(threads);
  const auto offset = [&](int64_t thread, int64_t value) {
    const int64_t index = owner(thread + value * thread_count);
    if (index < 0 || index >= memory.size()) {
      throw usage_error(format("thread {} value {} is element {}, outside the {} of the layout",
                               thread, value, index, memory.size()));
    }
    return memory(index);
  };
  for (int64_t warp = 0; warp < thread_count; warp += kWarpLanes) {
    for (int64_t value = 0; value < value_count; value += together) {
      WarpAccess access{.op = op, .addresses = {}};
      access.addresses.fill(kInactive);
      for (int64_t t = warp; t < std::min<int64_t>(thread_count, warp + kWarpLanes); ++t) {
        const int64_t first = offset(t, value);
        for (int64_t v = 1; v < together; ++v) {
          if (offset(t, value + v) == first + v) continue;
          throw usage_error(format("{}: values {} and {} of thread {} are not contiguous",
                                   to_string(op), value, value + v, t));
        }
        access.addresses[static_cast<size_t>(t - warp)] = first * element_bytes;
      }
      require_aligned(access);
      visit(access);
    }
  }
}

constexpr int64_t kRequestBytes = 128;

void add_request(const WarpAccess& access, LaneRange lanes, Coalescing& total) {
  std::set<int64_t> starts;
  std::set<int64_t> sectors;
  std::set<int64_t> lines;
  for (int lane = lanes.first; lane < lanes.end; ++lane) {
    const int64_t address = access.addresses[static_cast<size_t>(lane)];
    if (address == kInactive) continue;
    // An aligned access of up to 16 bytes is within one sector.
    starts.insert(address);
    sectors.insert(address / kSectorBytes);
    lines.insert(address / kLineBytes);
  }
  total.requests += starts.empty() ? 0 : 1;
  total.sectors += static_cast<int64_t>(sectors.size());
  total.lines += static_cast<int64_t>(lines.size());
  total.bytes_used += static_cast<int64_t>(starts.size()) * access.op.bytes;
}

void set_efficiency(Coalescing& total) {
  total.bytes_moved = total.sectors * kSectorBytes;
  total.efficiency = total.bytes_moved == 0 ? 1
                                            : static_cast<double>(total.bytes_used) /
                                                  static_cast<double>(total.bytes_moved);
}

}  // namespace

TileCost cost_of_layout(const ComposedLayout& layout, int element_bytes,
                        const TilePattern& pattern) {
  const ComposedLayout first =
      stages_of(layout, format("a layout of rows and columns for {}", to_string(pattern))).first;
  if (size(first.layout) > kMaxTileElements) {
    throw usage_error(format("{} runs over rows and columns of at most {} elements",
                             to_string(pattern), kMaxTileElements));
  }
  for (const bool transposed : {false, true}) {
    const LayoutTile view(first, element_bytes, transposed);
    if (view.holds_pieces(elements_together(view.tile(), pattern))) {
      return cost_of_tile(view, pattern);
    }
  }
  throw usage_error(
      format("{} needs {} contiguous elements along one mode, and no mode of this layout has them",
             to_string(pattern), pattern.op.bytes / element_bytes));
}

TileCost cost_of_copy(const ComposedLayout& layout, const Layout& threads, int element_bytes,
                      const AccessOp& op) {
  TileCost cost;
  for_each_access(layout, threads, element_bytes, op,
                  [&cost](const WarpAccess& access) { add_access(access, cost); });
  return cost;
}

Coalescing count_sectors(const WarpAccess& access) {
  if (is_matrix(access.op)) {
    throw usage_error(
        format("{} accesses shared memory only: omit --space global", to_string(access.op)));
  }
  require_aligned(access);
  const int step = static_cast<int>(std::min<int64_t>(kWarpLanes, kRequestBytes / access.op.bytes));
  Coalescing total;
  for (int first = 0; first < kWarpLanes; first += step) {
    add_request(access, {first, first + step}, total);
  }
  set_efficiency(total);
  return total;
}

Coalescing sectors_of_copy(const ComposedLayout& layout, const Layout& threads, int element_bytes,
                           const AccessOp& op) {
  Coalescing total;
  for_each_access(layout, threads, element_bytes, op, [&total](const WarpAccess& access) {
    const Coalescing one = count_sectors(access);
    total.requests += one.requests;
    total.sectors += one.sectors;
    total.lines += one.lines;
    total.bytes_used += one.bytes_used;
  });
  set_efficiency(total);
  return total;
}

}  // namespace tilewright
