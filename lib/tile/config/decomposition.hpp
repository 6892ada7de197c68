// How the main loops of output tiles are divided among CTAs.
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

/// Every tile is cut into `slices`, which are neighbours in launch order.
struct SplitK {
  int slices = 1;
  Reduction reduction = Reduction::Serial;
  bool operator==(const SplitK&) const = default;
};

/// The first tiles are divided evenly by k-steps; the rest are whole tiles.
struct StreamK {
  StreamKVariant variant = StreamKVariant::TwoTile;
  Reduction reduction = Reduction::Serial;
  bool operator==(const StreamK&) const = default;
};

using Decomposition = std::variant<DataParallel, SplitK, StreamK>;

/// The names of the decompositions, and of stream-K's variants.
std::vector<std::string_view> decomposition_names();
std::vector<std::string_view> stream_k_variants();

/// "data-parallel", "split-k:S[:REDUCTION]" or "stream-k[:VARIANT][:REDUCTION]". Throws a usage
/// error that lists the known names.
Decomposition parse_decomposition(std::string_view text);

/// The text that parses back to the same decomposition; defaults are left out.
std::string to_string(const Decomposition& decomposition);
std::string to_string(Reduction reduction);

/// The reduction of the parts; Serial where nothing is divided.
Reduction reduction_of(const Decomposition& decomposition);

/// The kernels' enum for the decomposition.
tw::Division division_of(const Decomposition& decomposition);

/// "bitwise" where repeated runs on one device give equal results, else how their sums differ.
std::string determinism_of(const Decomposition& decomposition);

}  // namespace tilewright
