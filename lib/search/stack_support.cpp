// Names and rules of CUTLASS follow python/cutlass_library of CUTLASS 4: which kernels there are
// for sm_90a at the fullest instantiation level.

#include "search/stack_support.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::string_view, 3> kStackNames = {"cutlass", "triton", "nvfuser"};
static_assert(kStackNames.size() == std::size(kStacks));

template <size_t N>
bool is_one_of(int value, const std::array<int, N>& known) {
  return std::find(known.begin(), known.end(), value) != known.end();
}

// D has the type of 16-bit operands or f32 (GenerateSM90_TensorOp_16b_WGMMA_gemm); with 8-bit
// operands D has any type of 16 bits or more, but those are read along k only
// (GenerateSM90_TensorOp_fp8_WGMMA_gemm).
std::string why_no_cutlass_types(const Problem& problem) {
  const DataType output = output_type(problem.kind);
  if (bytes_of(output) == 1) {
    return format("out_dtype={}: of {} operands only kernels with a wider D are known here",
                  to_string(output), to_string(problem.kind.dtype));
  }
  if (bytes_of(problem.kind.dtype) == 1) {
    return is_k_major_a(problem.kind.layout) && is_k_major_b(problem.kind.layout)
               ? ""
               : format("layout={}: kernels of {} operands have tn only",
                        to_string(problem.kind.layout), to_string(problem.kind.dtype));
  }
  if (output == problem.kind.dtype || output == DataType::F32) return "";
  return format("out_dtype={}: kernels of {} operands write {} or f32", to_string(output),
                to_string(problem.kind.dtype), to_string(problem.kind.dtype));
}

// Checks tile, cluster and schedule of the transposed product.
std::string why_no_cutlass_tile(const TileConfig& c, const Problem& problem) {
  const TransposedTile t = transposed_tile(c);
  const bool cooperative = c.schedule == KernelSchedule::Cooperative;
  if (!is_one_of(t.cta.m, std::array{64, 128, 256}) || (cooperative && t.cta.m == 64)) {
    return format(
        "cta={}: the transposed product's tile has {} rows, and {} kernels have {}128 or 256",
        to_string(c.cta), t.cta.m, to_string(c.schedule), cooperative ? "" : "64, ");
  }
  if (t.cta.n < 16 || t.cta.n % 8 != 0 || t.cta.n > 256) {
    return format(
        "cta={}: the transposed product's tile has {} columns, not a multiple of 8 from 16 to 256",
        to_string(c.cta), t.cta.n);
  }
  const int depth = 128 / bytes_of(problem.kind.dtype);
  if (t.cta.k != depth) {
    return format("cta={}: for {} operands the export knows only kernels that are {} deep",
                  to_string(c.cta), to_string(problem.kind.dtype), depth);
  }
  const int clusters = t.cluster.m * t.cluster.n;
  const bool square = t.cluster.m == t.cluster.n || t.cluster.m == 1 || t.cluster.n == 1;
  if (!is_one_of(clusters, std::array{1, 2, 4, 8}) || (!square && clusters != 8)) {
    return format("cluster={}", to_string(c.cluster));
  }
  if (!std::holds_alternative<DataParallel>(c.decomposition) && !cooperative) {
    return format("decomposition={} with schedule=pingpong: its stream-K kernels are cooperative",
                  to_string(c.decomposition));
  }
  return "";
}

std::string why_no_cutlass_kernel(const TileConfig& c, const Problem& problem) {
  if (!record_of(c.family).loads_by_tma) {
    return format("family={} is no kernel of CUTLASS 3", to_string(c.family));
  }
  if (std::string why = why_no_cutlass_types(problem); !why.empty()) return why;
  if (std::string why = why_no_cutlass_tile(c, problem); !why.empty()) return why;
  const int64_t vector = 16 / bytes_of(problem.kind.dtype);
  const int64_t a_row = is_k_major_a(problem.kind.layout) ? problem.shape.k : problem.shape.m;
  const int64_t b_row = is_k_major_b(problem.kind.layout) ? problem.shape.k : problem.shape.n;
  if (a_row % vector != 0 || b_row % vector != 0) {
    return format(
        "rows of {} and {} elements: TMA needs multiples of {}, and its kernels do not copy "
        "operands",
        a_row, b_row, vector);
  }
  const int64_t d_bytes = bytes_of(output_type(problem.kind));
  if (problem.shape.n * d_bytes % 16 != 0) {
    return format("rows of D of {} elements: its epilogue stores by TMA", problem.shape.n);
  }
  constexpr int64_t kMaxEpilogueBytes = 131072;
  const TransposedTile t = transposed_tile(c);
  if (d_bytes * t.cta.m * t.cta.n > kMaxEpilogueBytes) {
    return format("cta={}: its epilogue does not fit a tile of {}", to_string(c.cta),
                  to_string(output_type(problem.kind)));
  }
  return "";
}

