// Types, layouts and epilogues as text, and the values of activations.
#include "tile/workload/product_kind.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>

#include "support/error_message.hpp"
#include "tile/workload/problem.hpp"

using namespace tilewright;
using testing::contains;
using testing::error_message_of;

namespace {

double value(Activation activation, double x) {
  return activation_value(activation, x);
}

std::string why_no_epilogue(const char* text) {
  return error_message_of([&] { parse_epilogue(text); });
}

}  // namespace

TEST_CASE("an epilogue's text reads back, and no two epilogues share a text") {
  std::set<std::string> texts;
  size_t count = 0;
  for (const tw::ActivationRecord& record : tw::kActivations) {
    for (const float alpha : {1.0F, 0.0F, -2.0F, 0.1F, 1e-30F}) {
      for (const float beta : {0.0F, 1.0F, 0.25F, -3e20F}) {
        for (const int form : {0, 1, 2, 3, 4, 5}) {
          Epilogue epilogue{.alpha = alpha, .beta = beta, .bias = form % 3 == 1};
          epilogue.row_bias = form % 3 == 2;
          epilogue.activation = record.activation;
          epilogue.stacked = form >= 3;
          if (epilogue.stacked && !record.gated) continue;
          const std::string text = to_string(epilogue);
          CAPTURE(text);
          if (text.empty()) {
            CHECK(is_plain(epilogue));
          } else {
            CHECK(parse_epilogue(text) == epilogue);
          }
          texts.insert(text);
          ++count;
        }
      }
    }
  }
  CHECK(texts.size() == count);
  CHECK(parse_epilogue("gelu(bias)") == Epilogue{.bias = true, .activation = Activation::Gelu});
  CHECK(parse_epilogue("bias+c+2*ab") == Epilogue{.alpha = 2, .beta = 1, .bias = true});
  CHECK(parse_epilogue("swiglu@stacked(row-bias)") ==
        Epilogue{.activation = Activation::Swiglu, .row_bias = true, .stacked = true});
}

TEST_CASE("a bad epilogue is refused with the known ones") {
  for (const char* const text : {"",
                                 "gel",
                                 "gelu(",
                                 "gelu()",
                                 "gelu(bias",
                                 "gelu(biasx",
                                 "gelubias)",
                                 "bias+bias",
                                 "relu(gelu)",
                                 "2*bias",
                                 "x*c",
                                 "inf*c",
                                 "1e39*c",
                                 "nan*ab",
                                 "c+c",
                                 "bias+",
                                 "+",
                                 "gelu(bias)+c",
                                 " bias",
                                 "relu relu",
                                 "silu@stacked",
                                 "@stacked",
                                 "swiglu@halves",
                                 "swiglu(bias)@stacked",
                                 "bias+row-bias",
                                 "row-bias+row-bias",
                                 "2*row-bias"}) {
    CAPTURE(text);
    CHECK(
        contains(why_no_epilogue(text), "relu, gelu, gelu-erf, silu, swiglu, geglu or geglu-erf"));
  }
  CHECK(contains(error_message_of([] { parse_scale("column", Operand::A); }), "tensor"));
}

TEST_CASE("golden: values of the activations") {
  // Computed with Python's math.tanh.
  const std::pair<double, double> gelu[] = {
      {-3, -0.0036373920817729943}, {-1, -0.15880800939172324},
      {-0.5, -0.15428599017485606}, {0, 0},
      {0.5, 0.34571400982514394},   {1, 0.8411919906082768},
      {3, 2.996362607918227}};
  for (const auto& [x, expected] : gelu) {
    CHECK(value(Activation::Gelu, x) == doctest::Approx(expected).epsilon(1e-12));
  }
  for (double x = -50; x < 50; x += 0.37) {
    CHECK(value(Activation::Relu, x) == std::fmax(x, 0));
    CHECK(value(Activation::None, x) == x);
    // Computed with tanh.
    const double y = std::sqrt(2 / std::acos(-1)) * (x + 0.044715 * x * x * x);
    CHECK(value(Activation::Gelu, x) == doctest::Approx(x * (1 + std::tanh(y)) / 2).epsilon(1e-9));
  }
  for (double x = -30; x < 30; x += 0.37) {
    CHECK(value(Activation::Silu, x) ==
          doctest::Approx(x * (1 + std::tanh(x / 2)) / 2).epsilon(1e-9));
    CHECK(value(Activation::GeluErf, x) ==
          doctest::Approx(x * (1 + std::erf(x / std::sqrt(2))) / 2).epsilon(1e-9));
  }
  for (const tw::ActivationRecord& record : tw::kActivations) {
    CHECK(std::isnan(value(record.activation, std::numeric_limits<double>::quiet_NaN())));
    CHECK(value(record.activation, 1e30) == 1e30);
  }
}

