// The rounds of a GPU that shares a product: all GPUs walk alike, so that its own times tell when
// the parts or the rows of the others arrive.
#pragma once

#include "model/price.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// Adds to the price's rounds of whole tiles what the exchange with other GPUs costs: sending parts
/// over the links, waiting for parts and adding them, or waiting for rows of A. Notes in the price
/// when the parts that this GPU sends, or the rows that it receives, are on their way. Adds nothing
/// where the device's rates predict no time.
void add_exchange(Price& price, const Plan& plan);

}  // namespace tilewright
