// The rounds of a GPU that shares a product. All GPUs walk alike: the parts or the rows of the
// others arrive when this GPU's own do elsewhere.
#pragma once

#include "model/price.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// Adds to the price's rounds of whole tiles what the exchange with other GPUs costs: sending parts
/// over the links, waiting for parts and adding them, or waiting for rows of A. Notes in the price
/// when the parts that this GPU sends, or the rows that it receives, are on their way. In the order
/// `given` GPUs differ, and the price is that of the plan's GPU. Adds nothing where the device's
/// rates predict no time.
void add_exchange(Price& price, const Plan& plan);

}  // namespace tilewright
