// Reductions of the parts of a divided tile: one record per reduction, read by host and kernels.
#pragma once

namespace tw {

enum class Reduction : int {
  Serial,
  SerialTma,
  AtomicTma,
  Atomic,
  Workspace,
  Cluster,
  ReduceScatter,
  InPlace,
};

/// The event that a part of a tile waits for after its main loop.
enum class WaitMode : int {
  None,
  Previous,     // the part of the next lower k has added its sums
  LastArrives,  // none; the last part to arrive finishes the tile
  All,          // every part of the tile has arrived
};

/// Where partial sums are kept until the sum is complete.
enum class PartialStorage : int {
  OneTile,       // in the workspace, one tile, which the first part writes
  ZeroedTile,    // in the workspace, one tile, zero before and after the launch
  TilePerPart,   // in the workspace, one tile per part
  SharedMemory,  // in the shared memory of a cluster along k
  Output,        // in D itself, in D's type
};

struct ReductionRecord {
  Reduction reduction;
  const char* name;  // as configs spell it
  WaitMode wait_mode;
  PartialStorage storage;
  bool bulk_copies;     // TMA stores and adds the contents of a store buffer
  const char* meaning;  // for legends
};

inline constexpr ReductionRecord kReductions[] = {
    {Reduction::Serial, "serial", WaitMode::Previous, PartialStorage::OneTile, false,
     "in turn, each part adds to the fp32 workspace after the previous part; the last part stores "
     "D"},
    {Reduction::SerialTma, "serial-tma", WaitMode::Previous, PartialStorage::OneTile, true,
     "in turn, TMA adds each part to the fp32 workspace after the previous part; the last part "
     "stores D"},
    {Reduction::AtomicTma, "atomic-tma", WaitMode::LastArrives, PartialStorage::ZeroedTile, true,
     "TMA adds to the fp32 workspace in any order; the part that arrives last stores D"},
    {Reduction::Atomic, "atomic", WaitMode::LastArrives, PartialStorage::ZeroedTile, false,
     "atomic instructions add to the fp32 workspace in any order; the part that arrives last "
     "stores D"},
    {Reduction::Workspace, "workspace", WaitMode::None, PartialStorage::TilePerPart, false,
     "fp32 partial tiles that a second kernel sums"},
    {Reduction::Cluster, "cluster", WaitMode::All, PartialStorage::SharedMemory, false,
     "every CTA of the cluster sums a share, in its own shared memory"},
    {Reduction::ReduceScatter, "reduce-scatter", WaitMode::All, PartialStorage::TilePerPart, false,
     "fp32 partial tiles; every part waits for all others and sums a share"},
    {Reduction::InPlace, "in-place", WaitMode::Previous, PartialStorage::Output, true,
     "in turn, TMA adds each part to D, in D's type, after the previous part"},
};

constexpr const ReductionRecord& record_of(Reduction reduction) {
  for (const ReductionRecord& record : kReductions) {
    if (record.reduction == reduction) return record;
  }
  return kReductions[0];
}

constexpr WaitMode wait_mode_of(Reduction reduction) {
  return record_of(reduction).wait_mode;
}
constexpr PartialStorage partial_storage_of(Reduction reduction) {
  return record_of(reduction).storage;
}

/// True where a part waits until the parts of lower k have added their sums.
constexpr bool is_turnstile(Reduction reduction) {
  return wait_mode_of(reduction) == WaitMode::Previous;
}
/// True where a second kernel sums the parts.
constexpr bool sums_later(Reduction reduction) {
  return wait_mode_of(reduction) == WaitMode::None;
}
/// True where parts wait for each other through global memory, so that all must run at once.
constexpr bool waits_for_all_in_memory(Reduction reduction) {
  return wait_mode_of(reduction) == WaitMode::All &&
         partial_storage_of(reduction) == PartialStorage::TilePerPart;
}

/// True where split-K's units are slice 0 of all tiles, then slice 1, and so on, if all run at
/// once, in place of the slices of one tile after those of another. Multiprocessors side by side
/// then ask for the same lines of L2 at about the same time: on an H100, 256 x 1024 x 8192 in three
/// slices took 13.95 us in place of 15.94. Clusters share these lines already, and took 0 to 6 %
/// longer so. No part may wait for another one.
constexpr bool walks_slices(Reduction reduction, int cluster_size) {
  const WaitMode mode = wait_mode_of(reduction);
  return cluster_size == 1 && (mode == WaitMode::None || mode == WaitMode::LastArrives);
}

}  // namespace tw
