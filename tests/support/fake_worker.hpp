// The invented times that a worker process and its test both use.
#pragma once

#include "support/fake_runner.hpp"

namespace tilewright::testing {

/// Deeper pipelines and wider tiles are faster; rasters and cache hints make no difference.
inline void make_worker_times(FakeRunner& runner) {
  runner.noise = 1e-4;
  runner.time_us = [](const TileConfig& config) {
    return 300.0 - 10 * config.stages - config.cta.n / 16.0 - config.cta.m / 64.0;
  };
  runner.reference_us = {320, 310};
  runner.beside_gb_per_s = [](const Contender& contender) {
    return contender.config ? 100.0 * contender.config->stages : 0.0;
  };
  runner.joules = [](const Contender& contender) {
    return contender.config ? 0.1 * contender.config->stages : 0.7;
  };
}

}  // namespace tilewright::testing
