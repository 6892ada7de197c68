// The sm_90a family: persistent, warp-specialised D = epilogue(A B).
//
//   warpgroup 0          loads: one thread, TMA into the pipeline's stages
//   warpgroups 1..       multiply: wgmma, each its own rows of the CTA tile, then store
//
// Clusters walk the raster: slot, slot + clusters, ... ; both roles take their tiles from tile_map.
// Compiled by NVRTC, specialised on kParams.

#include "config.cuh"  // written by the host: inline constexpr tw::Sm90Params kParams
#include "ptx/special_registers.cuh"
#include "sm90/args.cuh"
#include "sm90/cluster_reduction.cuh"
#include "sm90/epilogue.cuh"
#include "sm90/group_units.cuh"
#include "sm90/peers.cuh"
#include "sm90/promotion.cuh"
#include "sm90/reduction.cuh"
#include "sm90/units.cuh"

namespace tw {

/// Named barriers: 1 to 3 are for the stores of each warpgroup, these two hand over in ping-pong.
inline constexpr int kPingPongBarrier = 4;

__device__ inline unsigned long long trace_time(bool traced) {
  return traced ? ptx::global_time_ns() : 0;
}

template <Sm90Params P>
__device__ void record(const GemmArgs& args, const Placement& place, const CtaUnits<P>& units,
                       int unit_index, unsigned long long start_ns) {
  const int at = unit_index * place.cluster_count + place.cluster;
  TraceRecord& r = args.trace[at * P.launch_cluster_size() + static_cast<int>(place.rank)];
  const TileCoord tile = units.tile();
  r.cta = static_cast<int>(blockIdx.x);
  r.sm = static_cast<int>(ptx::multiprocessor());
  r.slot = units.unit().slot;
  r.m = tile.m;
  r.n = tile.n;
  const GemmArgs& own = units.output();
  const long long rows = P.sends_parts() ? own.m * args.blocks.gpus : own.m;
  r.inside = tile.m * static_cast<long long>(P.cta_m) < rows &&
             tile.n * static_cast<long long>(P.cta_n) < own.n &&
             coverage_of<P>(tile.m * P.cta_m, tile.n * P.cta_n, P.cta_m, P.cta_n) != Coverage::None;
  r.problem = units.problem_number();
  r.k_begin = units.unit().k.begin;
  r.k_end = units.unit().k.end;
  r.start_ns = start_ns;
  r.end_ns = ptx::global_time_ns();
}

/// The loading thread's progress; it starts before the CTA's threads have synchronised.
template <Sm90Params P>
struct Loader {
  PipelineState<P> state;
  int loaded = 0;  // k-blocks of the CTA's first unit
};

/// Initialises the barriers that no thread needs before the CTA's threads have synchronised.
template <Sm90Params P>
__device__ void init_late_barriers(const SharedLayout<P>& shared) {
  init_empty_barriers(shared);
  if constexpr (P.grouping == Grouping::Counter) init_work_queue<P>(shared.work_queue());
  if constexpr (P.cluster_k > 1) init_exchange<P>({shared});
  ptx::fence_mbarrier_init();
}

/// Initialises the full barriers and fills the pipeline with the first unit's k-blocks, without
/// waiting for other threads or CTAs. The first load starts once it has its barrier: until its
/// data arrive, the CTA has nothing to do. In a cluster each CTA loads alone here, although
/// together they would load less: the cluster synchronises later than these loads are issued.
template <Sm90Params P>
__device__ void preload(const SharedLayout<P>& shared, const ptx::TensorMap* a,
                        const ptx::TensorMap* b, const Trailing<P>& trailing, const GemmArgs& args,
                        const FirstUnits& units, Loader<P>& loader) {
  bool known = blockIdx.x < kFirstUnits;
  FirstUnit first = units.of_cta[known ? blockIdx.x : 0];
  if constexpr (P.gathers()) {
    known = known && are_own_rows<P>(args, first.tile);
    first.tile = own_tile<P>(args, first.tile);
  }
  const int begin = first.k.begin;
  const int size = first.k.size() < P.stages_alone() ? first.k.size() : P.stages_alone();
  const ScalePlace place{first.tile.m * P.cta_m, first.tile.n * P.cta_n, args.m, args.n};
  init_full_barriers(shared, 0, 1);
  ptx::griddepcontrol_wait();
  if (known && size > 0) {
    load_scaled_tile<P, Loading::Alone>(shared, a, b, {}, first.tile, begin, begin + 1, 0,
                                        loader.state, tile_scales<P>(trailing, place, begin));
  }
  init_full_barriers(shared, 1, P.stages);
  if (!known) return;
  load_scaled_tile<P, Loading::Alone>(shared, a, b, {}, first.tile, begin + 1, begin + size, 0,
                                      loader.state, tile_scales<P>(trailing, place, begin + 1));
  loader.loaded = size;
}

/// The loading thread's tensor maps; with tensor maps per problem it switches them at each problem.
template <Sm90Params P>
struct LoadMaps {
  const ptx::TensorMap* a;
  const ptx::TensorMap* b;
  const PhaseMaps<P.triangular()>* phases;
  int problem = -1;

