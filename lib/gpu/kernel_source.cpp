#include "gpu/kernel_source.hpp"

#include "base/text.hpp"

namespace tilewright {

KernelSource gemm_source(const tw::TileParams& p) {
  return {.file = "gemm_sm90.cu",
          .config_header = format(
              "#pragma once\n"
              "#include \"tile_params.cuh\"\n"
              "inline constexpr tw::TileParams kParams{{.cta_m = {}, .cta_n = {}, .cta_k = {}, "
              ".stages = {}, .cluster_m = {}, .cluster_n = {}, .schedule = tw::KernelSchedule::{}, "
              ".element = tw::ElementType::{}, "
              ".rasters = static_cast<tw::RasterFamily>({}), .source = {}, .trace = {}}};\n",
              p.cta_m, p.cta_n, p.cta_k, p.stages, p.cluster_m, p.cluster_n,
              p.ping_pong() ? "PingPong" : "Cooperative",
              p.element == tw::ElementType::BF16 ? "BF16" : "F16", static_cast<int>(p.rasters),
              p.source ? "true" : "false", p.trace ? "true" : "false")};
}

}  // namespace tilewright
