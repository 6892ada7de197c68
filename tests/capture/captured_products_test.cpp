#include "capture/captured_products.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;

using Elements = std::vector<int64_t>;

// A matrix as a buffer, by columns or by rows.
struct Matrix {
  int64_t rows;
  int64_t columns;
  int32_t order;
  Elements elements = {};

  int64_t& at(int64_t row, int64_t column) {
    const int64_t place = order == blas::kByColumns ? row + column * rows : row * columns + column;
    return elements[static_cast<size_t>(place)];
  }
};

Matrix matrix_of(int64_t rows, int64_t columns, int32_t order, int64_t seed) {
  Matrix matrix{rows, columns, order};
  for (int64_t i = 0; i < rows * columns; ++i)
    matrix.elements.push_back((seed + i * i * 7) % 23 - 9);
  return matrix;
}

// D's buffer as the library writes it, with a bias of 100, 200, ... for its rows.
Elements library_result(const BlasCall& call, Matrix& a, Matrix& b) {
  Matrix d = matrix_of(call.m, call.n, call.order_d, 0);
  const bool is_biased = (call.epilogue & blas::kBias) != 0;
  for (int64_t i = 0; i < call.m; ++i) {
    for (int64_t j = 0; j < call.n; ++j) {
      int64_t sum = is_biased ? 100 * (i + 1) : 0;
      for (int64_t p = 0; p < call.k; ++p) {
        const int64_t left = call.operation_a == blas::kPlain ? a.at(i, p) : a.at(p, i);
        const int64_t right = call.operation_b == blas::kPlain ? b.at(p, j) : b.at(j, p);
        sum += left * right;
      }
      d.at(i, j) = sum;
    }
  }
  return d.elements;
}

// The same buffer as the manual defines the project's product: D by rows, the letters of --layout.
Elements project_result(const Workload& workload, const Elements& a, const Elements& b) {
  const auto [m, n, k] = workload.shapes.front();
  const std::string layout = to_string(workload.kind.layout);
  Elements d;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      int64_t sum = 0;
      if (workload.kind.epilogue.bias) sum += 100 * (j + 1);
      if (workload.kind.epilogue.row_bias) sum += 100 * (i + 1);
      for (int64_t p = 0; p < k; ++p) {
        sum += a[static_cast<size_t>(layout[0] == 't' ? i * k + p : p * m + i)] *
               b[static_cast<size_t>(layout[1] == 'n' ? j * k + p : p * n + j)];
      }
      d.push_back(sum);
    }
  }
  return d;
}

// Calls visit(call) for every operation, order and some sizes.
template <class Visit>
void for_each_call(const Visit& visit) {
  for (int bits = 0; bits < 64; ++bits) {
    for (const auto& [m, n, k] : {GemmShape{1, 1, 1}, {2, 3, 5}, {5, 2, 3}, {3, 5, 2}, {4, 1, 3}}) {
      visit(BlasCall{.m = m,
                     .n = n,
                     .k = k,
                     .operation_a = bits & 1,
                     .operation_b = bits >> 1 & 1,
                     .order_a = bits >> 2 & 1,
                     .order_b = bits >> 3 & 1,
                     .order_d = bits >> 4 & 1,
                     .epilogue = bits >> 5 != 0 ? blas::kBias : blas::kNoEpilogue});
    }
  }
}

TEST_CASE("the workload of a call computes the same elements in the same places") {
  int64_t count = 0;
  for_each_call([&](BlasCall call) {
    const bool plain_a = call.operation_a == blas::kPlain;
    const bool plain_b = call.operation_b == blas::kPlain;
    Matrix a = matrix_of(plain_a ? call.m : call.k, plain_a ? call.k : call.m, call.order_a, 3);
    Matrix b = matrix_of(plain_b ? call.k : call.n, plain_b ? call.n : call.k, call.order_b, 11);
    const CapturedProduct product = captured_product(call);
    REQUIRE(product.why_not.empty());
    const bool is_swapped = call.order_d == blas::kByColumns;
    CHECK(project_result(product.workload, is_swapped ? b.elements : a.elements,
                         is_swapped ? a.elements : b.elements) == library_result(call, a, b));
    ++count;
  });
  CHECK(count == 320);
}