bool is_block(int size) {
  return size >= 16 && std::has_single_bit(static_cast<unsigned>(size));
}

std::string why_no_triton_kernel(const TileConfig& c) {
  if (!record_of(c.family).rereads_operands) {
    return format("family={}: only the memory bandwidth limits such a product",
                  to_string(c.family));
  }
  if (!is_block(c.cta.m) || !is_block(c.cta.n) || !is_block(c.cta.k)) {
    return format("cta={}: block sizes are powers of two, at least 16", to_string(c.cta));
  }
  if (!std::holds_alternative<DataParallel>(c.decomposition)) {
    return format("decomposition={}: each program computes a whole tile",
                  to_string(c.decomposition));
  }
  return c.swap_ab ? "swap_ab=true: D is written row by row" : "";
}

std::string why_no_nvfuser_kernel(const TileConfig& c) {
  if (!record_of(c.family).loads_by_tma) {
    return format("family={}: only Hopper's kernels have such parameters", to_string(c.family));
  }
  if (c.schedule == KernelSchedule::PingPong) {
    return "schedule=pingpong: the plugin does not choose the level of the buffering loop";
  }
  if (c.swap_ab) return "swap_ab=true: the plugin does not exchange the operands";
  if (c.cta.n > 256) return format("cta={}: one wgmma has at most 256 columns", to_string(c.cta));
  if (std::holds_alternative<StreamK>(c.decomposition)) {
    return format("decomposition={}", to_string(c.decomposition));
  }
  return "";
}

Raster grouped(tw::RasterKind kind, int factor, tw::GroupAxis axis = tw::GroupAxis::M) {
  return {.kind = kind, .axis = axis, .factor_count = 1, .factors = {factor}};
}

// Both axes of every factor, the smallest first.
std::vector<Raster> grouped(tw::RasterKind kind, const std::vector<int>& factors) {
  std::vector<Raster> rasters;
  rasters.reserve(2 * factors.size());
  for (const int factor : factors) {
    rasters.push_back(grouped(kind, factor));
    rasters.push_back(grouped(kind, factor, tw::GroupAxis::N));
  }
  return rasters;
}

// GROUP_SIZE_M from 1 to `most`.
std::vector<Raster> triton_groups(int most) {
  std::vector<Raster> rasters;
  rasters.reserve(static_cast<size_t>(most) + 1);
  for (int g = 1; g <= most; ++g) rasters.push_back(grouped(tw::RasterKind::Triton, g));
  return rasters;
}

// --raster_order and --swizzle_size of the kernel's own grid, where @m is CUTLASS's along_n.
std::vector<Raster> cutlass_rasters() {
  return grouped(tw::RasterKind::Cutlass3, {1, 2, 4, 8});
}

// cta_order and grid_swizzle_factor: order 0 runs along n, and within factor rows along m first;
// order 1 is the transpose.
std::vector<Raster> nvfuser_rasters() {
  std::vector<int> factors;
  constexpr int kMax = 16;
  factors.reserve(kMax);
  for (int f = 1; f <= kMax; ++f) factors.push_back(f);
  return grouped(tw::RasterKind::SplitMerge, factors);
}

std::vector<Raster> rasters_of(Stack stack, const Workload& workload, const TileConfig& config) {
  if (stack == Stack::Cutlass) return cutlass_rasters();
  if (stack == Stack::NvFuser) return nvfuser_rasters();
  constexpr int kMax = 64;
  const int rows = tile_grid(workload.shapes.front(), config.cta).m;
  std::vector<Raster> rasters = triton_groups(std::min(rows, kMax));
  if (rows > kMax) rasters.push_back(grouped(tw::RasterKind::Triton, rows));
  return rasters;
}

}  // namespace

std::string_view to_string(Stack stack) {
  return kStackNames[static_cast<size_t>(stack)];
}

std::optional<Stack> stack_of(std::string_view name) {
  for (const Stack stack : kStacks) {
    if (to_string(stack) == name) return stack;
  }
  return std::nullopt;
}

