// How the parts of a divided tile become one sum: each warpgroup joins its rows of the parts, by
// itself. Whoever holds the sum in the end runs the epilogue.
//
// Orders of memory. A turnstile opens by ld.acquire of one thread and closes by its st.release; the
// warpgroup's barrier carries what it knows to and from the other threads. Bulk copies are complete
// and visible to their thread after wait_group 0 only, and what it acquired counts for its later
// copies after a proxy fence.
#pragma once

#include "ptx/bulk.cuh"
#include "sm90/scatter.cuh"

namespace tw {

/// Waits until the parts before this one have added theirs.
template <TileParams P>
__device__ void take_turn(const Joint<P>& joint) {
  if (joint.leads()) ptx::wait_until_equal(joint.place.turn, static_cast<unsigned>(joint.part));
  stretch<P>();
}

/// The last part adds what the others left in memory, and leaves the turnstile as it was found.
template <TileParams P>
__device__ void finish_turns(const Joint<P>& joint, Accumulators<P>& sums) {
  take_turn(joint);
  joint.sync();
  add_partial<P>(joint.place.partial, joint.thread, sums);
  if (joint.leads()) ptx::store_relaxed(joint.place.turn, 0);
}

template <TileParams P>
__device__ bool join_serial(const Joint<P>& joint, Accumulators<P>& sums) {
  if (joint.is_last()) {
    finish_turns(joint, sums);
    return true;
  }
  if (joint.part > 0) {
    take_turn(joint);
    joint.sync();
    add_partial<P>(joint.place.partial, joint.thread, sums);
  }
  store_partial<P>(joint.place.partial, joint.thread, sums);
  stretch<P>();
  joint.sync();
  if (joint.leads()) ptx::store_release(joint.place.turn, static_cast<unsigned>(joint.part + 1));
  return false;
}

/// Moves the sums to memory by bulk copies, through the warpgroup's store buffers. Returns with the
/// copies complete.
template <TileParams P>
__device__ void copy_partial(const Joint<P>& joint, bool adding, Accumulators<P>& sums) {
  constexpr int kChunkBytes = TileParams::kWarpgroupThreads * 16;
  constexpr int kChunks = P.store_bytes() / kChunkBytes;  // of a buffer
  static_assert(kChunks > 0, "a store buffer holds 16 bytes of each thread");
  constexpr int kAll = P.accumulator_registers() / 4;
  constexpr int kBuffers = TileParams::kStoreBuffers;
  if (joint.leads()) ptx::fence_global_for_async();
  for_each_chunk<P>(sums, [&](int chunk, float* four) {
    const int piece = chunk / kChunks;
    const unsigned buffer = joint.shared.store_buffer(joint.warpgroup, piece % kBuffers);
    if (chunk % kChunks == 0) {
      if (joint.leads()) {
        if (piece == 0) {
          ptx::tma_store_wait_read<0>();
        } else {
          ptx::tma_store_wait_read<kBuffers - 1>();
        }
      }
      joint.sync();
    }
    ptx::store_own_shared(buffer + chunk % kChunks * kChunkBytes + joint.thread * 16,
                          floats4(four));
    if (chunk % kChunks != kChunks - 1 && chunk != kAll - 1) return;
    ptx::fence_shared_for_async();
    joint.sync();
    if (!joint.leads()) return;
    float* const to = joint.place.partial + piece * (kChunks * kChunkBytes / 4);
    const int bytes = (chunk % kChunks + 1) * kChunkBytes;
    if (adding) {
      ptx::bulk_reduce_add(to, buffer, bytes);
    } else {
      ptx::bulk_store(to, buffer, bytes);
    }
    ptx::tma_store_commit();
  });
  if (joint.leads()) ptx::bulk_wait_complete();
}

template <TileParams P>
__device__ bool join_serial_tma(const Joint<P>& joint, Accumulators<P>& sums) {
  if (joint.is_last()) {
    finish_turns(joint, sums);
    return true;
  }
  if (joint.part > 0) take_turn(joint);
  copy_partial<P>(joint, joint.part > 0, sums);
  stretch<P>();
  if (joint.leads()) ptx::store_release(joint.place.turn, static_cast<unsigned>(joint.part + 1));
  return false;
}

/// Adds to zeroed memory; whoever arrives last takes the sum and leaves zeros.
template <TileParams P>
__device__ bool join_atomic(const Joint<P>& joint, Accumulators<P>& sums) {
  float* const partial = joint.place.partial;
  if constexpr (P.reduction == Reduction::AtomicTma) {
    copy_partial<P>(joint, true, sums);
  } else {
    for_each_chunk<P>(sums, [&](int chunk, float* four) {
      ptx::reduce_add(partial + chunk_offset(chunk, joint.thread), floats4(four));
    });
    joint.sync();
  }
  stretch<P>();
  const auto others = static_cast<unsigned>(joint.parts - 1);
  if (!joint.any(joint.leads() && ptx::fetch_add(joint.place.turn, 1) == others)) return false;
  for_each_chunk<P>(sums, [&](int chunk, float* four) {
    float* const at = partial + chunk_offset(chunk, joint.thread);
    const ptx::Floats4 sum = ptx::load_shared_by_ctas(at);
    four[0] = sum.x;
    four[1] = sum.y;
    four[2] = sum.z;
    four[3] = sum.w;
    ptx::store_shared_by_ctas(at, {0, 0, 0, 0});
  });
  if (joint.leads()) ptx::store_relaxed(joint.place.turn, 0);
  return true;
}

/// Stores the first part of a tile in D, and adds the others to it in their turn.
template <TileParams P>
__device__ void join_in_place(const Joint<P>& joint, const OutputMaps& maps, const GemmArgs& args,
                              int row, int column, StoreCursor<P> cursor,
                              const Accumulators<P>& sums) {
  take_turn(joint);
  if (joint.leads()) ptx::fence_global_for_async();
  cursor.adding = joint.part > 0;
  store_tile<P>(joint.shared, maps, args, row, column, cursor, sums);
  stretch<P>();
  if (!joint.leads()) return;
  ptx::bulk_wait_complete();
  if (joint.is_last()) {
    ptx::store_relaxed(joint.place.turn, 0);
  } else {
    ptx::store_release(joint.place.turn, static_cast<unsigned>(joint.part + 1));
  }
}

/// Joins the warpgroup's rows of a part, which begin at (row, column) of D, with the other parts.
/// True where `sums` is now the whole sum, to be stored by the caller.
template <TileParams P>
__device__ bool join_parts(const Joint<P>& joint, const GemmArgs& args, int row, int column,
                           Accumulators<P>& sums) {
  if constexpr (P.reduction == Reduction::Serial) {
    return join_serial(joint, sums);
  } else if constexpr (P.reduction == Reduction::SerialTma) {
    return join_serial_tma(joint, sums);
  } else if constexpr (P.reduction == Reduction::Workspace) {
    store_partial<P>(joint.place.partial, joint.thread, sums);
    return false;
  } else if constexpr (P.reduction == Reduction::ReduceScatter) {
    scatter_parts<P>(joint, args, row, column, sums);
    return false;
  } else {
    return join_atomic(joint, sums);
  }
}

}  // namespace tw
