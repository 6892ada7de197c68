#include "serve/array_call.hpp"

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "serve/matrix_view.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::error_message_of;

constexpr ArrayType kBf16 = {kDlpackBfloat, 16, 1};
constexpr ArrayType kF32 = {kDlpackFloat, 32, 1};
constexpr ArrayType kE4m3 = {kDlpackE4m3, 8, 1};
constexpr ArrayType kI32 = {kDlpackInt, 32, 1};

/// A matrix on device 0 with rows `pitch` elements apart, or its transpose with columns so far
/// apart.
struct Matrix {
  Array array;
  std::array<int64_t, 3> shape;
  std::array<int64_t, 3> strides;

  Matrix(uintptr_t address, int64_t rows, int64_t columns, int64_t pitch, bool is_turned = false,
         int64_t planes = 0)
      : shape{planes, rows, columns},
        strides{(is_turned ? columns : rows) * pitch, is_turned ? 1 : pitch,
                is_turned ? pitch : 1} {
    const size_t first = planes == 0 ? 1 : 0;
    array.data = reinterpret_cast<void*>(address);
    array.device = {kDlpackCuda, 0};
    array.ndim = planes == 0 ? 2 : 3;
    array.type = kBf16;
    array.shape = shape.data() + first;
    array.strides = strides.data() + first;
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
};

struct Vector {
  Array array;
  int64_t extent;
  int64_t stride = 1;

  Vector(uintptr_t address, int64_t count, ArrayType type) : extent(count) {
    array.data = reinterpret_cast<void*>(address);
    array.device = {kDlpackCuda, 0};
    array.ndim = 1;
    array.type = type;
    array.shape = &extent;
    array.strides = &stride;
  }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
};

/// The offset, in elements, of element (i, k) of A or (k, j) of B by the layouts of serve/api.h.
int64_t place_of_a(const shipped_call& call, int64_t i, int64_t k) {
  const bool k_runs = call.layout == SHIPPED_TN || call.layout == SHIPPED_TT;
  return k_runs ? i * call.lda + k : k * call.lda + i;
}
int64_t place_of_b(const shipped_call& call, int64_t k, int64_t j) {
  const bool k_runs = call.layout == SHIPPED_TN || call.layout == SHIPPED_NN;
  return k_runs ? j * call.ldb + k : k * call.ldb + j;
}

TEST_CASE("a product call addresses every element of its views") {
  std::mt19937_64 random(5);
  const auto size = [&random] { return static_cast<int64_t>(2 + random() % 6); };
  for (int trial = 0; trial < 4000; ++trial) {
    const int64_t m = size();
    const int64_t n = size();
    const int64_t k = size();
    const bool turned_a = trial % 2 == 0;
    const bool turned_b = trial % 4 < 2;
    const int64_t groups = trial % 3 == 0 ? size() : 0;
    const Matrix a(4096, m, k, (turned_a ? m : k) + size() - 2, turned_a);
    const Matrix b(8192, k, n, (turned_b ? k : n) + size() - 2, turned_b, groups);
    const Matrix out(65536, m, n, n + size() - 2);
    const ProductArrays arrays{&a.array, &b.array, nullptr, nullptr, nullptr, nullptr};
    const std::vector<int64_t> rows(static_cast<size_t>(groups), 1);
    ArrayCall made =
        groups > 0 ? grouped_call(arrays, &rows, nullptr) : product_call(arrays, nullptr);
    set_out(made, out.array);
    const shipped_call& call = made.call;
    CAPTURE(trial);
    REQUIRE(call.m == m);
    REQUIRE(call.n == n);
    REQUIRE(call.k == k);
    REQUIRE(call.groups == groups);
    REQUIRE(call.a == a.array.data);
    REQUIRE(call.b == b.array.data);
    REQUIRE(call.d == out.array.data);
    REQUIRE(call.ldd == out.strides[1]);
    for (int64_t x = 0; x < k; ++x) {
      for (int64_t i = 0; i < m; ++i) {
        REQUIRE(place_of_a(call, i, x) == i * a.strides[1] + x * a.strides[2]);
      }
      for (int64_t j = 0; j < n; ++j) {
        REQUIRE(place_of_b(call, x, j) == x * b.strides[1] + j * b.strides[2]);
      }
    }
  }
}

TEST_CASE("an update call takes a and b along n or k, with the strides of c and the planes") {
  for (const int32_t op : {SHIPPED_SYRK, SHIPPED_SYR2K, SHIPPED_HER2K}) {
    for (const bool turned_a : {false, true}) {
      for (const bool turned_b : {false, true}) {
        const int64_t planes = op == SHIPPED_HER2K ? 2 : 0;
        const Matrix a(4096, 6, 4, 9, turned_a, planes);
        const Matrix b(8192, 6, 4, 10, turned_b, planes);
        const Matrix c(16384, 6, 6, 7, false, planes);
        const UpdateArrays arrays{&a.array, op == SHIPPED_SYRK ? nullptr : &b.array, &c.array};
        const ArrayCall made = update_call(op, SHIPPED_LOWER, arrays, 2, 3, nullptr);
        const shipped_call& call = made.call;
        CHECK(call.op == op);
        CHECK(call.m == 6);
        CHECK(call.n == 6);
        CHECK(call.k == 4);
        CHECK(call.lda == 9);
        CHECK(call.ldc == 7);
        CHECK(call.alpha == 2);
        CHECK(call.beta == 3);
        CHECK(made.ndim == (planes == 0 ? 2 : 3));
        for (int64_t i = 0; i < 6; ++i) {
          for (int64_t x = 0; x < 4; ++x) {
            CHECK(place_of_a(call, i, x) == i * a.strides[1] + x * a.strides[2]);
            // The B of a rank-k update is n x k.
            if (op == SHIPPED_SYRK) continue;
            CHECK(place_of_b(call, x, i) == i * b.strides[1] + x * b.strides[2]);
          }
        }
      }
    }
  }
}

TEST_CASE("an unusable argument is refused by name") {
  struct Given {
    Matrix a{4096, 6, 4, 4};
    Matrix b{8192, 4, 8, 8};
    Matrix out{65536, 6, 8, 8};
    Vector bias{16384, 8, kBf16};
    Vector scale{20480, 1, kF32};
    bool has_bias = true;
  };
  struct Refusal {
    bool is_of_type = false;
    std::string words;
  };
  const auto refusal = [](const std::function<void(Given&)>& change) {
    Given given;
    change(given);
    Refusal got;
    try {
      ArrayCall made = product_call(
          {&given.a.array, &given.b.array, &given.bias.array, &given.scale.array, nullptr, nullptr},
          nullptr);
      require_on_gpu(made);
      set_out(made, given.out.array);
    } catch (const TypeFault& fault) {
      got = {true, fault.what()};
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::Usage);
      got = {false, error.what()};
    }
    return got;
  };
  const auto value = [&](const std::function<void(Given&)>& change) {
    const Refusal got = refusal(change);
    CHECK(!got.is_of_type);
    return got.words;
  };
  const auto type = [&](const std::function<void(Given&)>& change) {
    const Refusal got = refusal(change);
    CHECK(got.is_of_type);
    return got.words;
  };
  CHECK(value([](Given&) {}).empty());
  CHECK(type([](Given& g) { g.a.array.type = kF32; }) ==
        "a is float32: operands are bfloat16, float16, float8_e4m3fn or float8_e5m2");
  CHECK(type([](Given& g) { g.b.array.type = kE4m3; }) ==
        "b is float8_e4m3fn, and this function takes bfloat16");
  CHECK(type([](Given& g) { g.bias.array.type = kF32; }) ==
        "bias is float32, and this function takes bfloat16");
  CHECK(type([](Given& g) { g.scale.array.type = kI32; }) ==
        "scale_a is int32, and this function takes float32");
  CHECK(type([](Given& g) { g.out.array.type = kF32; }) ==
        "out is float32, and the result is bfloat16");
  CHECK(value([](Given& g) { g.b.shape[1] = 5; }) == "b has 5 rows, and it must have 4");
  CHECK(value([](Given& g) { g.bias.extent = 7; }) == "bias has 7 elements, and it must have 8");
  CHECK(value([](Given& g) { g.out.shape[2] = 7; }) == "out has 7 columns, and it must have 8");
  CHECK(value([](Given& g) { g.a.array.ndim = 1; }) ==
        "a has 1 dimensions, and this function takes 2");
  CHECK(value([](Given& g) { g.a.array.device = {1, 0}; }) == "a is not on a CUDA device");
  CHECK(value([](Given& g) { g.b.array.device.index = 1; }) ==
        "the arrays of a call are on different devices");
  CHECK(value([](Given& g) { g.out.array.device.index = 1; }) ==
        "out and a are on different devices");
  CHECK(value([](Given& g) { g.out.array.data = g.a.array.data; }) ==
        "out overlaps the memory of an operand");
  CHECK(value([](Given& g) { g.out.array.data = g.scale.array.data; }) ==
        "out overlaps the memory of an operand");
  CHECK(value([](Given& g) {
          g.out.strides = {0, 1, 6};
        }).find("out: its rows are 1 elements apart and its columns 6") == 0);
}