std::string why_not_plain_product(const Workload& workload) {
  if (is_across_gpus(workload)) return "a product that GPUs share";
  if (is_group(workload)) return "a group of products in one launch";
  if (is_triangular(workload)) return format("{}, one triangle of D", to_string(workload.op));
  const Epilogue& e = workload.kind.epilogue;
  if (is_promoted(workload.kind)) return "sums promoted every 128 of K";
  if (is_plain(e)) return "";
  return e == Epilogue{.out_dtype = e.out_dtype, .bias = true} ? "a bias" : "an epilogue";
}

std::string part_without_interface(const Epilogue& e) {
  if (e.row_bias) return "row-bias";
  if (e.stacked) return "@stacked";
  if (e.scale_d) return "scale_d";
  if (e.absmax) return "absmax";
  return e.out_dtype == DataType::E4M3 ? "D of e4m3" : "";
}

std::string why_no_kernel(Stack stack, const Workload& workload, const TileConfig& config) {
  if (stack == Stack::Cutlass) return why_no_cutlass_kernel(config, problem_of(workload, 0));
  if (stack == Stack::Triton) return why_no_triton_kernel(config);
  if (const DataType type = workload.kind.dtype; type == DataType::E5M2) {
    return format("dtype={}: the letter of its precision is not known here", to_string(type));
  }
  return why_no_nvfuser_kernel(config);
}

std::optional<Raster> same_walk(Stack stack, const Workload& workload, const TileConfig& config) {
  TileConfig walked = config;
  // The programs of Triton's kernels form no clusters.
  if (stack == Stack::Triton) walked.cluster = {1, 1};
  const std::vector<Raster> rasters = rasters_of(stack, workload, walked);
  if (std::find(rasters.begin(), rasters.end(), config.raster) != rasters.end()) {
    return config.raster;
  }
  const TileCoord grid = cluster_grid(workload.shapes.front(), walked);
  const Raster own = cluster_raster(walked);
  const auto slots = tw::slot_count<int64_t>(own, grid);
  if (slots > kMaxListed) return std::nullopt;
  for (const Raster& raster : rasters) {
    TileConfig other = walked;
    other.raster = raster;
    const Raster walk = cluster_raster(other);
    if (tw::slot_count<int64_t>(walk, grid) != slots) continue;
    int64_t slot = 0;
    for (; slot < slots; ++slot) {
      if (tw::tile_at(walk, grid, slot) != tw::tile_at(own, grid, slot)) break;
    }
    if (slot == slots) return raster;
  }
  return std::nullopt;
}

std::string why_unsupported(Stack stack, const Workload& workload, const TileConfig& config) {
  if (const std::string what = why_not_plain_product(workload); !what.empty()) {
    return format("{}: only one plain product is exported", what);
  }
  if (std::string why = why_no_kernel(stack, workload, config); !why.empty()) return why;
  if (config.evict_first.a || config.evict_first.b) {
    return format("evict_first={}", to_string(config.evict_first));
  }
  if (stack == Stack::Triton && config.cluster != ClusterShape{}) {
    return format("cluster={}", to_string(config.cluster));
  }
  if (stack == Stack::Triton && config.schedule == KernelSchedule::PingPong) {
    return "schedule=pingpong: the programs of its kernels compute one tile at a time";
  }
  if (!same_walk(stack, workload, config)) {
    return format("raster={}: none of its own rasters visits this grid in that order",
                  to_string(config.raster));
  }
  return "";
}

std::vector<SearchSpace> spaces_supported_by(Stack stack, std::vector<SearchSpace> spaces) {
  constexpr int kMaxTritonRows = 16;
  const std::vector<Raster> rasters = stack == Stack::Cutlass  ? cutlass_rasters()
                                      : stack == Stack::Triton ? triton_groups(kMaxTritonRows)
                                                               : nvfuser_rasters();
  for (SearchSpace& space : spaces) {
    if (!names_key(space.named, "raster")) space.rasters = rasters;
    if (!names_key(space.named, "evict_first")) space.evict_first = {{}};
    if (stack == Stack::Triton && !names_key(space.named, "cluster")) space.clusters = {{}};
  }
  return spaces;
}

TransposedTile transposed_tile(const TileConfig& c) {
  // With A and B swapped our kernel computes it already.
  if (c.swap_ab) return {c.cta, c.cluster};
  return {{c.cta.n, c.cta.m, c.cta.k}, {c.cluster.n, c.cluster.m}};
}

}  // namespace tilewright