  __device__ void enter(const GroupArgs& group, int of_unit) {
    if (problem == of_unit) return;
    problem = of_unit;
    a = maps_per_problem<P>(group, problem);
    b = a + 1;
    if constexpr (P.triangular()) {
      phases = reinterpret_cast<const PhaseMaps<true>*>(a + 4);
      for (int phase = 0; phase < P.phases(); ++phase) {
        ptx::acquire_tensor_map(&phases->left[phase]);
        ptx::acquire_tensor_map(&phases->right[phase]);
      }
    } else {
      ptx::acquire_tensor_map(a);
      ptx::acquire_tensor_map(b);
    }
  }
};

/// The same for a storing warpgroup; `thread` 0 hands its pieces to TMA.
template <Sm90Params P>
struct StoreMaps {
  OutputMaps first;
  OutputMaps second;  // of D's second plane
  int problem = -1;

  __device__ void enter(const GroupArgs& group, int of_unit, int thread) {
    if (P.direct_store || problem == of_unit) return;
    problem = of_unit;
    const ptx::TensorMap* const maps = maps_per_problem<P>(group, problem);
    first = {maps + 2, maps + 3};
    if constexpr (P.planes() > 1) {
      const auto* const phases = reinterpret_cast<const PhaseMaps<true>*>(maps + 4);
      second = {&phases->d, &phases->d_tail};
    }
    if (thread != 0) return;
    acquire(first);
    if constexpr (P.planes() > 1) acquire(second);
  }

