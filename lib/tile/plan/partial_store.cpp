#include "tile/plan/partial_store.hpp"

namespace tilewright {

int64_t tile_sum_bytes(const Plan& plan) {
  return int64_t{plan.config.cta.m} * plan.config.cta.n * kSumBytes;
}

PartialStore partial_store(const Plan& plan) {
  if (std::holds_alternative<DataParallel>(plan.config.decomposition)) return {};
  return record_of(plan.config.family).partial_store(plan);
}

}  // namespace tilewright
