// Runs before a launch of a group with sizes in device memory: a warp counts a problem's
// tiles and edits its tensor maps.
// Compiled by NVRTC, specialised on the kParams of the launch that follows.

#include "config.cuh"  // written by the host: inline constexpr tw::Sm90Params kParams
#include "map/triangle.cuh"
#include "ptx/tensor_map.cuh"
#include "sm90/args.cuh"
#include "sm90/group_units.cuh"
#include "sm90/triangle_tile.cuh"

namespace tw {

/// The launch's tensor maps, encoded by the host for matrices of the right kind.
struct SampleMaps {
  ptx::TensorMap maps[kParams.maps_per_problem()];
};

template <Sm90Params P>
__device__ int output_columns(const ProblemEntry& e) {
  return e.n / P.epilogue.sum_columns_per_output();
}

/// A warp's edits of one problem's tensor maps: `maps` is their destination, `staged` the warp's
/// buffer in shared memory.
template <Sm90Params P>
struct MapEdit {
  const PrepareGroupArgs& args;
  const ptx::TensorMap* samples;
  ptx::TensorMap* maps;
  unsigned staged;

  /// Writes map `at` for a matrix of `rows` rows of `columns` elements at `data`.
  __device__ void write(int at, const void* data, int rows, int columns, int bytes) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const auto* const words = reinterpret_cast<const unsigned*>(samples + at);
    ptx::store_shared<4>(staged + lane * 4, 1, words[lane]);
    __syncwarp();
    if (lane == 0) {
      ptx::replace_address(staged, data);
      ptx::replace_extents(staged, columns, rows);
      ptx::replace_stride(staged, static_cast<long long>(columns) * bytes);
    }
    __syncwarp();
    ptx::publish_tensor_map(maps + at, staged);
    __syncwarp();
  }

  /// Writes map `at` for an operand; its lines are rows of A or columns of B.
  __device__ void operand(int at, const void* data, int lines, int k, bool mn_major) const {
    constexpr int kBytes = bytes_of(P.element);
    if (mn_major) {
      write(at, data, k, lines, kBytes);
    } else {
      write(at, data, lines, k, kBytes);
    }
  }

  __device__ void output(int at, const void* d, const ProblemEntry& e) const {
    const int columns = output_columns<P>(e);
    write(at, d, e.m, columns, Sm90Params::kStoredBytes);
    if constexpr (P.share_params().tail_columns() > 0) {
      write(at + 1, d, e.m, columns, Sm90Params::kStoredBytes);
    }
  }
};

/// Plane `plane` of an operand with `elements` elements per plane.
template <Sm90Params P>
__device__ const void* operand_plane(const void* data, int plane, long long elements) {
  return static_cast<const char*>(data) + plane * elements * bytes_of(P.element);
}

template <Sm90Params P>
__device__ void edit_maps(const MapEdit<P>& edit, const ProblemEntry& e) {
  if (e.k > 0) {
    if constexpr (P.triangular()) {
      for (int phase = 0; phase < P.phases(); ++phase) {
        const PhaseFactors factors = phase_factors(P.op, 0, phase);
        const auto matrix = [&](int number) {
          return operand_plane<P>(number % 2 == 0 ? e.a : e.b, number / 2,
                                  static_cast<long long>(e.n) * e.k);
        };
        edit.operand(4 + factors.left, matrix(factors.left), e.n, e.k, P.a_mn_major);
        edit.operand(4 + kMaxPhases + phase, matrix(factors.right), e.n, e.k, P.b_mn_major);
      }
    } else {
      const void* const first = P.swap_ab ? e.b : e.a;
      const void* const second = P.swap_ab ? e.a : e.b;
      edit.operand(0, first, P.swap_ab ? e.n : e.m, e.k, P.a_mn_major);
      edit.operand(1, second, P.swap_ab ? e.m : e.n, e.k, P.b_mn_major);
    }
  }
  if constexpr (!P.direct_store) {
    edit.output(2, e.d, e);
    if constexpr (P.planes() > 1) {
      const long long plane = static_cast<long long>(e.m) * e.n * Sm90Params::kStoredBytes;
      edit.output(4 + 2 * kMaxPhases, static_cast<const char*>(e.d) + plane, e);
    }
  }
}

