// cutlass_profiler's arguments. Names follow python/cutlass_library of CUTLASS 4: the procedural
// name of a kernel, and which kernels there are for sm_90a at the fullest instantiation level.

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "store/exports.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// A config of the transposed product, D' = B' A', whose D' is column-major.
struct Transposed {
  TileShape cta;
  ClusterShape cluster;
};

// With A and B swapped our kernel computes it already.
Transposed transposed(const TileConfig& c) {
  if (c.swap_ab) return {c.cta, c.cluster};
  return {{c.cta.n, c.cta.m, c.cta.k}, {c.cluster.n, c.cluster.m}};
}

template <size_t N>
bool is_one_of(int value, const std::array<int, N>& known) {
  return std::find(known.begin(), known.end(), value) != known.end();
}

// Of 16-bit operands D has their type or f32 (GenerateSM90_TensorOp_16b_WGMMA_gemm), of 8-bit ones
// any, but those are read along k alone (GenerateSM90_TensorOp_fp8_WGMMA_gemm).
std::string no_types(const Problem& problem) {
  const DataType output = output_type(problem.kind);
  if (bytes_of(problem.kind.dtype) == 1) {
    return k_contiguous_a(problem.kind.layout) && k_contiguous_b(problem.kind.layout)
               ? ""
               : format("layout={}: kernels of {} operands have tn alone",
                        to_string(problem.kind.layout), to_string(problem.kind.dtype));
  }
  if (output == problem.kind.dtype || output == DataType::F32) return "";
  return format("out_dtype={}: kernels of {} operands write {} or f32", to_string(output),
                to_string(problem.kind.dtype), to_string(problem.kind.dtype));
}

// Why the generator has no such kernel; empty where it has.
std::string no_cutlass_kernel(const TileConfig& c, const Problem& problem) {
  if (!record_of(c.family).loads_by_tma) {
    return format("family={} is no kernel of CUTLASS 3", to_string(c.family));
  }
  if (std::string why = no_types(problem); !why.empty()) return why;
  const Transposed t = transposed(c);
  const bool cooperative = c.schedule == KernelSchedule::Cooperative;
  if (!is_one_of(t.cta.m, std::array{64, 128, 256}) || (cooperative && t.cta.m == 64)) {
    return format("cta={}: the transposed product's tile has {} rows, {} kernels have {}128 or 256",
                  to_string(c.cta), t.cta.m, to_string(c.schedule), cooperative ? "" : "64, ");
  }
  if (t.cta.n < 16 || t.cta.n % 8 != 0 || t.cta.n > 256) {
    return format("cta={}: the transposed product's tile has {} columns, not 16 to 256 by 8",
                  to_string(c.cta), t.cta.n);
  }
  const int depth = 128 / bytes_of(problem.kind.dtype);
  if (t.cta.k != depth) {
    return format("cta={}: of {} operands only kernels that are {} deep are known here",
                  to_string(c.cta), to_string(problem.kind.dtype), depth);
  }
  const int clusters = t.cluster.m * t.cluster.n;
  const bool square = t.cluster.m == t.cluster.n || t.cluster.m == 1 || t.cluster.n == 1;
  if (!is_one_of(clusters, std::array{1, 2, 4, 8}) || (!square && clusters != 8)) {
    return format("cluster={}", to_string(c.cluster));
  }
  if (!std::holds_alternative<DataParallel>(c.decomposition) && !cooperative) {
    return format("decomposition={} with schedule=pingpong: stream-K is cooperative there",
                  to_string(c.decomposition));
  }
  const int64_t vector = 16 / bytes_of(problem.kind.dtype);
  const int64_t a_row = k_contiguous_a(problem.kind.layout) ? problem.shape.k : problem.shape.m;
  const int64_t b_row = k_contiguous_b(problem.kind.layout) ? problem.shape.k : problem.shape.n;
  if (a_row % vector != 0 || b_row % vector != 0) {
    return format("rows of {} and {} elements: TMA wants multiples of {}, and nothing copies there",
                  a_row, b_row, vector);
  }
  const int64_t d_bytes = bytes_of(output_type(problem.kind));
  if (problem.shape.n * d_bytes % 16 != 0) {
    return format("rows of D of {} elements: its epilogue stores by TMA", problem.shape.n);
  }
  constexpr int64_t kMostEpilogueBytes = 131072;
  if (d_bytes * t.cta.m * t.cta.n > kMostEpilogueBytes) {
    return format("cta={}: its epilogue has no room for a tile of {}", to_string(c.cta),
                  to_string(output_type(problem.kind)));
  }
  return "";
}

