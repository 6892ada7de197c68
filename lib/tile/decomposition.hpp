// How the main loops of the output tiles are divided among CTAs.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "work_split.cuh"

namespace tilewright {

using tw::StreamKVariant;

/// How the parts of a divided tile become one sum.
enum class Reduction {
  Serial,     // turnstile: each part in turn adds to a workspace in global memory
  SerialTma,  // turnstile: TMA store of the first part, TMA reduce of the others
  AtomicTma,  // TMA reduces in any order into zeroed memory; the last to arrive finishes
  Atomic,     // the same with vector atomics
  Workspace,  // every part stores its own; a second kernel (or the last part) sums them in order
  Cluster,    // the parts are one cluster and sum through distributed shared memory
};

/// A CTA computes whole tiles.
struct DataParallel {
  bool operator==(const DataParallel&) const = default;
};

/// Every tile is cut in `slices`, the slices of a tile side by side in launch order.
struct SplitK {
  int slices = 1;
  Reduction reduction = Reduction::Serial;
  bool operator==(const SplitK&) const = default;
};

/// The first tiles are dealt out by k-steps, evenly; the rest are whole tiles.
struct StreamK {
  StreamKVariant variant = StreamKVariant::TwoTile;
  Reduction reduction = Reduction::Serial;
  bool operator==(const StreamK&) const = default;
};

using Decomposition = std::variant<DataParallel, SplitK, StreamK>;

/// "data-parallel", "split-k:S[:REDUCTION]" or "stream-k[:VARIANT][:REDUCTION]". Throws a usage
/// error that says what is known.
Decomposition parse_decomposition(std::string_view text);

/// The text that parses back to the same decomposition; defaults are left out.
std::string to_string(const Decomposition& decomposition);
std::string to_string(Reduction reduction);

/// The reduction of the parts; Serial where nothing is divided.
Reduction reduction_of(const Decomposition& decomposition);

/// True where a part waits until the parts of lower k have added theirs.
bool is_turnstile(Reduction reduction);

}  // namespace tilewright