/// The problem as the caller's arrays describe it.
template <Sm90Params P>
__device__ ProblemEntry entry_of(const PrepareGroupArgs& args, int number) {
  if (args.k_offsets == nullptr) return args.entries[number];
  ProblemEntry e = args.all;
  const auto* const k_offsets = static_cast<const OffsetOf<P>*>(args.k_offsets);
  const auto before = static_cast<long long>(k_offsets[number]);
  e.k = static_cast<int>(k_offsets[number + 1] - before);
  e.a = static_cast<const char*>(e.a) + before * e.m * bytes_of(P.element);
  e.b = static_cast<const char*>(e.b) + before * e.n * bytes_of(P.element);
  const long long elements = static_cast<long long>(number) * e.m * e.n;
  constexpr int kBytes = bytes_of(P.output);
  e.d = static_cast<char*>(e.d) + elements / P.epilogue.sum_columns_per_output() * kBytes;
  e.c += elements;
  return e;
}

template <Sm90Params P>
__device__ GroupedProblem describe_problem(const PrepareGroupArgs& args, const ProblemEntry& e,
                                           int number) {
  const auto tiles = [](int extent, int per_tile) { return (extent + per_tile - 1) / per_tile; };
  GroupedProblem p{.number = number,
                   .m = P.swap_ab ? e.n : e.m,
                   .n = P.swap_ab ? e.m : e.n,
                   .k_steps = tiles(e.k, P.cta_k) * P.tile_phases(),
                   .ldd = output_columns<P>(e),
                   .d = e.d,
                   .c = e.c};
  p.clusters = {tiles(tiles(p.m, P.cta_m), P.cluster_m), tiles(tiles(p.n, P.cta_n), P.cluster_n)};
  if (p.m == 0 || p.n == 0) return p;
  if constexpr (P.triangular() && !P.whole_square) {
    p.slots = triangle_slots<int>(triangle_of<P>(args.raster, p.clusters));
  } else {
    p.slots = family_slot_count<P.rasters, int>(args.raster, p.clusters);
  }
  return p;
}

template <Sm90Params P>
__device__ void prepare_problem(const PrepareGroupArgs& args, const ptx::TensorMap* samples,
                                int place, unsigned staged) {
  const int number = args.order == nullptr ? place : args.order[place];
  const ProblemEntry e = entry_of<P>(args, number);
  if (threadIdx.x % 32 == 0) args.list[place] = describe_problem<P>(args, e, number);
  if (e.m == 0 || e.n == 0) return;
  auto* const maps = static_cast<ptx::TensorMap*>(args.maps) + place * P.maps_per_problem();
  edit_maps<P>({args, samples, maps, staged}, e);
}

/// Each warp prepares one problem, and more where the launch keeps to few multiprocessors.
template <Sm90Params P>
__device__ void prepare_problems(const PrepareGroupArgs& args, const ptx::TensorMap* samples) {
  constexpr int kWarps = PrepareGroupArgs::kThreads / 32;
  __shared__ alignas(128) char staged[kWarps][sizeof(ptx::TensorMap)];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int step = static_cast<int>(gridDim.x) * kWarps;
  for (int place = static_cast<int>(blockIdx.x) * kWarps + warp; place < args.problems;
       place += step) {
    prepare_problem<P>(args, samples, place,
                       static_cast<unsigned>(__cvta_generic_to_shared(staged[warp])));
  }
}

}  // namespace tw

extern "C" __global__ void __launch_bounds__(tw::PrepareGroupArgs::kThreads)
    prepare_group(const __grid_constant__ tw::PrepareGroupArgs args,
                  const __grid_constant__ tw::SampleMaps samples) {
  tw::prepare_problems<kParams>(args, samples.maps);
}
