#include "tile/workload/workload.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "tile/workload/product_bytes.hpp"

namespace tilewright {
namespace {

TEST_CASE("a group's rows, operations and bytes are the sums over its products") {
  const Workload group{.shapes = {{100, 64, 32}, {0, 64, 32}, {7, 64, 32}}};
  CHECK(is_group(group));
  CHECK(total_rows(group) == 107);
  CHECK_FALSE(is_batch(group));
  CHECK(packed_product(group).shape == GemmShape{107, 64, 32});
  CHECK(flops(group) == 2.0 * 107 * 64 * 32);
  // All rows of A, the weights of each product that has rows, and D.
  CHECK(operand_bytes(group) == 2 * (107 * 32 + 2 * 64 * 32 + 107 * 64));
  CHECK(to_string(group) == "3 products of 0 to 100 rows, 107x64x32 bf16 tn in all");
}

TEST_CASE("products that share N and K are packed, others have their own addresses") {
  Workload group{.shapes = {{100, 64, 32}, {0, 64, 32}}};
  CHECK(packing_of(group) == Packing::Rows);
  group.kind.layout = MatrixLayout::NT;
  CHECK(packing_of(group) == Packing::None);
  group.shapes = {{96, 64, 32}, {96, 64, 0}, {96, 64, 9}};
  CHECK(packing_of(group) == Packing::Depth);
  CHECK(to_string(group) == "3 products that divide K, 96x64x41 bf16 nt in all");
  for (const GemmShape other : {GemmShape{100, 72, 32}, GemmShape{100, 64, 40}}) {
    CHECK(packing_of({.shapes = {{100, 64, 32}, other}}) == Packing::None);
  }
  CHECK(packing_of({.shapes = {{100, 64, 0}, {7, 64, 0}}}) == Packing::None);
  CHECK(to_string(Workload{.shapes = {{100, 64, 32}, {7, 8, 16}}}) ==
        "2 products of different sizes, the first 100x64x32 bf16 tn");
}

TEST_CASE("a single product is a workload with the product's numbers") {
  const Problem problem{.shape = {96, 80, 72}, .kind = {.epilogue = {.bias = true}}};
  const Workload one = workload_of(problem);
  CHECK_FALSE(is_group(one));
  CHECK(packed_product(one) == problem);
  CHECK(flops(one) == flops(problem));
  CHECK(operand_bytes(one) == operand_bytes(problem));
  CHECK(to_string(one) == to_string(problem));
  CHECK_FALSE(is_batch(one));
  const Workload batch{.shapes = {{8, 16, 32}, {8, 16, 32}}};
  CHECK(is_batch(batch));
  CHECK(to_string(batch) == "2 products of 8 rows, 16x16x32 bf16 tn in all");
}

TEST_CASE("a batch is as many equal products, alone and within a group") {
  const auto shapes = [](const char* text) { return parse_shapes(text, MatrixOp::Gemm); };
  const GemmShape one{64, 32, 8192};
  CHECK(shapes("16x64x32x8192") == std::vector<GemmShape>(16, one));
  CHECK(shapes("1x64x32x8192") == std::vector<GemmShape>{one});
  CHECK(shapes("2x64x32x8192,8x8x8") == std::vector<GemmShape>{one, one, {8, 8, 8}});
  CHECK(shapes("8x8x8, 2x0x32x8192") ==
        std::vector<GemmShape>{{8, 8, 8}, {0, 32, 8192}, {0, 32, 8192}});
  for (const char* const text : {"0x64x64x64", "-1x64x64x64", "ax64x64x64", "x64x64x64",
                                 "20000x8x8x8", "16000x8x8x8,16000x8x8x8", "2x0x8x8", "1x2x3x4x5",
                                 "99999999999999999999x8x8x8", "4x64x64x"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(shapes(text), Error);
  }
  CHECK_THROWS_AS(parse_shapes("2x64x32x8", MatrixOp::Syrk), Error);
}

}  // namespace
}  // namespace tilewright