std::string kernel_name(const TileConfig& c, const Problem& problem) {
  const Transposed t = transposed(c);
  const bool eight_bits = bytes_of(problem.kind.dtype) == 1;
  const std::string element = to_string(problem.kind.dtype);
  const bool divided = !std::holds_alternative<DataParallel>(c.decomposition);
  return format(
      "cutlass3x_sm90_tensorop_gemm_{0}_{0}_f32_void_{1}_{2}_{3}x{4}x1_0_{5}{6}n_align{7}"
      "{8}_warpspecialized_{9}{10}_epi_tma",
      element, to_string(output_type(problem.kind)), to_string(t.cta), t.cluster.m, t.cluster.n,
      k_contiguous_b(problem.kind.layout) ? 't' : 'n',
      k_contiguous_a(problem.kind.layout) ? 'n' : 't', 16 / bytes_of(problem.kind.dtype),
      divided ? "_stream_k" : "", to_string(c.schedule), eight_bits ? "_fp8_fastaccum" : "");
}

// --raster_order and --swizzle_size, or a complaint.
std::string walk_arguments(const TileConfig& c, const GemmShape& shape, Export& out) {
  // Of the kernel's own grid: @m is CUTLASS's along_n.
  const auto walk = same_walk(c, shape,
                              {"cutlass3:1", "cutlass3:1@n", "cutlass3:2", "cutlass3:2@n",
                               "cutlass3:4", "cutlass3:4@n", "cutlass3:8", "cutlass3:8@n"});
  if (!walk) {
    out.unsaid.push_back(
        format("raster={}: no raster order and swizzle of CUTLASS walks this grid "
               "so; the profiler tries its own",
               to_string(c.raster)));
    return "";
  }
  const bool along_n = (walk->axis == tw::GroupAxis::M) == c.swap_ab;
  return format(" --raster_order={} --swizzle_size={}", along_n ? "along_n" : "along_m",
                walk->factors[0]);
}

void add_unsaid(const TileConfig& c, Export& out) {
  out.unsaid.push_back(format("stages={}: the generator's kernels take as many as fit", c.stages));
  if (c.evict_first.a || c.evict_first.b) {
    out.unsaid.push_back(format("evict_first={}", to_string(c.evict_first)));
  }
  out.unsaid.push_back(format("l2_promotion={}", c.l2_promotion_bytes));
  if (!std::holds_alternative<DataParallel>(c.decomposition)) {
    out.unsaid.push_back(
        format("decomposition={}: who computes which part, and how parts are "
               "joined, is the stream-K scheduler's",
               to_string(c.decomposition)));
  }
}

const char* order_of(bool first_contiguous) {
  return first_contiguous ? "column" : "row";
}

}  // namespace

Export export_cutlass(const Dispatched& answer) {
  const TuneEntry& entry = answer.entry;
  Export out;
  if (const std::string why = no_plain_product(entry.problem); !why.empty()) {
    out.unsaid.push_back(format("{}: only one plain product is exported", why));
    return out;
  }
  const Problem problem = problem_of(entry.problem, 0);
  const GemmShape& s = problem.shape;
  for (const TileConfig& c : candidates_of(entry)) {
    if (const std::string why = no_cutlass_kernel(c, problem); !why.empty()) {
      out.unsaid.push_back(format("{}: {}", to_string(c), why));
      continue;
    }
    Export now;
    const std::string walk = walk_arguments(c, s, now);
    add_unsaid(c, now);
    const std::string name = kernel_name(c, problem);
    const std::string element = to_string(problem.kind.dtype);
    const auto* const split = std::get_if<SplitK>(&c.decomposition);
    now.text = commented(
        {format("{}: {}", to_string(problem), to_string(c)),
         format("{}: {}.",
                c == entry.choice ? "The choice"
                                  : "A tie of the choice, which CUTLASS has no kernel for",
                origin_text(answer)),
         "D is row-major here and column-major in the generator's kernels: this is the transposed "
         "product, in which A and B, m and n, and the extents of tile and cluster change places.",
         "Configure CUTLASS 4 with -DCUTLASS_NVCC_ARCHS=90a "
         "-DCUTLASS_LIBRARY_INSTANTIATION_LEVEL=9993 and -DCUTLASS_LIBRARY_KERNELS= the name "
         "below."},
        "# ");
    now.text += commented(lead_lines(answer), "# ");
    for (const std::string& line : now.unsaid) now.text += commented({"not said: " + line}, "# ");
    now.text += format(
        "cutlass_profiler --operation=Gemm --kernels={} --m={} --n={} --k={} --A={}:{} --B={}:{} "
        "--D={}:column --accumulator-type=f32 --alpha=1 --beta=0{}{}\n",
        name, s.n, s.m, s.k, element, order_of(!k_contiguous_b(problem.kind.layout)), element,
        order_of(k_contiguous_a(problem.kind.layout)), to_string(output_type(problem.kind)), walk,
        split == nullptr ? "" : format(" --split_k_slices={}", split->slices));
    return now;
  }
  return out;
}

}  // namespace tilewright
