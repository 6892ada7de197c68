// The rule across-gpus of legality.hpp.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/math.hpp"
#include "base/text.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

std::string families_across_gpus() {
  std::vector<std::string> names;
  for (const Family family : all_families()) {
    if (record_of(family).runs_across_gpus) names.push_back(to_string(family));
  }
  return join(names, ", ");
}

// Why the epilogue, which each owner runs on its rows, needs more than these.
std::string why_no_shared_epilogue(const Workload& w) {
  const Epilogue& e = w.kind.epilogue;
  if (e.beta != 0) return "kernels across GPUs add no C";
  if (!is_k_major_a(w.kind.layout) && gathers_rows(w.parallel)) {
    return format(
        "layout {}: an all-gather copies rows of A, which are not contiguous: use tn or tt",
        to_string(w.kind.layout));
  }
  if (e.absmax) return "absmax is of one D, and each GPU has rows or columns of it";
  if (has_block_scales(w.kind)) return "kernels across GPUs take no scales of blocks";
  return "";
}

std::string why_no_parts(const Workload& w, const TileConfig& c) {
  constexpr int kMaxColumns = 256;  // columns of one wgmma: a part has the sums of one
  const DataType parts = c.peers.parts;
  if (!gathers_rows(w.parallel) && c.cta.n > kMaxColumns) {
    return format("cta {}: parts are of tiles of at most {} columns", to_string(c.cta),
                  kMaxColumns);
  }
  if (parts == DataType::F32) return "";
  if (gathers_rows(w.parallel)) {
    return "an all-gather sends no sums: leave parts=f32";
  }
  if (parts == output_type(w.kind)) return "";
  return format("parts={}: D is {}, and parts are f32 or of its type", to_string(parts),
                to_string(output_type(w.kind)));
}

// Why the rows of A do not arrive in parts of K.
std::string why_no_k_chunks(const Workload& w, const TileConfig& c) {
  const int chunks = c.peers.k_chunks;
  if (chunks == 1) return "";
  if (!gathers_rows(w.parallel)) {
    return format("k_chunks={}: a reduce-scatter sends no rows of A: leave k_chunks=1", chunks);
  }
  const int64_t steps = ceil_div<int64_t>(w.shapes.front().k, c.cta.k);
  if (chunks <= steps) return "";
  return format("k_chunks={}: K = {} has {} steps", chunks, w.shapes.front().k, steps);
}

std::string why_not_across(const Workload& w, const TileConfig& c, const DeviceSpec& d) {
  if (d.gpus < w.parallel.gpus) {
    return format("{} has {} GPU{}, and the product is shared by {}: the preset h200x{} predicts",
                  d.name, d.gpus, d.gpus == 1 ? "" : "s", w.parallel.gpus, w.parallel.gpus);
  }
  if (!record_of(c.family).runs_across_gpus) {
    return format("the {} family runs on one GPU; {} runs across GPUs", record_of(c.family).name,
                  families_across_gpus());
  }
  if (w.parallel.collective == Collective::AllReduce) {
    return "no kernel runs an all-reduce yet: reduce-scatter and all-gather have kernels";
  }
  if (!std::holds_alternative<DataParallel>(c.decomposition)) {
    return format("{}: across GPUs each of them computes whole tiles: use data-parallel",
                  to_string(c.decomposition));
  }
  if (c.swap_ab) return "swap_ab: across GPUs rows of tiles are rows of D";
  if (tw::record_of(c.raster.kind).runs_padding) {
    return format("{}: it walks tiles beyond a block", to_string(c.raster));
  }
  if (std::string why = why_no_shared_epilogue(w); !why.empty()) return why;
  if (std::string why = why_no_parts(w, c); !why.empty()) return why;
  if (std::string why = why_no_k_chunks(w, c); !why.empty()) return why;
  return why_no_blocks(w, c);
}

}  // namespace

std::optional<Rejection> reject_across_gpus(const Workload& workload, const TileConfig& config,
                                            const DeviceSpec& device) {
  std::string why = why_not_across(workload, config, device);
  if (why.empty()) return {};
  return Rejection{"across-gpus", std::move(why)};
}

}  // namespace tilewright
