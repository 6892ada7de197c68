// Prints arguments of cutlass_profiler. Names follow python/cutlass_library of CUTLASS 4.

#include "base/text.hpp"
#include "exchange/exports.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

std::string kernel_name(const TileConfig& c, const Problem& problem) {
  const TransposedTile t = transposed_tile(c);
  const bool eight_bits = bytes_of(problem.kind.dtype) == 1;
  const std::string element = to_string(problem.kind.dtype);
  const bool divided = !std::holds_alternative<DataParallel>(c.decomposition);
  return format(
      "cutlass3x_sm90_tensorop_gemm_{0}_{0}_f32_void_{1}_{2}_{3}x{4}x1_0_{5}{6}n_align{7}"
      "{8}_warpspecialized_{9}{10}_epi_tma",
      element, to_string(output_type(problem.kind)), to_string(t.cta), t.cluster.m, t.cluster.n,
      is_k_major_b(problem.kind.layout) ? 't' : 'n', is_k_major_a(problem.kind.layout) ? 'n' : 't',
      16 / bytes_of(problem.kind.dtype), divided ? "_stream_k" : "", to_string(c.schedule),
      eight_bits ? "_fp8_fastaccum" : "");
}

// --raster_order and --swizzle_size; empty, with an entry in `unsupported`, if CUTLASS has no such
// order.
std::string walk_arguments(const TileConfig& c, const Workload& workload, Export& out) {
  const auto walk = same_walk(Stack::Cutlass, workload, c);
  if (!walk) {
    out.unsupported.push_back(
        format("raster={}: no raster order and swizzle of CUTLASS visits this grid in that order; "
               "the profiler tries its own",
               to_string(c.raster)));
    return "";
  }
  const bool along_n = (walk->axis == tw::GroupAxis::M) == c.swap_ab;
  return format(" --raster_order={} --swizzle_size={}", along_n ? "along_n" : "along_m",
                walk->factors[0]);
}

void add_unsaid(const TileConfig& c, Export& out) {
  out.unsupported.push_back(
      format("stages={}: the generator's kernels use as many stages as fit", c.stages));
  if (c.evict_first.a || c.evict_first.b) {
    out.unsupported.push_back(format("evict_first={}", to_string(c.evict_first)));
  }
  out.unsupported.push_back(format("l2_promotion={}", c.l2_promotion_bytes));
  if (!std::holds_alternative<DataParallel>(c.decomposition)) {
    out.unsupported.push_back(
        format("decomposition={}: the stream-K scheduler decides which CTA computes which part and "
               "how parts are joined",
               to_string(c.decomposition)));
  }
}

const char* order_of(bool first_contiguous) {
  return first_contiguous ? "column" : "row";
}

}  // namespace

Export export_cutlass(const Dispatched& answer) {
  const TuneEntry& entry = answer.entry;
  const std::optional<MeasuredConfig> given = config_for(Stack::Cutlass, answer);
  if (!given) return empty_export(Stack::Cutlass, entry);
  const TileConfig& c = given->config;
  const Problem problem = problem_of(entry.problem, 0);
  const GemmShape& s = problem.shape;
  Export now;
  now.substitution = substitution_note(Stack::Cutlass, *given, answer);
  const std::string walk = walk_arguments(c, entry.problem, now);
  add_unsaid(c, now);
  const std::string name = kernel_name(c, problem);
  const std::string element = to_string(problem.kind.dtype);
  const auto* const split = std::get_if<SplitK>(&c.decomposition);
  now.text = commented(
      {format("{}: {}", to_string(problem), to_string(c)), role_text(now, answer),
       "D is row-major here and column-major in the generator's kernels: this is the transposed "
       "product, in which A and B, m and n, and the extents of tile and cluster change places.",
       "Configure CUTLASS 4 with -DCUTLASS_NVCC_ARCHS=90a "
       "-DCUTLASS_LIBRARY_INSTANTIATION_LEVEL=9993 and -DCUTLASS_LIBRARY_KERNELS= the name below."},
      "# ");
  now.text += commented(note_lines(answer, c == entry.choice), "# ");
  for (const std::string& line : now.unsupported)
    now.text += commented({"not expressible: " + line}, "# ");
  now.text += format(
      "cutlass_profiler --operation=Gemm --kernels={} --m={} --n={} --k={} --A={}:{} --B={}:{} "
      "--D={}:column --accumulator-type=f32 --alpha=1 --beta=0{}{}\n",
      name, s.n, s.m, s.k, element, order_of(!is_k_major_b(problem.kind.layout)), element,
      order_of(is_k_major_a(problem.kind.layout)), to_string(output_type(problem.kind)), walk,
      split == nullptr ? "" : format(" --split_k_slices={}", split->slices));
  return now;
}

}  // namespace tilewright
