// Legality of rank-k updates, and the rules that reject others.
#include <doctest/doctest.h>

#include <string>

#include "base/text.hpp"
#include "support/devices.hpp"
#include "support/refusal.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

using testing::refusal;
using testing::refuses;

Workload update(MatrixOp op, int64_t n, int64_t k) {
  Workload workload;
  workload.op = op;
  workload.shapes = {{n, n, k}};
  return workload;
}

TEST_CASE("an update of any size is legal if TMA can address its rows") {
  const char* const tile = "cta=128x128x64";
  for (const MatrixOp op : {MatrixOp::Syrk, MatrixOp::Syr2k, MatrixOp::Her2k}) {
    CHECK(refusal(update(op, 1, 8), tile).empty());
    CHECK(refusal(update(op, 4097, 4096), tile).empty());
    CHECK(refuses(update(op, 4096, 4097), tile, "K = 4104 (padded with zeros) works"));
    Workload other = update(op, 1001, 64);
    other.kind.layout = MatrixLayout::NT;
    CHECK(refuses(other, tile, "N = 1001: TMA addresses rows"));
    other.kind.layout = MatrixLayout::NN;
    CHECK(refuses(other, tile, "layout nn: the factors"));
    other = update(op, 1024, 64);
    other.kind.epilogue.bias = true;
    CHECK(refuses(other, tile, "no bias"));
    other.kind.epilogue.bias = false;
    other.kind.dtype = DataType::E4M3;
    CHECK(refuses(other, "cta=128x128x128", "16 bits"));
  }
}

TEST_CASE("the rules of an update's configs") {
  const Workload syrk = update(MatrixOp::Syrk, 4096, 4096);
  CHECK(refusal(syrk, "cta=192x192x64").empty());
  CHECK(refusal(syrk, "cta=128x256x64,cluster=2x1").empty());
  CHECK(refusal(syrk, "cta=128x160x64,cluster=2x1,raster=swizzle-merge:8").empty());
  CHECK(refuses(syrk, "cta=128x160x64,cluster=2x1", "of 256x160 one side must divide the other"));
  CHECK(refuses(syrk, "cta=128x128x64,raster=col", "with bands of F rows"));
  CHECK(refuses(syrk, "cta=128x128x64,raster=swizzle-merge:2,2", "with bands of F rows"));
  CHECK(refuses(syrk, "cta=128x128x64,raster=swizzle-merge:33", "than the grid's 32"));
  CHECK(refuses(syrk, "cta=128x128x64,decomposition=split-k:2", "whole tiles"));
  CHECK(refuses(syrk, "cta=128x128x64,swap_ab=true", "its own transpose"));
  CHECK(refuses(syrk, "family=sm80,cta=64x64x64,warps=2x2", "the sm80 family has no syrk"));
  CHECK(refuses(syrk, "cta=256x256x64", "leaves room for 176"));
  CHECK(refuses(update(MatrixOp::Her2k, 4096, 4096), "cta=192x192x64", "leaves room for 80"));
  Workload mirrored = update(MatrixOp::Her2k, 4096, 4096);
  mirrored.uplo = Uplo::Full;
  CHECK(refuses(mirrored, "cta=128x256x64", "leaves room for 96"));
  CHECK(refusal(mirrored, "cta=128x192x64,raster=swizzle-merge:8").empty());
}

TEST_CASE("the plain visitor may walk the whole square of a triangle") {
  const TileConfig config = config_of(parse_config("cta=128x128x64,stages=4"));
  const Workload syrk = update(MatrixOp::Syrk, 1024, 64);
  TileConfig of_square = config;
  of_square.visitor = Visitor::Plain;
  const Plan plain = make_plan(syrk, of_square, testing::h200());
  CHECK_FALSE(reject_plan(plain, testing::h200()));
  CHECK(std::get<tw::Sm90Params>(plain.kernel).whole_square);
  CHECK_FALSE(reject_plan(make_plan(syrk, config, testing::h200()), testing::h200()));
  // The plain visitor allows a product's rasters but no clusters; products have no plain visitor.
  CHECK_FALSE(reject_workload(
      syrk, config_of(parse_config("cta=128x96x64,stages=4,visitor=plain,raster=hilbert")),
      testing::h200()));
  CHECK(refuses(syrk, "cta=128x128x64,visitor=plain,cluster=2x1", "use cluster 1x1"));
  CHECK(refuses(syrk, "cta=128x128x64,visitor=plain,raster=swizzle-merge:16", "factor 16"));
  const Workload product{.shapes = {{1024, 1024, 64}}};
  CHECK(refuses(product, "cta=128x128x64,visitor=plain", "is only for triangles"));
}

TEST_CASE("the first unit given to a CTA is the first that it computes, for squares too") {
  for (const char* const visitor : {"triangular", "plain"}) {
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper}) {
      Workload syrk = update(MatrixOp::Syrk, 1700, 64);
      syrk.uplo = uplo;
      const Plan plan = make_plan(
          syrk, config_of(parse_config(format("cta=128x128x64,stages=4,visitor={}", visitor))),
          testing::h200());
      const auto lists = assignments(plan);
      const auto first = first_units(plan, 132);
      int computing = 0;
      for (size_t cta = 0; cta < first.size(); ++cta) {
        REQUIRE(first[cta].has_value() == !lists[cta].empty());
        if (!first[cta]) continue;
        CHECK(*first[cta] == lists[cta].front());
        ++computing;
      }
      CHECK(computing > 50);
    }
  }
}

}  // namespace
}  // namespace tilewright
