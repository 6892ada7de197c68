// What the kernels run of rank-k updates, by the rule that refuses the rest.
#include <doctest/doctest.h>

#include <string>

#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

Workload update(MatrixOp op, int64_t n, int64_t k) {
  Workload workload;
  workload.op = op;
  workload.shapes = {{n, n, k}};
  return workload;
}

std::string refusal(const Workload& workload, const std::string& keys) {
  const TileConfig config = config_of(parse_config("stages=4," + keys));
  const auto rejection = reject_workload(workload, config, testing::h200());
  return rejection ? rejection->rule + ": " + rejection->reason : "";
}

bool refuses(const Workload& workload, const std::string& keys, const std::string& words) {
  const std::string text = refusal(workload, keys);
  CAPTURE(text);
  const bool found = text.find(words) != std::string::npos;
  CHECK(found);
  return found;
}

TEST_CASE("an update of any size runs whose rows TMA addresses") {
  const char* const tile = "cta=128x128x64";
  for (const MatrixOp op : {MatrixOp::Syrk, MatrixOp::Syr2k, MatrixOp::Her2k}) {
    CHECK(refusal(update(op, 1, 8), tile).empty());
    CHECK(refusal(update(op, 4097, 4096), tile).empty());
    CHECK(refuses(update(op, 4096, 4097), tile, "K = 4104 (padded with zeros) works"));
    Workload other = update(op, 1001, 64);
    other.layout = MatrixLayout::NT;
    CHECK(refuses(other, tile, "N = 1001: TMA addresses rows"));
    other.layout = MatrixLayout::NN;
    CHECK(refuses(other, tile, "layout nn: the factors"));
    other = update(op, 1024, 64);
    other.bias = true;
    CHECK(refuses(other, tile, "no bias"));
    other.bias = false;
    other.dtype = DataType::E4M3;
    CHECK(refuses(other, "cta=128x128x128", "16 bits"));
  }
}

TEST_CASE("the rules of an update's configs") {
  const Workload syrk = update(MatrixOp::Syrk, 4096, 4096);
  CHECK(refusal(syrk, "cta=192x192x64").empty());
  CHECK(refusal(syrk, "cta=128x256x64,cluster=2x1").empty());
  CHECK(refusal(syrk, "cta=128x160x64,cluster=2x1,raster=swizzle-merge:8").empty());
  CHECK(refuses(syrk, "cta=128x160x64,cluster=2x1", "of 256x160 one side must divide the other"));
  CHECK(refuses(syrk, "cta=128x128x64,raster=col", "in bands of F rows"));
  CHECK(refuses(syrk, "cta=128x128x64,raster=swizzle-merge:2,2", "in bands of F rows"));
  CHECK(refuses(syrk, "cta=128x128x64,raster=swizzle-merge:33", "than the grid's 32"));
  CHECK(refuses(syrk, "cta=128x128x64,decomposition=split-k:2", "whole tiles"));
  CHECK(refuses(syrk, "cta=128x128x64,swap_ab=true", "its own transpose"));
  CHECK(refuses(syrk, "family=sm80,cta=64x64x64,warps=2x2", "the sm80 family has no syrk"));
  CHECK(refuses(syrk, "cta=256x256x64", "leaves room for 176"));
  CHECK(refuses(update(MatrixOp::Her2k, 4096, 4096), "cta=192x192x64", "leaves room for 80"));
}

TEST_CASE("the whole square of a triangle may be walked, to see what that costs") {
  const TileConfig config = config_of(parse_config("cta=128x128x64,stages=4"));
  const Workload syrk = update(MatrixOp::Syrk, 1024, 64);
  const Plan plain = make_plan(syrk, config, testing::h200(), {.plain = true});
  CHECK_FALSE(reject_plan(plain, testing::h200()));
  CHECK(std::get<tw::Sm90Params>(plain.kernel).whole_square);
  CHECK_FALSE(reject_plan(make_plan(syrk, config, testing::h200()), testing::h200()));
}

}  // namespace
}  // namespace tilewright