TEST_CASE("each activation's slope stays within its record's limit and comes near it") {
  for (const tw::ActivationRecord& record : tw::kActivations) {
    constexpr double kStep = 1e-4;
    double steepest = 0;
    for (double x = -10; x < 10; x += kStep) {
      const double rise = value(record.activation, x + kStep) - value(record.activation, x);
      steepest = std::fmax(steepest, std::fabs(rise) / kStep);
    }
    CAPTURE(record.name);
    CHECK(steepest <= record.steepest + 1e-9);
    CHECK(steepest > 0.99 * record.steepest);
  }
}

// fp32 arithmetic with the largest errors that the kernels' intrinsics may have (CUDA C++
// Programming Guide, intrinsic functions): 2 + |1.173 x| units in the last place of exp(x), 2 of a
// quotient.
struct WorstFloat {
  double exp_sign;
  double quotient_sign;

  static float off(double value, double units) {
    const double result = value * (1 + units * std::ldexp(1.0, -23));
    return result > std::numeric_limits<float>::max() ? std::numeric_limits<float>::infinity()
                                                      : static_cast<float>(result);
  }
  float exp(float x) const {
    const double value = std::exp(static_cast<double>(x));
    const bool representable = value > 1e-40 && value < 1e40;
    return off(value, representable ? exp_sign * (2 + std::floor(std::fabs(1.173 * x))) : 0);
  }
  float divide(float a, float b) const {
    return off(static_cast<double>(a) / static_cast<double>(b), 2 * quotient_sign);
  }
  float normal(float x) const { return tw::normal_below(x, *this); }
};

// Visits every sign, exponent and many mantissas of normal fp32 numbers that have normal products
// with a normal number.
template <class Visit>
void for_each_float(Visit visit) {
  for (int exponent = -90; exponent < 127; ++exponent) {
    const int parts = exponent >= -8 && exponent <= 7 ? 1021 : 7;
    for (int part = 0; part < parts; ++part) {
      const double magnitude = std::ldexp(1 + static_cast<double>(part) / parts, exponent);
      visit(static_cast<float>(magnitude));
      visit(static_cast<float>(-magnitude));
    }
  }
}

TEST_CASE("an activation in the kernels' fp32 has at most its record's error") {
  // Far below the difference that any comparison of results can detect; the intrinsics' relative
  // error is larger there.
  constexpr double kSmallest = 1e-30;
  for (const tw::ActivationRecord& record : tw::kActivations) {
    CAPTURE(record.name);
    double most = 0;  // largest error, relative to the record's limit
    for (const double exp_sign : {-1.0, 0.0, 1.0}) {
      for (const double quotient_sign : {-1.0, 0.0, 1.0}) {
        const WorstFloat math{exp_sign, quotient_sign};
        for_each_float([&](float x) {
          const double right = value(record.activation, x);
          const double allowed = record.error * std::fabs(right) +
                                 record.argument_error * std::fabs(static_cast<double>(x)) +
                                 kSmallest;
          const double got = tw::apply_activation(record.activation, x, math);
          most = std::fmax(most, std::fabs(got - right) / allowed);
          if (std::isnan(got)) most = std::numeric_limits<double>::infinity();
        });
      }
    }
    CHECK(most <= 1);
    // No record's limit is too loose; relu has no error.
    if (record.specials > 0) CHECK(most > 0.4);
  }
}

TEST_CASE("a kind's text names the differences from a plain product") {
  CHECK(to_string(ProductKind{}) == "bf16 tn");
  CHECK(to_string(ProductKind{.dtype = DataType::E4M3,
                              .epilogue = {.out_dtype = DataType::F32,
                                           .activation = Activation::Relu,
                                           .scale_a = OperandScale::Tensor,
                                           .scale_b = OperandScale::Tensor}}) ==
        "e4m3 tn -> f32 + relu scale_a scale_b");
  CHECK(to_string(Problem{{8, 16, 32}, {.epilogue = {.bias = true}}}) == "8x16x32 bf16 tn + bias");
  CHECK(to_string(ProductKind{.epilogue = {.out_dtype = DataType::E4M3,
                                           .activation = Activation::Geglu,
                                           .stacked = true,
                                           .scale_d = true,
                                           .absmax = true}}) ==
        "bf16 tn -> e4m3 + geglu@stacked scale_d absmax");
  CHECK(to_string(ProductKind{.epilogue = {.bias = true}, .sms = 100}) == "bf16 tn + bias sms=100");
}

TEST_CASE("only an unscaled D without a maximum, as wide as its sums, is linear") {
  CHECK(is_linear(parse_epilogue("2*ab+c+row-bias")));
  CHECK(is_linear(Epilogue{.out_dtype = DataType::F32}));
  CHECK(!is_linear(Epilogue{.out_dtype = DataType::E4M3}));
  CHECK(!is_linear(Epilogue{.scale_d = true}));
  CHECK(!is_linear(Epilogue{.absmax = true}));
}

TEST_CASE("a gated activation halves D's columns") {
  for (const tw::ActivationRecord& record : tw::kActivations) {
    const ProductKind kind{.epilogue = {.activation = record.activation}};
    CHECK(output_columns(kind, 96) == (record.gated ? 48 : 96));
    const std::string name = record.name;
    CHECK(record.gated == (name.find("glu") != name.npos));
  }
}
