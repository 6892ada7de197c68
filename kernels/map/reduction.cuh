// How the parts of a divided tile become one sum: a record a reduction, which host and kernels ask.
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

/// What a part of a tile waits for behind its main loop.
enum class Meeting : int {
  None,
  Turn,  // the part of the next lower k to be done
  Last,  // nothing, but the last part to come finishes the tile
  All,   // every part of the tile
};

/// Where sums are until they are whole.
enum class PartsIn : int {
  OneTile,       // of the workspace, which the first part writes
  ZeroedTile,    // of the workspace, zero before and after the launch
  OwnTiles,      // of the workspace, one a part
  SharedMemory,  // of a cluster along k
  Output,        // D itself, in its own type
};

struct ReductionRecord {
  Reduction reduction;
  const char* name;  // as configs spell it
  Meeting meeting;
  PartsIn parts;
  bool bulk_copies;     // TMA stores and adds what lies in a store buffer
  const char* meaning;  // for legends
};

inline constexpr ReductionRecord kReductions[] = {
    {Reduction::Serial, "serial", Meeting::Turn, PartsIn::OneTile, false,
     "waits for: adds to the fp32 workspace after it; the last part stores D"},
    {Reduction::SerialTma, "serial-tma", Meeting::Turn, PartsIn::OneTile, true,
     "waits for: TMA adds to the fp32 workspace after it; the last part stores D"},
    {Reduction::AtomicTma, "atomic-tma", Meeting::Last, PartsIn::ZeroedTile, true,
     "TMA adds to the fp32 workspace in any order; the last to arrive stores D"},
    {Reduction::Atomic, "atomic", Meeting::Last, PartsIn::ZeroedTile, false,
     "atomic adds to the fp32 workspace in any order; the last to arrive stores D"},
    {Reduction::Workspace, "workspace", Meeting::None, PartsIn::OwnTiles, false,
     "fp32 partial tiles that a second kernel sums"},
    {Reduction::Cluster, "cluster", Meeting::All, PartsIn::SharedMemory, false,
     "every CTA of the cluster sums a share, in its own shared memory"},
    {Reduction::ReduceScatter, "reduce-scatter", Meeting::All, PartsIn::OwnTiles, false,
     "fp32 partial tiles; every part waits for all and sums a share"},
    {Reduction::InPlace, "in-place", Meeting::Turn, PartsIn::Output, true,
     "waits for: TMA adds to D, in D's own type, after it"},
};

constexpr const ReductionRecord& record_of(Reduction reduction) {
  for (const ReductionRecord& record : kReductions) {
    if (record.reduction == reduction) return record;
  }
  return kReductions[0];
}

constexpr Meeting meeting_of(Reduction reduction) {
  return record_of(reduction).meeting;
}
constexpr PartsIn parts_in(Reduction reduction) {
  return record_of(reduction).parts;
}

/// True where a part waits until the parts of lower k have added theirs.
constexpr bool is_turnstile(Reduction reduction) {
  return meeting_of(reduction) == Meeting::Turn;
}
/// True where a second kernel sums the parts.
constexpr bool sums_later(Reduction reduction) {
  return meeting_of(reduction) == Meeting::None;
}
/// True where parts wait for each other through global memory, so that all must run at once.
constexpr bool meets_in_memory(Reduction reduction) {
  return meeting_of(reduction) == Meeting::All && parts_in(reduction) == PartsIn::OwnTiles;
}

}  // namespace tw
