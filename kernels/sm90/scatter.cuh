// Reduce-scatter of a divided tile: every part stores its partial tile, waits for the others, and
// sums and finishes one share of the tile. All parts of a tile run at the same time.
//
//   part p: store partial --> count in, wait for all --> sum share p of every partial --> D
//
// A share is a range of a warpgroup's vec4s: 16 bytes of chunk c, thread t are vec4 128 c + t. The
// order in which a vec4 is summed depends only on the number of parts.
#pragma once

#include "sm90/epilogue.cuh"
#include "sm90/fixup.cuh"

namespace tw {

/// The number of lanes that divide the parts of one vec4, chosen so that no lane of the warpgroup
/// idles.
__device__ inline int lanes_per_vec4(int vec4s) {
  constexpr int kMax = 8;
  int lanes = 1;
  while (lanes < kMax && vec4s * lanes * 2 <= Sm90Params::kWarpgroupThreads) lanes *= 2;
  return lanes;
}

/// Counts the warpgroup's part as arrived and returns once all parts have arrived.
template <Sm90Params P>
__device__ void wait_for_all_parts(const Fixup<P>& fixup) {
  fixup.sync();
  if (fixup.is_first_thread()) {
    ptx::add_release(fixup.place.ticket, 1);
    inject_delay<P>();
    ptx::wait_until_at_least(fixup.place.ticket, static_cast<unsigned>(fixup.parts));
  }
  fixup.sync();
}

/// Counts the part as done; the last one resets the count to 0.
template <Sm90Params P>
__device__ void reset_after_last_part(const Fixup<P>& fixup) {
  const auto all_others = static_cast<unsigned>(2 * fixup.parts - 1);
  if (fixup.is_first_thread() && ptx::fetch_add(fixup.place.ticket, 1) == all_others) {
    ptx::store_relaxed(fixup.place.ticket, 0);
  }
}

/// Combines a part with the others of its tile and writes its share. The warpgroup's rows begin at
/// (row, column) of D.
template <Sm90Params P>
__device__ void scatter_parts(const Fixup<P>& fixup, const GemmArgs& args, int row, int column,
                              Accumulators<P>& sums) {
  store_partial<P>(fixup.place.partial, fixup.thread, sums);
  inject_delay<P>();
  wait_for_all_parts(fixup);
  const float* const first_part = fixup.place.partial - fixup.part * part_pitch<P>();
  const Span<int> share = even_share(P.partial_vec4s(), fixup.parts, fixup.part);
  const int lanes = lanes_per_vec4(share.size());
  const int lane = fixup.thread % lanes;
#pragma unroll 1
  for (int begin = share.begin; begin < share.end; begin += Sm90Params::kWarpgroupThreads / lanes) {
    const int vec4 = begin + fixup.thread / lanes;
    float four[4] = {};
    if (vec4 < share.end) {
      sum_parts(lane, lanes, fixup.parts, four,
                [&](int part) { return first_part + 4 * vec4 + part * part_pitch<P>(); });
    }
#pragma unroll 1
    for (int step = 1; step < lanes; step *= 2) {
#pragma unroll
      for (float& value : four) value += ptx::from_lane_xor(value, step);
    }
    if (vec4 < share.end && lane == 0) {
      write_chunk<P>(args, row, column, vec4 / Sm90Params::kWarpgroupThreads,
                     vec4 % Sm90Params::kWarpgroupThreads, four);
    }
  }
  reset_after_last_part(fixup);
}

}  // namespace tw
