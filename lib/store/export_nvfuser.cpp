// A plugin for nvFuser's matmul scheduler, as csrc/scheduler/matmul_heuristic_plugin_api.h takes
// it.

#include "base/text.hpp"
#include "store/exports.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// Why the plugin cannot ask for it; empty where it can.
std::string no_nvfuser_kernel(const TileConfig& c) {
  if (!record_of(c.family).loads_by_tma) {
    return format("family={}: its parameters are those of Hopper's kernels here",
                  to_string(c.family));
  }
  if (c.schedule == KernelSchedule::PingPong) {
    return "schedule=pingpong: the plugin does not choose the level of the buffering loop";
  }
  if (c.swap_ab) return "swap_ab=true: operands stay in their places";
  if (c.cta.n > 256) return format("cta={}: one wgmma has 256 columns at most", to_string(c.cta));
  if (std::holds_alternative<StreamK>(c.decomposition)) {
    return format("decomposition={}", to_string(c.decomposition));
  }
  return "";
}

// nvFuser's letter for a type.
char letter_of(DataType type) {
  switch (type) {
    case DataType::BF16: return 'T';
    case DataType::F16: return 'H';
    case DataType::E4M3: return 'Q';
    default: return 'S';
  }
}

// cta_order and grid_swizzle_factor of the walk, or nothing. Order 0 runs along n, and within
// factor rows along m first; order 1 is the transpose.
std::optional<Raster> traversal_of(const TileConfig& c, const GemmShape& shape) {
  std::vector<std::string> rasters = {"split-merge:1", "split-merge:1@n"};
  constexpr size_t kMost = 16;
  rasters.reserve(2 * kMost);
  for (size_t f = 2; f <= kMost; ++f) {
    rasters.push_back(format("split-merge:{}", f));
    rasters.push_back(format("split-merge:{}@n", f));
  }
  return same_walk(c, shape, rasters);
}

std::string assignments(const TileConfig& c, const Problem& problem, Export& out) {
  const FamilyRecord& family = record_of(c.family);
  const TileWarps warps = family.warps(family.params(workload_of(problem), c, {}));
  const auto* const split = std::get_if<SplitK>(&c.decomposition);
  const auto walk = traversal_of(c, problem.shape);
  const int wgmma_k = 32 / bytes_of(problem.kind.dtype);
  std::string text;
  text += format("    cta_tile = {{{}, {}, {}}};\n", c.cta.m, c.cta.n, c.cta.k);
  text += format("    warp_tile = {{{}, {}, {}}};  // of a warpgroup\n", warps.group_rows, c.cta.n,
                 c.cta.k);
  text += format("    instruction_tile = {{64, {}, {}}};\n", c.cta.n, wgmma_k);
  text += format("    splitk_factor = {};\n", split == nullptr ? 1 : split->slices);
  text += format("    load_stages = {};\n", c.stages);
  if (walk) {
    const bool along_n = walk->axis == tw::GroupAxis::M;
    text += format("    cta_order = {};\n", along_n ? 0 : 1);
    text += format("    grid_swizzle_factor = {};\n", walk->factors[0]);
    // In the grid's x and y: order 0 has n along x.
    text += format("    cluster_dims = {{{}, {}, 1}};\n", along_n ? c.cluster.n : c.cluster.m,
                   along_n ? c.cluster.m : c.cluster.n);
  } else {
    out.unsaid.push_back(
        format("raster={}: no order and swizzle factor walks this grid so; both "
               "stay nvFuser's, and with them the axes of cluster={}",
               to_string(c.raster), to_string(c.cluster)));
  }
  if (split != nullptr) {
    out.unsaid.push_back(format("decomposition={}: parts are joined by nvFuser's grid reduction",
                                to_string(c.decomposition)));
  }
  out.unsaid.push_back(format("l2_promotion={}", c.l2_promotion_bytes));
  if (c.evict_first.a || c.evict_first.b) {
    out.unsaid.push_back(format("evict_first={}", to_string(c.evict_first)));
  }
  return text;
}

Export plugin(const TileConfig& c, const Problem& problem, const Dispatched& answer) {
  Export out;
  const std::string body = assignments(c, problem, out);
  const GemmShape& s = problem.shape;
  std::string text = commented(
      {format("{}: {}", to_string(problem), to_string(c)),
       format("{}: {}.",
              c == answer.entry.choice ? "The choice of tilewright"
                                       : "A tie of the choice, which nvFuser has no words for",
              origin_text(answer)),
       "Build a shared library of it and name that in NVFUSER_MATMUL_HEURISTIC_PLUGIN. Other sizes "
       "and types keep nvFuser's own parameters; the layout is not asked for."},
      "// ");
  text += commented(lead_lines(answer), "// ");
  for (const std::string& line : out.unsaid) text += commented({"not said: " + line}, "// ");
  text += "#include <cstring>\n#include <memory>\n\n#include \"matmul_heuristic_plugin_api.h\"\n\n";
  text += "using nvfuser::matmul_heuristic_plugin::KernelConfig;\n\n";
  text += "struct TunedConfig : KernelConfig {\n  void configure() final {\n";
  text += format("    if (problem.m != {} || problem.n != {} || problem.k != {}) return;\n", s.m,
                 s.n, s.k);
  text += format("    if (std::strcmp(problem.precision, \"{}S{}\") != 0) return;\n",
                 letter_of(problem.kind.dtype), letter_of(output_type(problem.kind)));
  text += body + "  }\n};\n\n";
  text += "extern \"C\" std::unique_ptr<KernelConfig> makeConfig() {\n";
  text += "  return std::make_unique<TunedConfig>();\n}\n";
  out.text = text;
  return out;
}

}  // namespace

Export export_nvfuser(const Dispatched& answer) {
  const TuneEntry& entry = answer.entry;
  Export out;
  if (const std::string why = no_plain_product(entry.problem); !why.empty()) {
    out.unsaid.push_back(format("{}: only one plain product is exported", why));
    return out;
  }
  const Problem problem = problem_of(entry.problem, 0);
  for (const TileConfig& c : candidates_of(entry)) {
    if (const std::string why = no_nvfuser_kernel(c); !why.empty()) {
      out.unsaid.push_back(format("{}: {}", to_string(c), why));
      continue;
    }
    return plugin(c, problem, answer);
  }
  return out;
}

}  // namespace tilewright
