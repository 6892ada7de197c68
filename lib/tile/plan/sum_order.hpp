// The order in which the terms of D's elements are added.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tile/plan/plan.hpp"

namespace tilewright {

/// Every element adds its terms ascending in k, in `slices` parts that are summed from zero and
/// joined one after the other. It depends neither on the tile that holds the element nor on M.
struct SumOrder {
  Family family = Family::Sm90;
  int slices = 1;
  Reduction reduction = Reduction::Serial;  // joins the slices
  int step_k = 0;      // elements of k in a stage, where parts or sums begin with one; else 0
  TileShape cta = {};  // skinny: warps take the tile's k in turn
  SkinnyOptions skinny = {};  // likewise
  bool operator==(const SumOrder&) const = default;
};

/// The order of the plan's sums. Nothing where it depends on the tile, on which part arrives first
/// or, for stream-K, on M and the number of CTAs that run at once.
std::optional<SumOrder> sum_order_of(const Plan& plan);

/// The same of a workload that the config computes.
std::optional<SumOrder> sum_order_of(const Workload& workload, const TileConfig& config);

/// True where the config adds in the order of this family's kernels with this division of k.
bool adds_like(const Workload& workload, const TileConfig& config, Family family,
               const Decomposition& decomposition);

/// "one sum for each element", "4 parts of k, joined by serial, in stages of 64".
std::string to_string(const SumOrder& order);

/// True where two plans of one workload, or of products that differ in M alone, add the terms of
/// every element in the same order, so that their launches write the same bits on any device.
/// False also where that is not known: for kernels of different families, and for different ones
/// that are divided by stream-K.
bool has_same_sums(const Plan& a, const Plan& b);

/// Where the sums of two plans part.
struct SumParting {
  int64_t k = 0;    // the terms before it are added alike
  std::string why;  // what happens there
  bool operator==(const SumParting&) const = default;
};

/// The first k at which two plans of products no longer add alike; nothing where
/// has_same_sums().
std::optional<SumParting> first_parting(const Plan& a, const Plan& b);

}  // namespace tilewright
