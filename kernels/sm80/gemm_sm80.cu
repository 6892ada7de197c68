// The sm_80 family: D = epilogue(A B) for any layout, size and alignment.
//
//   global --cp.async--> ring of stages --ldmatrix--> registers --mma.sync--> sums --> D
//
// A CTA computes one slot of the raster, or one slice of the slot's k-blocks. Compiled by NVRTC,
// specialised on kParams.

#include "config.cuh"  // written by the host: inline constexpr tw::Sm80Params kParams
#include "map/tile_map.cuh"
#include "map/work_split.cuh"
#include "ptx/global_memory.cuh"
#include "ptx/special_registers.cuh"
#include "sm80/epilogue.cuh"

namespace tw {

template <Sm80Params P>
__device__ void gemm(const Sm80Args& args) {
  extern __shared__ __align__(128) char dynamic_shared[];
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared));
  const int slot = static_cast<int>(blockIdx.x) / args.slices;
  const int slice = static_cast<int>(blockIdx.x) % args.slices;
  const TileCoord tile = family_tile_at<P.rasters>(args.raster, args.tiles, slot);
  const bool traced = P.trace && threadIdx.x == 0;
  TraceRecord record{.cta = static_cast<int>(blockIdx.x), .slot = slot, .m = tile.m, .n = tile.n};
  ptx::griddepcontrol_wait();
  ptx::griddepcontrol_launch_dependents();
  if (traced) record.start_ns = ptx::global_time_ns();
  if (is_inside(args.tiles, tile)) {
    record.inside = 1;
    const int warp = static_cast<int>(threadIdx.x) / Sm80Params::kWarpThreads;
    const int lane = static_cast<int>(threadIdx.x) % Sm80Params::kWarpThreads;
    const int row = warp / P.warps_n * P.warp_m();  // in the tile
    const int column = warp % P.warps_n * P.warp_n();
    const FragmentReader<P> reader(lane, row, column);
    const Span<int> blocks = even_share((args.k + P.cta_k - 1) / P.cta_k, args.slices, slice);
    const int first_row = tile.m * P.cta_m;
    const int first_column = tile.n * P.cta_n;
    WarpSums<P> sums = {};
    record.k_begin = blocks.begin;
    record.k_end = blocks.end;
    multiply_tile<P>(shared, {args.a, args.m, args.k, args.lda, first_row},
                     {args.b, args.n, args.k, args.ldb, first_column}, reader, blocks.begin,
                     blocks.end, sums);
    if constexpr (P.split == SplitKMode::Workspace) {
      store_slice<P>(args, slice, first_row + row, first_column + column, sums);
    } else if constexpr (P.split == SplitKMode::Serial) {
      if (pass_turnstile<P>(args, slot, slice, sums)) {
        store_output<P>(args, first_row + row, first_column + column, sums);
      }
    } else {
      store_output<P>(args, first_row + row, first_column + column, sums);
    }
  }
  if (traced) {
    record.sm = static_cast<int>(ptx::multiprocessor());
    record.end_ns = ptx::global_time_ns();
    args.trace[blockIdx.x] = record;
  }
}

}  // namespace tw

extern "C" __global__ void __launch_bounds__(kParams.threads(), 1)
    gemm_sm80(const __grid_constant__ tw::Sm80Args args) {
  tw::gemm<kParams>(args);
}
