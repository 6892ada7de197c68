// The parts of a divided tile share out its sum: every part stores its partial tile, waits for the
// others, and sums and finishes one share of it. All parts of a tile run at once.
//
//   part p: store partial --> count in, wait for all --> sum share p of every partial --> D
//
// A share is a range of a warpgroup's quads: 16 bytes of chunk c, thread t are quad 128 c + t. The
// order of a quad's sum depends on the number of parts alone.
#pragma once

#include "sm90/epilogue.cuh"
#include "sm90/fixup.cuh"

namespace tw {

/// How many lanes share the parts of one quad: as many as leave no lane of the warpgroup idle.
__device__ inline int lanes_of_quad(int quads) {
  constexpr int kMost = 8;
  int lanes = 1;
  while (lanes < kMost && quads * lanes * 2 <= Sm90Params::kWarpgroupThreads) lanes *= 2;
  return lanes;
}

/// Counts the warpgroup's part in and returns once all are.
template <Sm90Params P>
__device__ void meet_parts(const Fixup<P>& fixup) {
  fixup.sync();
  if (fixup.leads()) {
    ptx::add_release(fixup.place.turn, 1);
    inject_delay<P>();
    ptx::wait_until_at_least(fixup.place.turn, static_cast<unsigned>(fixup.parts));
  }
  fixup.sync();
}

/// Counts the part out; the last one takes the count back to 0.
template <Sm90Params P>
__device__ void leave_parts(const Fixup<P>& fixup) {
  const auto all_others = static_cast<unsigned>(2 * fixup.parts - 1);
  if (fixup.leads() && ptx::fetch_add(fixup.place.turn, 1) == all_others) {
    ptx::store_relaxed(fixup.place.turn, 0);
  }
}

/// Joins a part with the others of its tile, whose rows of this warpgroup begin at (row, column) of
/// D, and writes its share.
template <Sm90Params P>
__device__ void scatter_parts(const Fixup<P>& fixup, const GemmArgs& args, int row, int column,
                              Accumulators<P>& sums) {
  store_partial<P>(fixup.place.partial, fixup.thread, sums);
  inject_delay<P>();
  meet_parts(fixup);
  const float* const first_part = fixup.place.partial - fixup.part * part_pitch<P>();
  const Span<int> share = even_share(P.partial_quads(), fixup.parts, fixup.part);
  const int lanes = lanes_of_quad(share.size());
  const int lane = fixup.thread % lanes;
#pragma unroll 1
  for (int begin = share.begin; begin < share.end; begin += Sm90Params::kWarpgroupThreads / lanes) {
    const int quad = begin + fixup.thread / lanes;
    float four[4] = {};
    if (quad < share.end) {
      sum_parts(lane, lanes, fixup.parts, four,
                [&](int part) { return first_part + 4 * quad + part * part_pitch<P>(); });
    }
#pragma unroll 1
    for (int step = 1; step < lanes; step *= 2) {
#pragma unroll
      for (float& value : four) value += ptx::from_lane_xor(value, step);
    }
    if (quad < share.end && lane == 0) {
      write_chunk<P>(args, row, column, quad / Sm90Params::kWarpgroupThreads,
                     quad % Sm90Params::kWarpgroupThreads, four);
    }
  }
  leave_parts(fixup);
}

}  // namespace tw
