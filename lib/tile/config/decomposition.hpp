// How the main loops of the output tiles are divided among CTAs.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "map/reduction.cuh"
#include "map/work_split.cuh"

namespace tilewright {

using tw::is_turnstile;
using tw::Reduction;
using tw::StreamKVariant;

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

/// The names of the decompositions, and those of stream-K's variants.
std::vector<std::string_view> decomposition_names();
std::vector<std::string_view> stream_k_variants();

/// "data-parallel", "split-k:S[:REDUCTION]" or "stream-k[:VARIANT][:REDUCTION]". Throws a usage
/// error that says what is known.
Decomposition parse_decomposition(std::string_view text);

/// The text that parses back to the same decomposition; defaults are left out.
std::string to_string(const Decomposition& decomposition);
std::string to_string(Reduction reduction);

/// The reduction of the parts; Serial where nothing is divided.
Reduction reduction_of(const Decomposition& decomposition);

/// The kernel's own name of the decomposition.
tw::Division division_of(const Decomposition& decomposition);

/// What repeated runs on one device have in common: "bitwise", or how their sums differ.
std::string determinism_of(const Decomposition& decomposition);

}  // namespace tilewright
