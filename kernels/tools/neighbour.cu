// Keeps some multiprocessors and the memory busy beside a product, as a copy does, or an all-reduce
// with the data of its own GPU. Compiled by NVRTC.

#include "ptx/global_memory.cuh"
#include "ptx/special_registers.cuh"
#include "tools/neighbour_args.cuh"

namespace {

using tw::NeighbourArgs;

/// What the warps of a CTA share.
struct CtaState {
  unsigned chunks;
  int ends;
};

__device__ inline uint4 sum(uint4 a, uint4 b) {
  const auto add = [](unsigned x, unsigned y) {
    return __float_as_uint(__uint_as_float(x) + __uint_as_float(y));
  };
  return {add(a.x, b.x), add(a.y, b.y), add(a.z, b.z), add(a.w, b.w)};
}

/// Moves chunk after chunk until the CTA is to end; all warps of the grid together walk through the
/// buffers.
template <bool Adds>
__device__ inline void move_chunks(const NeighbourArgs& args, volatile CtaState* state) {
  constexpr int kEach = NeighbourArgs::kVectorsPerLane;
  constexpr int kWarps = NeighbourArgs::kThreads / 32 - 1;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int step = static_cast<int>(gridDim.x) * kWarps % args.chunks;
  const int warp = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / 32 - 1;
  int chunk = warp % args.chunks;
  while (state->ends == 0) {
    const long long at = static_cast<long long>(chunk) * NeighbourArgs::kChunkVectors + lane;
    uint4 v[kEach];
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      v[i] = tw::ptx::load_l2(static_cast<const uint4*>(args.first) + at + i * 32);
    }
    if constexpr (Adds) {
      uint4 w[kEach];
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        w[i] = tw::ptx::load_l2(static_cast<const uint4*>(args.second) + at + i * 32);
      }
#pragma unroll
      for (int i = 0; i < kEach; ++i) v[i] = sum(v[i], w[i]);
    }
#pragma unroll
    for (int i = 0; i < kEach; ++i) (static_cast<uint4*>(args.to) + at)[i * 32] = v[i];
    if (lane == 0) atomicAdd(const_cast<unsigned*>(&state->chunks), 1u);
    chunk += step;
    if (chunk >= args.chunks) chunk -= args.chunks;
  }
}

/// True once the host ends the launch. One CTA alone reads the host's memory, for all: beside 16 to
/// 68 CTAs that each did, a product took time in proportion to their number, and the rate of the
/// copy did not rise with it (H200).
__device__ inline bool is_ended(const NeighbourArgs& args) {
  if (blockIdx.x != 0) return tw::ptx::load_relaxed(args.ended) >= args.turn;
  if (*args.stop < args.turn) return false;
  tw::ptx::store_relaxed(args.ended, args.turn);
  return true;
}

/// Reports the CTA and what it has moved, until the host or the time ends the launch.
__device__ inline void watch(const NeighbourArgs& args, volatile CtaState* state) {
  constexpr unsigned kLookNs = 20000;  // rare looks leave the host's bus to launches
  const unsigned long long start = tw::ptx::global_time_ns();
  const auto report = [&](unsigned long long now) {
    // In one store, so that no reader sees the time of one report with the count of another.
    const auto bits = [](unsigned word) { return __uint_as_float(word); };
    tw::ptx::store_relaxed(
        reinterpret_cast<float*>(args.progress + blockIdx.x),
        {bits(static_cast<unsigned>(now)), bits(static_cast<unsigned>(now >> 32)),
         bits(state->chunks), bits(tw::ptx::multiprocessor())});
  };
  report(start);
  if (tw::ptx::fetch_add(args.arrived, 1) + 1 == args.turn * gridDim.x) {
    tw::ptx::store_release_system(args.resident, args.turn);
  }
  unsigned long long now = start;
  while (!is_ended(args) && now - start < args.most_ns) {
    tw::ptx::sleep_ns(kLookNs);
    now = tw::ptx::global_time_ns();
    report(now);
  }
  if (now - start >= args.most_ns) tw::ptx::store_release_system(args.expired, args.turn);
  state->ends = 1;
}

}  // namespace

/// Launched with all the shared memory that a CTA may have: nothing else then fits on its
/// multiprocessor.
extern "C" __global__ void __launch_bounds__(tw::NeighbourArgs::kThreads, 1)
    neighbour(const __grid_constant__ tw::NeighbourArgs args) {
  extern __shared__ __align__(16) char shared[];
  auto* const state = reinterpret_cast<CtaState*>(shared);
  if (threadIdx.x == 0) *state = {0, 0};
  __syncthreads();
  if (threadIdx.x == 0) watch(args, state);
  if (threadIdx.x < 32) return;
  if (args.second == nullptr) {
    move_chunks<false>(args, state);
  } else {
    move_chunks<true>(args, state);
  }
}
