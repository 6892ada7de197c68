// triton.Config with what the tutorials' matrix products (03-matrix-multiplication and
// 09-persistent-matmul) take.

#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "store/exports.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

bool is_block(int size) {
  return size >= 16 && std::has_single_bit(static_cast<unsigned>(size));
}

// Why those kernels cannot run it; empty where they can.
std::string no_triton_kernel(const TileConfig& c) {
  if (!record_of(c.family).rereads) {
    return format("family={}: a product at the speed of memory", to_string(c.family));
  }
  if (!is_block(c.cta.m) || !is_block(c.cta.n) || !is_block(c.cta.k)) {
    return format("cta={}: block sizes are powers of two from 16", to_string(c.cta));
  }
  if (!std::holds_alternative<DataParallel>(c.decomposition)) {
    return format("decomposition={}: each program computes a whole tile",
                  to_string(c.decomposition));
  }
  return c.swap_ab ? "swap_ab=true: D is written row by row" : "";
}

int warps_of(const TileConfig& c, const Problem& problem) {
  const FamilyRecord& family = record_of(c.family);
  return family.warps(family.params(workload_of(problem), c, {})).count;
}

std::vector<int> group_sizes(const TileConfig& c, const GemmShape& shape) {
  std::vector<std::string> rasters;
  const int rows = tile_grid(shape, c.cta).m;
  constexpr int kMost = 64;
  rasters.reserve(kMost + 1);
  for (int g = 1; g <= std::min(rows, kMost); ++g) rasters.push_back(format("triton:{}", g));
  if (rows > kMost) rasters.push_back(format("triton:{}", rows));
  // The programs of those kernels are no clusters.
  TileConfig alone = c;
  alone.cluster = {1, 1};
  if (const auto walk = same_walk(alone, shape, rasters)) return {walk->factors[0]};
  return {};
}

std::vector<std::string> unsaid_by_triton(const TileConfig& c) {
  std::vector<std::string> unsaid;
  if (has_key(c.family, "warps")) {
    unsaid.push_back(format("warps={} are {} of any arrangement", to_string(c.sm80.warps),
                            c.sm80.warps.m * c.sm80.warps.n));
    unsaid.push_back(format("smem={}", to_string(c.sm80.smem)));
    return unsaid;
  }
  if (c.cluster != ClusterShape{}) unsaid.push_back(format("cluster={}", to_string(c.cluster)));
  if (c.schedule == KernelSchedule::PingPong) {
    unsaid.push_back("schedule=pingpong: two tiles in turn; num_warps are those of one");
  }
  unsaid.push_back(format("l2_promotion={}", c.l2_promotion_bytes));
  if (c.evict_first.a || c.evict_first.b) {
    unsaid.push_back(format("evict_first={}", to_string(c.evict_first)));
  }
  return unsaid;
}

std::string triton_line(const TileConfig& c, int group, const Problem& problem) {
  return format(
      "    triton.Config({{\"BLOCK_SIZE_M\": {}, \"BLOCK_SIZE_N\": {}, \"BLOCK_SIZE_K\": {}, "
      "\"GROUP_SIZE_M\": {}}}, num_stages={}, num_warps={}),\n",
      c.cta.m, c.cta.n, c.cta.k, group, c.stages, warps_of(c, problem));
}

}  // namespace

Export export_triton(const Dispatched& answer) {
  const TuneEntry& entry = answer.entry;
  Export out;
  if (const std::string why = no_plain_product(entry.problem); !why.empty()) {
    out.unsaid.push_back(format("{}: only one plain product is exported", why));
    return out;
  }
  const Problem problem = problem_of(entry.problem, 0);
  std::string lines;
  for (const TileConfig& c : candidates_of(entry)) {
    if (const std::string why = no_triton_kernel(c); !why.empty()) {
      out.unsaid.push_back(format("left out {}: {}", to_string(c), why));
      continue;
    }
    std::vector<std::string> unsaid = unsaid_by_triton(c);
    std::vector<int> groups = group_sizes(c, problem.shape);
    if (groups.empty()) {
      unsaid.push_back(format("raster={}: no GROUP_SIZE_M walks so; the tuner is to try these",
                              to_string(c.raster)));
      groups = {1, 4, 8, 16};
    }
    std::string block;
    for (const int group : groups) block += triton_line(c, group, problem);
    // Ties differ in what Triton has no word for.
    if (lines.find(block) != std::string::npos) continue;
    lines += commented({to_string(c)}, "    # ");
    for (const std::string& line : unsaid) {
      lines += commented({"not said: " + line}, "    # ");
      // Of several configs the same once.
      const auto same = std::find(out.unsaid.begin(), out.unsaid.end(), line);
      if (same == out.unsaid.end()) out.unsaid.push_back(line);
    }
    lines += block;
  }
  if (lines.empty()) return out;
  out.text = commented({format("{}, by tilewright ({}): for the kernels of Triton's tutorials 03 "
                               "and 09, as @triton.autotune(configs=configs, key=[\"M\", \"N\", "
                               "\"K\"]).",
                               to_string(problem), origin_text(answer))},
                       "# ") +
             commented(lead_lines(answer), "# ") + "import triton\n\nconfigs = [\n" + lines + "]\n";
  return out;
}

}  // namespace tilewright
