// Rows of files and products: each is found from the other.
#include "exchange/vllm_product.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

#include "base/error.hpp"
#include "support/block_answers.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::block_product;
using testing::contains;
using testing::error_message_of;

TEST_CASE("the row of a row's product is that row") {
  std::mt19937_64 random(11);
  const auto upto = [&random](int64_t most) {
    return 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(most));
  };
  for (int repeat = 0; repeat < 500; ++repeat) {
    VllmFileName name{.experts = 1 + upto(63), .n = upto(20000), .device = "NVIDIA_H200"};
    Epilogue scales;
    if (upto(3) == 1) {
      scales = block_product(1).kind.epilogue;
    } else {
      name.block_shape.reset();
      name.per_channel = upto(2) == 1;
      scales.scale_b = name.per_channel ? OperandScale::Line : OperandScale::Tensor;
      scales.scale_a = scales.scale_b;
      if (!name.per_channel && upto(2) == 1) name.dtype.clear();
    }
    name.is_down = upto(2) == 1;
    const ExpertsLayer layer{.hidden = upto(8192), .top_k = upto(name.experts)};
    const int64_t m = upto(9000);
    const auto kind = kind_of(name, scales);
    REQUIRE(kind);
    const Workload product = row_product(name, m, layer, *kind);
    CAPTURE(to_string(name));
    CHECK(std::ssize(product.shapes) == name.experts);
    CHECK(total_rows(product) == m * layer.top_k);
    const auto [least, most] =
        std::minmax_element(product.shapes.begin(), product.shapes.end(),
                            [](const GemmShape& a, const GemmShape& b) { return a.m < b.m; });
    CHECK(most->m - least->m <= 1);
    // Both products of a layer have the operations of an expert's gate, up and down.
    CHECK(product.shapes.front().n * product.shapes.front().k ==
          (name.is_down ? 1 : 2) * name.n * layer.hidden);
    const ExpertsGroups groups{.top_k = layer.top_k, .is_down = name.is_down};
    CHECK(place_of(product, name.device, groups) == VllmPlace{name, m});
  }
  const VllmFileName dense{.n = 7168, .k = 2048, .device = "NVIDIA_H200"};
  CHECK(place_of(row_product(dense, 64, {}, block_product(1).kind), dense.device, {}) ==
        VllmPlace{dense, 64});
}

TEST_CASE("what has no product, and what has no row, is refused by name") {
  VllmFileName name{.experts = 8, .n = 64, .device = "x", .dtype = ""};
  name.block_shape.reset();
  const auto refusal = [&](const VllmFileName& file, const ExpertsLayer& layer) {
    return error_message_of([&] { row_product(file, 1, layer, {}); });
  };
  CHECK(contains(refusal(name, {}), "add --hidden and --top-k"));
  CHECK(contains(refusal(name, {.hidden = 64, .top_k = 9}), "more than its 8 experts"));
  VllmFileName many = name;
  many.experts = 2'000'000'000;
  CHECK(contains(refusal(many, {.hidden = 64, .top_k = 1}), "more than 16384 products"));
  VllmFileName wide = name;
  wide.n = 2'000'000'000;
  CHECK(contains(refusal(wide, {.hidden = 64, .top_k = 1}), "more than 2^31 - 1"));
  CHECK(!kind_of({.experts = 8, .n = 64, .device = "x", .dtype = "int8_w8a16"}, {}));
  CHECK(!kind_of({.experts = 8, .n = 64, .device = "x"}, {}));  // no block scales
  CHECK(!kind_of(name, {}).value().epilogue.bias);

  Workload group{.shapes = {{2, 8, 16}, {4, 8, 16}}};
  const auto complaint = [&](const ExpertsGroups& groups) {
    return error_message_of([&] { place_of(group, "x", groups); });
  };
  CHECK(contains(complaint({}), "add --top-k"));
  CHECK(contains(complaint({.top_k = 4}), "6 rows are no whole number of tokens"));
  group.shapes[1].n = 16;
  CHECK(contains(complaint({.top_k = 2}), "groups that share N and K"));
  group.shapes[1].n = 8;
  group.kind.epilogue.bias = true;
  CHECK(contains(complaint({.top_k = 2}), "groups that share N and K"));
  group.kind.epilogue = {};
  group.kind.dtype = DataType::F32;
  CHECK(contains(complaint({.top_k = 2}), "bf16 or f16"));
  group.kind.dtype = DataType::F16;
  for (GemmShape& shape : group.shapes) shape.n = 7;
  CHECK(contains(complaint({.top_k = 2}), "an even N"));
  CHECK(place_of(group, "x", {.top_k = 2, .is_down = true}).name.n == 16);
}

}  // namespace
}  // namespace tilewright
