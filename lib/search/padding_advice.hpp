// What longer rows would gain: TMA reads rows that begin at multiples of 16 bytes, and whole lines
// of L2 where they begin at multiples of 128.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/check_expression.hpp"
#include "model/estimate.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/operand_places.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// A product with its fastest predicted config. `why_not` is the reason where no kernel runs it.
struct PaddedProduct {
  GemmShape shape;            // the sizes that run
  OperandPlaces places = {};  // pitches of 0: rows are tight
  int row_bytes = 0;          // the multiple at which rows begin; 0: the product as it is
  TileConfig config = {};
  Estimate predicted = {};
  std::string why_not = {};
};

/// The ways to pad one product, in the order in which they change more of it: rows further apart,
/// with the sizes as they are, then larger sizes with zeros as new elements of A and B. Each
/// begins rows at multiples of 16 bytes, or of 128. Those that change nothing are left out.
struct PaddingAdvice {
  Problem problem;
  Repacked copies = {};  // operands that every call copies, as they are
  Pitches pitches;       // of the rows, as they are
  PaddedProduct given;
  std::vector<PaddedProduct> padded = {};
};

/// Searches the model's fastest config of the product and of every padded one; nothing runs. The
/// pitches of a padded product are those that the caller allocates with.
PaddingAdvice padding_advice(const Problem& problem, const DeviceSpec& device);

/// The least predicted time of `padded` if it is by kTimeResolution below that of `given`; null
/// where padding gains nothing.
const PaddedProduct* best_padding(const PaddingAdvice& advice);

/// A padded product's time in percent of the time as it is; nothing where either has none.
std::optional<double> time_pct(const PaddingAdvice& advice, const PaddedProduct& product);

/// "predicted_us", "copied", "padded" and "best_time_pct" (100 where padding gains nothing), for
/// checks.
std::vector<NamedNumber> numbers_of(const PaddingAdvice& advice);

}  // namespace tilewright
