// Makes plans for tests from options as on the command line.
#pragma once

#include <string_view>

#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright::testing {

struct PlanWords {
  std::string_view problem;
  std::string_view cta = "128x128x64";
  int64_t ctas = 8;
  std::string_view raster = "row";
  std::string_view decomposition = "data-parallel";
  std::string_view group_schedule = "device-only";
  std::string_view order = "given";
  std::string_view cluster = "1x1";
  std::string_view op = "gemm";
  std::string_view uplo = "lower";
  KernelSchedule schedule = KernelSchedule::Cooperative;
  bool plain = false;
  int64_t resident = 0;  // 0: all
  Emulation emulation = Emulation::None;
};

inline TileConfig config_of(const PlanWords& w) {
  TileConfig config{.cta = parse_tile(w.cta),
                    .cluster = parse_cluster(w.cluster),
                    .raster = parse_raster(w.raster),
                    .decomposition = parse_decomposition(w.decomposition),
                    .group_schedule = parse_group_schedule(w.group_schedule),
                    .problem_order = parse_problem_order(w.order),
                    .visitor = w.plain ? Visitor::Plain : Visitor::Triangular};
  config.schedule = w.schedule;
  config.stages = max_stages(config, {}, h200());
  return config;
}

inline Plan plan_of(const PlanWords& w) {
  const MatrixOp op = parse_op(w.op);
  const Workload workload{
      .op = op, .uplo = parse_uplo(w.uplo), .shapes = parse_shapes(w.problem, op)};
  return make_plan(
      workload, config_of(w), h200(),
      {.ctas = w.ctas, .resident = w.resident > 0 ? w.resident : w.ctas, .emulation = w.emulation});
}

/// A config of 4 stages.
inline TileConfig config_with(const char* cta, const char* cluster,
                              const char* raster = "swizzle-merge:8") {
  return {.cta = parse_tile(cta),
          .cluster = parse_cluster(cluster),
          .stages = 4,
          .raster = parse_raster(raster)};
}

/// One tile with this number of stages.
inline TileConfig config_of_stages(int stages) {
  return {.cta = {128, 128, 64}, .cluster = {}, .stages = stages, .raster = {}};
}

}  // namespace tilewright::testing