TEST_CASE("a result has a's type, bf16 for fp8, or the requested type") {
  Matrix a(4096, 6, 4, 4);
  Matrix b(8192, 4, 8, 8);
  const ProductArrays arrays{&a.array, &b.array, nullptr, nullptr, nullptr, nullptr};
  CHECK(product_call(arrays, nullptr).call.out_type == SHIPPED_BF16);
  CHECK(product_call(arrays, &kF32).call.out_type == SHIPPED_F32);
  a.array.type = b.array.type = kE4m3;
  CHECK(product_call(arrays, nullptr).call.type == SHIPPED_E4M3);
  CHECK(product_call(arrays, nullptr).call.out_type == SHIPPED_BF16);
  CHECK(error_message_of([&] { product_call(arrays, &kE4m3); }) ==
        "the result cannot be float8_e4m3fn: it must be bfloat16, float16 or float32");
}

TEST_CASE("arrays without elements have no address and any strides") {
  const Matrix a(4096, 0, 4, 1);
  const Matrix b(8192, 4, 8, 8);
  const Matrix out(4096, 0, 8, 1);
  ArrayCall made = product_call({&a.array, &b.array, nullptr, nullptr, nullptr, nullptr}, nullptr);
  set_out(made, out.array);
  CHECK(made.call.m == 0);
  CHECK(made.call.a == nullptr);
  CHECK(made.call.d == nullptr);
}

}  // namespace
}  // namespace tilewright