TEST_CASE("types, factors, scales and batches are the workload's") {
  const auto kind_text = [](const BlasCall& call) {
    const CapturedProduct product = captured_product(call);
    return product.why_not.empty() ? to_string(product.workload) : product.why_not;
  };
  BlasCall call{.m = 64, .n = 32, .k = 128, .operation_a = blas::kTransposed};
  CHECK(kind_text(call) == "32x64x128 bf16 tn");
  call.type_d = blas::kF32;
  CHECK(kind_text(call) == "32x64x128 bf16 tn -> f32");
  call.alpha = 0.5;
  call.epilogue = blas::kGelu | blas::kBias;
  CHECK(kind_text(call) == "32x64x128 bf16 tn -> f32 + gelu(0.5*ab+bias)");
  BlasCall fp8{.m = 256, .n = 128, .k = 512, .operation_a = blas::kTransposed};
  fp8.type_a = fp8.type_b = blas::kE4M3;
  fp8.scale_a = blas::kScaleOf128x128;
  fp8.scale_b = blas::kScaleOf128;
  CHECK(kind_text(fp8) == "128x256x512 e4m3 tn scale_a=block:1x128 scale_b=block:128x128@k4");
  fp8.scale_a = fp8.scale_b = blas::kScaleOfTensor;
  CHECK(kind_text(fp8) == "128x256x512 e4m3 tn scale_a scale_b promoted");
  fp8.fast_sums = 1;
  CHECK(kind_text(fp8) == "128x256x512 e4m3 tn scale_a scale_b");
  BlasCall batch{.m = 64, .n = 32, .k = 128, .batch = 16, .operation_a = blas::kTransposed};
  const Workload batched = captured_product(batch).workload;
  CHECK(batched.shapes == std::vector<GemmShape>(16, {32, 64, 128}));
}

TEST_CASE("calls that the project has no workload for have a reason") {
  const auto why_not = [](auto change) {
    BlasCall call{.m = 64, .n = 32, .k = 128};
    change(call);
    return captured_product(call).why_not;
  };
  CHECK(why_not([](BlasCall& c) { c.m = 0; }) == "a size of 0");
  CHECK(why_not([](BlasCall& c) { c.batch = 1 << 20; }) == "a batch of more than 16384 products");
  CHECK(why_not([](BlasCall& c) { c.grouped = 1; }) == "a group of products in one call of cuBLAS");
  CHECK(why_not([](BlasCall& c) { c.type_a = c.type_b = blas::kF32; }) == "operands of f32");
  CHECK(why_not([](BlasCall& c) { c.type_a = c.type_b = blas::kS8; }) == "operands of int8");
  CHECK(why_not([](BlasCall& c) { c.type_a = c.type_b = 33; }) == "operands of CUDA type 33");
  CHECK(why_not([](BlasCall& c) { c.type_a = blas::kF16; }) == "A is bf16 and B is f16");
  CHECK(why_not([](BlasCall& c) { c.type_d = blas::kS8; }) == "D of int8");
  CHECK(why_not([](BlasCall& c) { c.sums = blas::kSumsF16; }) == "sums in f16");
  CHECK(why_not([](BlasCall& c) { c.order_d = 2; }).find("blocks") != std::string::npos);
  CHECK(why_not([](BlasCall& c) { c.factors_on_device = 2; }) == "a factor for each row of D");
  CHECK(why_not([](BlasCall& c) { c.epilogue = 32 | 128; }).find("epilogue 160") == 0);
  CHECK(why_not([](BlasCall& c) {
          c.beta = 1;
          c.type_c = c.type_d = blas::kF32;
        }) == "C of f32 beside operands of bf16");
}

TEST_CASE("a table's calls are each workload once, and every call is counted") {
  const auto table = std::make_unique<CallTable>();
  BlasCall call{.m = 64, .n = 32, .k = 128};
  count_call(*table, call);
  call.pitched = 1;
  for (int i = 0; i < 4; ++i) count_call(*table, call);
  call.type_a = call.type_b = blas::kF64;
  for (int i = 0; i < 3; ++i) count_call(*table, call);
  for (int64_t k = 0; k < 2 * kMaxDistinctCalls; ++k) count_call(*table, {.m = 8, .n = 8, .k = k});
  const CapturedProducts all = captured_products(*table);
  int64_t calls = 0;
  for (const CountedWorkload& one : all.products) calls += one.calls;
  for (const SkippedCalls& one : all.skipped) calls += one.calls;
  CHECK(calls == 8 + 2 * kMaxDistinctCalls);
  CHECK(all.products.front().calls == 5);
  CHECK(all.products.size() == kMaxDistinctCalls - 3);
  CHECK(all.pitched_calls == 4);
  REQUIRE(all.skipped.size() == 3);
  CHECK(contains(all.skipped.front().reason, "more than 4096 distinct products"));
  CHECK(all.skipped[0].calls == kMaxDistinctCalls + 3);
}

}  // namespace
}  // namespace tilewright