 private:
  __device__ static void acquire(const OutputMaps& maps) {
    ptx::acquire_tensor_map(maps.piece);
    if constexpr (P.tail_columns() > 0) ptx::acquire_tensor_map(maps.tail);
  }
};

/// K-steps of each phase of a unit.
template <Sm90Params P>
__device__ int phase_steps(const GemmArgs& args, const WorkUnit<int>& unit) {
  return P.per_problem_shapes ? unit.k.size() / P.tile_phases() : args.phase_steps;
}

/// The loading warpgroup's loop. One thread loads; where units are searched for, its whole warp
/// takes part in the search.
template <Sm90Params P>
__device__ void produce(const SharedLayout<P>& shared, const ptx::TensorMap* a,
                        const ptx::TensorMap* b, const Trailing<P>& trailing, const GemmArgs& args,
                        const FirstUnits& first, const GroupArgs& group, Loader<P>& loader) {
  const Placement place = placement<P>();
  int loaded = loader.loaded;
  StageLease<P> lease;
  LoadMaps<P> maps{a, b, &trailing};
  unsigned launch = 0;
  if constexpr (P.gathers()) launch = launch_number(trailing.peers);
  const SchedulerParams<P> params(args, group, first, shared.work_queue());
  for (CtaUnits<P, P.grouped(), true> units(args, params, place); units.next();) {
    if (!units.is_inside() || (P.grouped() && !kAllLanesLoad<P> && threadIdx.x != 0)) continue;
    const Span<int> k = units.unit().k;
    if constexpr (P.cluster_k > 1) lease.wait(shared);
    if constexpr (P.per_problem_shapes) maps.enter(group, units.unit().problem);
    if constexpr (P.triangular()) {
      load_phases<P>(shared, *maps.phases, units.tile(), loaded, phase_steps<P>(args, units.unit()),
                     place.rank, loader.state);
    } else if constexpr (P.gathers()) {
      const RowsOfA rows = rows_of_a<P>(trailing, maps.a, args, units.tile(), launch);
      const int parts = rows.block < 0 ? 1 : args.blocks.k_chunks;
      for (int part = 0; part < parts; ++part) {
        const Span<int> own = even_share(k.size(), parts, part);
        if (rows.block >= 0) await_rows(trailing.peers, args.blocks, rows.block, part, launch);
        load_scaled_tile<P, Loading::Together>(shared, rows.map, maps.b, {}, rows.tile,
                                               own.begin + loaded, own.end, place.rank,
                                               loader.state, {});
        loaded = 0;
      }
    } else {
      load_scaled_tile<P, Loading::Together>(
          shared, maps.a, maps.b, units.lines_before(), units.tile(), k.begin + loaded, k.end,
          place.rank, loader.state,
          tile_scales<P>(trailing, scale_place<P>(units, 0), k.begin + loaded));
    }
    loaded = 0;
  }
  // All loads are issued: the next kernel's CTAs may start, each in the place of one of these.
  if constexpr (!P.has_second_kernel()) ptx::griddepcontrol_launch_dependents();
  // A CTA that exits early could not receive its peers' arrivals.
  if (P.grouped() && (kAllLanesLoad<P> ? !ptx::is_elected() : threadIdx.x != 0)) return;
  if constexpr (P.cluster_size() > 1) drain(shared, loader.state);
}

/// The epilogue's arguments for one plane of D.
template <Sm90Params P>
__device__ GemmArgs plane_of(const GemmArgs& args, int plane) {
  GemmArgs own = args;
  const long long before = plane * args.ldd * args.m;
  constexpr int kBytes = bytes_of(P.output);
  own.d = static_cast<char*>(args.d) + before * kBytes;
  own.epilogue.c = args.epilogue.c + plane * args.epilogue.ldc * args.m;
  own.plane = plane;
  return own;
}

/// Sums the phases of one plane.
template <Sm90Params P, int Plane, class Issued>
__device__ void multiply_plane(const SharedLayout<P>& shared, int rows_before, unsigned rank,
                               int thread, int steps, PipelineState<P>& state,
                               Accumulators<P>& sums, const Issued& issued) {
  constexpr int kAdded = added_phases(P.op, Plane);
  constexpr int kSubtracted = P.phases() - kAdded;
  if constexpr (kSubtracted == 0) {
    multiply_tile<P>(shared, rows_before, rank, thread, kAdded * steps, state, sums, issued);
  } else {
    multiply_tile<P, 1, 0>(shared, rows_before, rank, thread, kAdded * steps, state, sums, [] {});
    multiply_tile<P, -1>(shared, rows_before, rank, thread, kSubtracted * steps, state, sums,
                         issued, false);
  }
}

/// Multiplies and stores both planes of a unit, one after the other.
template <Sm90Params P, class Issued>
__device__ void compute_planes(const SharedLayout<P>& shared, const StoreMaps<P>& maps,
                               const GemmArgs& args, TileCoord tile, int steps,
                               StoreState<P> stores, PipelineState<P>& state, Accumulators<P>& sums,
                               const Issued& issued) {
  const int row = tile.m * P.cta_m + stores.first_row;
  const int column = tile.n * P.cta_n;
  multiply_plane<P, 0>(shared, stores.first_row, stores.rank, stores.thread, steps, state, sums,
                       [] {});
  stores.after = state;
  store_tile<P>(shared, maps.first, plane_of<P>(args, 0), row, column, stores, sums);
  multiply_plane<P, 1>(shared, stores.first_row, stores.rank, stores.thread, steps, state, sums,
                       issued);
  stores.after = state;
  store_tile<P>(shared, maps.second, plane_of<P>(args, 1), row, column, stores, sums);
}

/// Multiplies and stores one unit, or the warpgroup's rows of it; `launch` is the launch's number
/// across GPUs. In ping-pong the main loops of
/// the two warpgroups alternate, so that one's epilogue overlaps with the other's main loop.
template <Sm90Params P>
__device__ void compute_unit(const SharedLayout<P>& shared, const StoreMaps<P>& maps,
                             const GemmArgs& args, const Trailing<P>& trailing,
                             const Placement& place, const CtaUnits<P>& units, unsigned launch,
                             int warpgroup, int thread, unsigned parity, PipelineState<P>& state) {
  const int rows_before = P.ping_pong() ? 0 : warpgroup * P.warpgroup_rows();
  const TileCoord tile = units.tile();
  if constexpr (P.stages_c_early()) {
    copy_first_c<P>(shared, units.output(), tile.m * P.cta_m + rows_before, tile.n * P.cta_n,
                    {warpgroup, thread, place.rank, rows_before, state});
  }
  if constexpr (P.epilogue.scaled && P.planes() == 1 && !P.stages_all_c_early()) {
    prefetch_c<P>(units.output(), tile.m * P.cta_m + rows_before, tile.n * P.cta_n, thread);
  }
  Accumulators<P> sums;
  if constexpr (P.ping_pong()) ptx::ordered_barrier_wait(kPingPongBarrier + warpgroup);
  const auto issued = [&] {
    if constexpr (P.ping_pong()) ptx::ordered_barrier_arrive(kPingPongBarrier + 1 - warpgroup);
  };
  if constexpr (P.planes() > 1) {
    return compute_planes<P>(shared, maps, units.output(), tile, phase_steps<P>(args, units.unit()),
                             {warpgroup, thread, place.rank, rows_before, state}, state, sums,
                             issued);
  }
  multiply_unit<P>(shared, trailing, units, rows_before, place.rank, thread, state, sums, issued);
  if constexpr (P.cluster_k > 1) {
    fixup_cluster<P>(shared, maps.first, args, tile, place.rank, warpgroup, thread, parity, sums);
  } else {
    int row = tile.m * P.cta_m + rows_before;
    if constexpr (P.sends_parts()) {
      const PeerTile<P> part{trailing.peers, args.blocks, grid_of_tiles<P>(args), tile, launch,
                             warpgroup,      thread};
      if (!join_peers(part, sums)) return;
      row -= args.blocks.rank * args.m;
    }
    const int column = tile.n * P.cta_n;
    StoreState<P> stores{warpgroup, thread, place.rank, rows_before, state};
    stores.early_c = P.stages_c_early();
    if constexpr (P.packed_rows()) stores.row_before = units.rows().begin;
    if constexpr (P.division != Division::None) {
      const WorkUnit<int>& unit = units.unit();
      if (unit.parts > 1) {
        const Fixup<P> fixup{
            shared,    partial_place<P>(args, unit, units.divided_slot(), place, warpgroup),
            unit.part, unit.parts,
            warpgroup, thread};
        if constexpr (P.adds_in_place()) {
          return fixup_in_place<P>(fixup, maps.first, args, row, column, stores, sums);
        } else {
          if (!fixup_parts(fixup, args, row, column, sums)) return;
        }
      }
    }
    store_tile<P>(shared, maps.first, units.output(), row, column, stores, sums);
  }
}

template <Sm90Params P>
__device__ void consume(const SharedLayout<P>& shared, StoreMaps<P> maps, const GemmArgs& args,
                        const Trailing<P>& trailing, const FirstUnits& first,
                        const GroupArgs& group, int warpgroup) {
  const Placement place = placement<P>();
  const int thread = static_cast<int>(threadIdx.x) % Sm90Params::kWarpgroupThreads;
  PipelineState<P> state;
  int next = 0;         // the warpgroup that takes the next unit, in ping-pong
  int taken = 0;        // units, for the trace
  unsigned launch = 0;  // its number, across GPUs
  if constexpr (P.sends_parts()) launch = launch_number(trailing.peers);
  unsigned parity = 0;  // of the exchange barriers of a cluster along k
  if (P.ping_pong() && warpgroup == 1)
    ptx::ordered_barrier_arrive(kPingPongBarrier);  // warpgroup 0 begins
  const SchedulerParams<P> params(args, group, first, shared.work_queue());
  for (CtaUnits<P> units(args, params, place); units.next();) {
    const bool traced = P.trace && thread == 0 && warpgroup == next;
    const unsigned long long start_ns = trace_time(traced);
    if (units.is_inside()) {
      if (!P.ping_pong() || warpgroup == next) {
        if constexpr (P.per_problem_shapes) maps.enter(group, units.unit().problem, thread);
        compute_unit<P>(shared, maps, args, trailing, place, units, launch, warpgroup, thread,
                        parity, state);
      } else {
        state.skip(units.unit().k.size());
      }
      if (P.ping_pong()) next ^= 1;
      parity ^= 1;
    }
    if (traced) record<P>(args, place, units, taken, start_ns);
    if (P.trace) ++taken;
  }
  // Launched earlier, dependent CTAs that find room would compete with CTAs that still multiply.
  if constexpr (P.has_second_kernel()) {
    const bool took_last = !P.ping_pong() || warpgroup != next;
    if (took_last) ptx::griddepcontrol_launch_dependents();
  }
  // The end of the launch completes the stores; until TMA has read it, shared memory must live.
  if (thread == 0) ptx::tma_store_wait_read<0>();
}

template <Sm90Params P>
__device__ void gemm(const ptx::TensorMap* a, const ptx::TensorMap* b, const OutputMaps& maps,
                     const Trailing<P>& trailing, const GemmArgs& args, const FirstUnits& first,
                     const GroupArgs& group) {
  extern __shared__ char dynamic_shared[];
  const unsigned raw = static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared));
  constexpr unsigned kMask = Sm90Params::kSmemAlignment - 1;
  const SharedLayout<P> shared{(raw + kMask) & ~kMask};
  Loader<P> loader;
  const unsigned warp = ptx::from_lane(threadIdx.x / 32, 0);
  // An elected lane issues the copies: in code for the lane with index 0, ptxas repeats each copy
  // for every lane of the warp.
  if (warp == 0 && ptx::is_elected()) {
    if constexpr (P.grouped()) {
      ptx::prefetch_tensor_map(a);
      ptx::prefetch_tensor_map(b);
      init_full_barriers(shared, 0, P.stages);
      init_late_barriers(shared);
      ptx::griddepcontrol_wait();
    } else {
      preload<P>(shared, a, b, trailing, args, first, loader);
    }
    // After the loads: arriving took 0.4 us, and the others have nothing to do before the first.
    if constexpr (P.launch_cluster_size() > 1) ptx::cluster_arrive();
  } else {
    if (!P.grouped() && warp == 1 && ptx::is_elected()) init_late_barriers(shared);
    ptx::griddepcontrol_wait();
    if constexpr (P.grouped()) {
      if (warp == 1) prefetch_offsets<P>(group);
    }
    if constexpr (!P.direct_store) {
      if (threadIdx.x == Sm90Params::kWarpgroupThreads) ptx::prefetch_tensor_map(maps.piece);
    }
    if constexpr (P.launch_cluster_size() > 1) ptx::cluster_arrive();
  }
  if constexpr (P.launch_cluster_size() > 1) {
    ptx::cluster_wait();
  } else {
    __syncthreads();
  }
  const int warpgroup = static_cast<int>(threadIdx.x) / Sm90Params::kWarpgroupThreads;
  if (warpgroup == 0) {
    if constexpr (P.producer_registers() > 0) ptx::warpgroup_reg_dealloc<P.producer_registers()>();
    const bool loads = warp == 0 && (P.grouped() || ptx::is_elected());
    if (loads) produce<P>(shared, a, b, trailing, args, first, group, loader);
  } else {
    if constexpr (P.producer_registers() > 0) ptx::warpgroup_reg_alloc<P.consumer_registers()>();
    StoreMaps<P> stores{maps, maps};
    if constexpr (P.planes() > 1) stores.second = {&trailing.d, &trailing.d_tail};
    consume<P>(shared, stores, args, trailing, first, group, warpgroup - 1);
  }
  // No CTA exits before it has received its peers' deliveries: partial sums, or units that a
  // counter handed out. The checkers recognise that only by this barrier.
  constexpr bool kPublishesUnits = P.grouping == Grouping::Counter && P.launch_cluster_size() > 1;
  if constexpr (P.cluster_k > 1 || kPublishesUnits) {
    ptx::cluster_arrive();
    ptx::cluster_wait();
  }
  if constexpr (P.across_gpus()) {
    __syncthreads();
    if (threadIdx.x == 0) end_launch(trailing.peers, launch_number(trailing.peers));
  }
}

}  // namespace tw

extern "C" __global__ void __launch_bounds__(kParams.threads(), 1) gemm_sm90(
    const __grid_constant__ tw::ptx::TensorMap a, const __grid_constant__ tw::ptx::TensorMap b,
    const __grid_constant__ tw::ptx::TensorMap d, const __grid_constant__ tw::ptx::TensorMap d_tail,
    const __grid_constant__ tw::GemmArgs args, const __grid_constant__ tw::FirstUnits first,
    const __grid_constant__ tw::GroupArgs group,
    const __grid_constant__ tw::Trailing<kParams> trailing) {
  tw::gemm<kParams>(&a, &b, {&d, &d_tail}, trailing, args, first, group);
}
