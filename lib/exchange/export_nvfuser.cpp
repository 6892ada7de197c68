// Prints a plugin for nvFuser's matmul scheduler; nvFuser's interface is
// csrc/scheduler/matmul_heuristic_plugin_api.h.

#include "base/text.hpp"
#include "exchange/exports.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// nvFuser's letter for a type.
char letter_of(DataType type) {
  switch (type) {
    case DataType::BF16: return 'T';
    case DataType::F16: return 'H';
    case DataType::E4M3: return 'Q';
    default: return 'S';
  }
}

std::string assignments(const TileConfig& c, const Problem& problem, Export& out) {
  const FamilyRecord& family = record_of(c.family);
  const TileWarps warps = family.warps(family.params(workload_of(problem), c, {}));
  const auto* const split = std::get_if<SplitK>(&c.decomposition);
  const auto walk = same_walk(Stack::NvFuser, workload_of(problem), c);
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
    // In order of the grid's x and y; cta_order 0 puts n along x.
    text += format("    cluster_dims = {{{}, {}, 1}};\n", along_n ? c.cluster.n : c.cluster.m,
                   along_n ? c.cluster.m : c.cluster.n);
  } else {
    out.unsupported.push_back(
        format("raster={}: no order and swizzle factor visits this grid in that order; nvFuser "
               "keeps its own, and the axes of cluster={} follow it",
               to_string(c.raster), to_string(c.cluster)));
  }
  if (split != nullptr) {
    out.unsupported.push_back(
        format("decomposition={}: parts are joined by nvFuser's grid reduction",
               to_string(c.decomposition)));
  }
  out.unsupported.push_back(format("l2_promotion={}", c.l2_promotion_bytes));
  if (c.evict_first.a || c.evict_first.b) {
    out.unsupported.push_back(format("evict_first={}", to_string(c.evict_first)));
  }
  return text;
}

Export plugin(const MeasuredConfig& given, const Dispatched& answer) {
  const TileConfig& c = given.config;
  const Problem problem = problem_of(answer.entry.problem, 0);
  Export out;
  out.substitution = substitution_note(Stack::NvFuser, given, answer);
  const std::string body = assignments(c, problem, out);
  const GemmShape& s = problem.shape;
  std::string text = commented(
      {format("{}: {}", to_string(problem), to_string(c)), role_text(out, answer),
       "Build a shared library from it and set NVFUSER_MATMUL_HEURISTIC_PLUGIN to its name. Other "
       "sizes and types keep nvFuser's own parameters; the plugin does not see the layout."},
      "// ");
  text += commented(note_lines(answer, c == answer.entry.choice), "// ");
  for (const std::string& line : out.unsupported)
    text += commented({"not expressible: " + line}, "// ");
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
  const std::optional<MeasuredConfig> given = config_for(Stack::NvFuser, answer);
  return given ? plugin(*given, answer) : empty_export(Stack::NvFuser, entry);
}

}  // namespace tilewright
