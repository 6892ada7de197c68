// The price of plans of the families on mma.sync, whose CTAs share multiprocessors.
#pragma once

#include "model/price.hpp"

namespace tilewright {

/// Adds to the price what the CTAs of a plan of the sm80 or the skinny family cost: generations of
/// them, of which each runs one unit; divided tiles are joined behind the last.
void price_mma(Price& price, const Plan& plan, const L2Traffic& traffic);

}  // namespace tilewright
