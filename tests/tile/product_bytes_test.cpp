#include "tile/workload/product_bytes.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace tilewright {
namespace {

TEST_CASE("the bytes of a product count what its epilogue reads") {
  const Problem plain{{128, 64, 256}};
  Problem other = plain;
  other.kind.epilogue.beta = 1;
  CHECK(operand_bytes(other) - operand_bytes(plain) == 128 * 64 * 2);
  other.kind.epilogue = {.bias = true};
  CHECK(operand_bytes(other) - operand_bytes(plain) == 64 * 2);
  other.kind.epilogue = {.row_bias = true};
  CHECK(operand_bytes(other) - operand_bytes(plain) == 128 * 2);
  other.kind.epilogue = {.out_dtype = DataType::E4M3, .scale_d = true, .absmax = true};
  CHECK(operand_bytes(plain) - operand_bytes(other) == 128 * 64 - 2 * 4);
  other.kind.epilogue = {.activation = Activation::Gelu};
  CHECK(operand_bytes(other) == operand_bytes(plain));
  other.kind.epilogue = {.activation = Activation::Swiglu};
  CHECK(operand_bytes(plain) - operand_bytes(other) == 128 * 32 * 2);
  other.kind.epilogue.bias = true;  // for gates and ups
  CHECK(operand_bytes(plain) + 64 * 2 - operand_bytes(other) == 128 * 32 * 2);
}

TEST_CASE("bytes beyond 64 bits are counted, whatever the operation") {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  const double matrix = 2.0 * kMax * kMax;
  Workload w{.shapes = {{kMax, kMax, kMax}}};
  CHECK(operand_bytes(w) == doctest::Approx(3 * matrix).epsilon(1e-15));
  CHECK(operand_bytes(problem_of(w, 0)) == operand_bytes(w));
  w.kind.epilogue = {.out_dtype = DataType::F32, .beta = 1};
  CHECK(operand_bytes(w) == doctest::Approx(5 * matrix).epsilon(1e-15));
  w = {.op = MatrixOp::Her2k, .uplo = Uplo::Full, .shapes = {{kMax, kMax, kMax}}};
  CHECK(operand_bytes(w) == doctest::Approx(6 * matrix).epsilon(1e-15));
  w = {.shapes = std::vector<GemmShape>(100, {kMax, kMax, kMax})};
  CHECK(operand_bytes(w) == doctest::Approx(300 * matrix).epsilon(1e-15));
}

TEST_CASE("a product without elements in D reads nothing, one without K only its addends") {
  Workload w{.kind = {.epilogue = {.beta = 1}}, .shapes = {{0, 8, 32}, {8, 0, 32}, {16, 8, 0}}};
  CHECK(product_bytes(w, 0) == ProductBytes{});
  CHECK(product_bytes(w, 1) == ProductBytes{});
  CHECK(product_bytes(w, 2) == ProductBytes{.addends = 2 * 16 * 8, .output = 2 * 16 * 8});
  CHECK(operand_bytes(w) == 4 * 16 * 8);
}

TEST_CASE("a triangle reads C and stores D for its elements, a mirrored one stores the square") {
  Workload w{.op = MatrixOp::Syr2k, .kind = {.epilogue = {.beta = 1}}, .shapes = {{100, 100, 32}}};
  const double triangle = 100 * 101 / 2 * 2;
  const double matrices = 2 * 100 * 32 * 2;
  CHECK(product_bytes(w, 0) == ProductBytes{matrices, triangle, triangle});
  w.uplo = Uplo::Full;
  CHECK(product_bytes(w, 0) == ProductBytes{matrices, triangle, 100 * 100 * 2});
  w.op = MatrixOp::Syrk;
  CHECK(product_bytes(w, 0) == ProductBytes{matrices / 2, triangle, 100 * 100 * 2});
}

}  // namespace
}  // namespace tilewright
