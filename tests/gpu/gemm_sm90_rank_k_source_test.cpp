// Kernels of rank-k updates compile free of spills; no GPU needed.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/compile/parallel_compiler.hpp"
#include "gpu/launch/gemm_kernel.hpp"
#include "support/devices.hpp"
#include "support/scaling.hpp"
#include "support/sm90_configs.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

struct Case {
  MatrixOp op;
  Uplo uplo;
  const char* tile;
  bool scaled;
  DataType output;
};

TEST_CASE("kernels of rank-k updates compile free of spills and of C75xx warnings") {
  std::vector<KernelSource> sources;
  std::vector<std::string> names;
  for (const Case& c :
       {Case{MatrixOp::Syrk, Uplo::Lower, "cta=192x192x64,stages=4", false, DataType::BF16},
        Case{MatrixOp::Syrk, Uplo::Upper, "cta=128x256x64,cluster=2x1", true, DataType::BF16},
        Case{MatrixOp::Syr2k, Uplo::Upper, "cta=128x160x64,cluster=2x1", false, DataType::BF16},
        Case{MatrixOp::Syr2k, Uplo::Upper, "cta=128x128x64,cluster=2x4", false, DataType::BF16},
        Case{MatrixOp::Syr2k, Uplo::Lower, "cta=256x128x64", true, DataType::F32},
        Case{MatrixOp::Syr2k, Uplo::Lower, "cta=128x128x64,schedule=pingpong", false,
             DataType::BF16},
        Case{MatrixOp::Her2k, Uplo::Lower, "cta=128x256x64", true, DataType::BF16},
        Case{MatrixOp::Her2k, Uplo::Upper, "cta=192x160x64", true, DataType::BF16},
        Case{MatrixOp::Her2k, Uplo::Upper, "cta=128x96x64,schedule=pingpong", false, DataType::F32},
        Case{MatrixOp::Syrk, Uplo::Full, "cta=128x256x64", true, DataType::BF16},
        Case{MatrixOp::Her2k, Uplo::Full, "cta=192x128x64", true, DataType::BF16},
        Case{MatrixOp::Her2k, Uplo::Full, "cta=128x192x64,cluster=2x1", true, DataType::BF16}}) {
    Workload workload;
    workload.op = c.op;
    workload.uplo = c.uplo;
    if (c.output != workload.kind.dtype) workload.kind.epilogue.out_dtype = c.output;
    workload.shapes = {{4096, 4096, 4096}};
    TileConfig config = testing::sm90_config(c.tile, 4);
    config.raster = parse_raster("swizzle-merge:8");
    const auto rejection = reject_workload(workload, config, testing::h200());
    REQUIRE_MESSAGE(!rejection, to_string(config), ": ", rejection->reason);
    if (c.scaled) workload = testing::scaled(workload, {1, 1});
    const Plan plan = make_plan(workload, config, testing::h200());
    sources.push_back(kernel_sources(plan).front());
    names.push_back(to_string(workload) + " " + to_string(config));
  }
  const CubinCache none(std::filesystem::path("/dev/null/none"));
  const std::vector<BuiltKernel> built = build_kernels(sources, "sm_90a", none);
  for (size_t i = 0; i < built.size(); ++i) {
    CHECK_MESSAGE(built[i].result.ok(), names[i], ": ", built[i].result.reason);
  }
}

}  // namespace
}  // namespace tilewright
