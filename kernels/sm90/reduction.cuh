// Reductions of the parts of a divided tile: each warpgroup sums its rows of the parts on its own.
// The warpgroup that holds the complete sum runs the epilogue.
//
// Orders of memory. One thread opens a turnstile by ld.acquire and closes it by st.release; the
// warpgroup's barrier extends that order to and from the other threads. A thread's bulk copies are
// complete and visible to it only after wait_group 0. Its acquires are ordered before its later
// copies only after a proxy fence.
#pragma once

#include "ptx/shared_access.cuh"
#include "ptx/tma.cuh"
#include "sm90/scatter.cuh"

namespace tw {

/// Waits until the earlier parts have added their sums.
template <Sm90Params P>
__device__ void wait_turnstile(const Fixup<P>& fixup) {
  if (fixup.is_first_thread())
    ptx::wait_until_equal(fixup.place.ticket, static_cast<unsigned>(fixup.part));
  inject_delay<P>();
}

/// The last part adds the other parts' sums from memory and resets the turnstile. Each thread loads
/// its own 16 bytes: bulk copies back through the store buffers were verified and gave 0.974 to
/// 1.012 of this speed in eight products, 0.993 in the geometric mean (H200, 2026-11-23).
template <Sm90Params P>
__device__ void finish_serial(const Fixup<P>& fixup, Accumulators<P>& sums) {
  wait_turnstile(fixup);
  fixup.sync();
  add_partial<P>(fixup.place.partial, fixup.thread, sums);
  if (fixup.is_first_thread()) ptx::store_relaxed(fixup.place.ticket, 0);
}

template <Sm90Params P>
__device__ bool fixup_serial(const Fixup<P>& fixup, Accumulators<P>& sums) {
  if (fixup.is_last()) {
    finish_serial(fixup, sums);
    return true;
  }
  if (fixup.part > 0) {
    wait_turnstile(fixup);
    fixup.sync();
    add_partial<P>(fixup.place.partial, fixup.thread, sums);
  }
  store_partial<P>(fixup.place.partial, fixup.thread, sums);
  inject_delay<P>();
  fixup.sync();
  if (fixup.is_first_thread())
    ptx::store_release(fixup.place.ticket, static_cast<unsigned>(fixup.part + 1));
  return false;
}

/// Copies the sums to memory by bulk copies, through the warpgroup's store buffers. Returns once
/// the copies are complete.
template <Sm90Params P>
__device__ void copy_partial(const Fixup<P>& fixup, bool adding, Accumulators<P>& sums) {
  constexpr int kChunkBytes = Sm90Params::kWarpgroupThreads * 16;
  constexpr int kChunks = P.store_bytes() / kChunkBytes;  // of a buffer
  static_assert(kChunks > 0, "a store buffer holds 16 bytes of each thread");
  constexpr int kAll = P.accumulator_registers() / 4;
  constexpr int kBuffers = Sm90Params::kStoreBuffers;
  if (fixup.is_first_thread()) ptx::fence_global_for_async();
  for_each_chunk<P>(sums, [&](int chunk, float* four) {
    const int piece = chunk / kChunks;
    const unsigned buffer = fixup.shared.store_buffer(fixup.warpgroup, piece % kBuffers);
    if (chunk % kChunks == 0) {
      if (fixup.is_first_thread()) {
        if (piece == 0) {
          ptx::tma_store_wait_read<0>();
        } else {
          ptx::tma_store_wait_read<kBuffers - 1>();
        }
      }
      fixup.sync();
    }
    ptx::st_shared(buffer + chunk % kChunks * kChunkBytes + fixup.thread * 16, floats4(four));
    if (chunk % kChunks != kChunks - 1 && chunk != kAll - 1) return;
    ptx::fence_shared_for_async();
    fixup.sync();
    if (!fixup.is_first_thread()) return;
    float* const to = fixup.place.partial + piece * (kChunks * kChunkBytes / 4);
    const int bytes = (chunk % kChunks + 1) * kChunkBytes;
    if (adding) {
      ptx::bulk_reduce_add(to, buffer, bytes);
    } else {
      ptx::bulk_store(to, buffer, bytes);
    }
    ptx::tma_store_commit();
  });
  if (fixup.is_first_thread()) ptx::bulk_wait_complete();
}

template <Sm90Params P>
__device__ bool fixup_serial_tma(const Fixup<P>& fixup, Accumulators<P>& sums) {
  if (fixup.is_last()) {
    finish_serial(fixup, sums);
    return true;
  }
  if (fixup.part > 0) wait_turnstile(fixup);
  copy_partial<P>(fixup, fixup.part > 0, sums);
  inject_delay<P>();
  if (fixup.is_first_thread())
    ptx::store_release(fixup.place.ticket, static_cast<unsigned>(fixup.part + 1));
  return false;
}

/// Adds to zeroed memory; the last part to arrive takes the sum and leaves zeros.
template <Sm90Params P>
__device__ bool fixup_atomic(const Fixup<P>& fixup, Accumulators<P>& sums) {
  float* const partial = fixup.place.partial;
  if constexpr (P.reduction == Reduction::AtomicTma) {
    copy_partial<P>(fixup, true, sums);
  } else {
    for_each_chunk<P>(sums, [&](int chunk, float* four) {
      ptx::reduce_add(partial + chunk_offset(chunk, fixup.thread), floats4(four));
    });
    fixup.sync();
  }
  inject_delay<P>();
  const auto others = static_cast<unsigned>(fixup.parts - 1);
  if (!fixup.any(fixup.is_first_thread() && ptx::fetch_add(fixup.place.ticket, 1) == others))
    return false;
  for_each_chunk<P>(sums, [&](int chunk, float* four) {
    float* const at = partial + chunk_offset(chunk, fixup.thread);
    const ptx::Floats4 sum = ptx::load_relaxed(at);
    four[0] = sum.x;
    four[1] = sum.y;
    four[2] = sum.z;
    four[3] = sum.w;
    ptx::store_relaxed(at, {0, 0, 0, 0});
  });
  if (fixup.is_first_thread()) ptx::store_relaxed(fixup.place.ticket, 0);
  return true;
}

/// Stores the first part of a tile in D; each later part waits for the one before and adds to D.
template <Sm90Params P>
__device__ void fixup_in_place(const Fixup<P>& fixup, const OutputMaps& maps, const GemmArgs& args,
                               int row, int column, StoreState<P> state,
                               const Accumulators<P>& sums) {
  wait_turnstile(fixup);
  if (fixup.is_first_thread()) ptx::fence_global_for_async();
  state.adding = fixup.part > 0;
  store_tile<P>(fixup.shared, maps, args, row, column, state, sums);
  inject_delay<P>();
  if (!fixup.is_first_thread()) return;
  ptx::bulk_wait_complete();
  if (fixup.is_last()) {
    ptx::store_relaxed(fixup.place.ticket, 0);
  } else {
    ptx::store_release(fixup.place.ticket, static_cast<unsigned>(fixup.part + 1));
  }
}

/// Combines the warpgroup's rows of a part, which begin at (row, column) of D, with the other
/// parts. Returns true where `sums` is now the whole sum, which the caller then stores.
template <Sm90Params P>
__device__ bool fixup_parts(const Fixup<P>& fixup, const GemmArgs& args, int row, int column,
                            Accumulators<P>& sums) {
  if constexpr (P.reduction == Reduction::Serial) {
    return fixup_serial(fixup, sums);
  } else if constexpr (P.reduction == Reduction::SerialTma) {
    return fixup_serial_tma(fixup, sums);
  } else if constexpr (P.reduction == Reduction::Workspace) {
    store_partial<P>(fixup.place.partial, fixup.thread, sums);
    return false;
  } else if constexpr (P.reduction == Reduction::ReduceScatter) {
    scatter_parts<P>(fixup, args, row, column, sums);
    return false;
  } else {
    return fixup_atomic(fixup, sums);
  }
}

}  // namespace tw
