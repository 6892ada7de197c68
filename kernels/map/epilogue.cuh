// The epilogue of a product: D = scale_d activation(alpha scale_a scale_b A B + beta C + bias). One
// record per activation, read by host and kernels.
//
// A gated activation combines two columns of the sums into one column of D, so D has half their
// columns. B has gates and ups in turn, or stacked: all gates before all ups. Kernels read stacked
// columns in turn, so that the sums of a tile are the same in both.
//   sums:  gate 0 | up 0 | gate 1 | up 1 | ...      D:  activation(gate 0) up 0 | ...
#pragma once

namespace tw {

enum class Activation : int { None, Relu, Gelu, GeluErf, Silu, Swiglu, Geglu, GegluErf };

/// `operations` and `specials` count the instructions per element of D: fp32 ones, and those of the
/// special function unit. For a gated activation, curve and errors are those of the gate.
struct ActivationRecord {
  Activation activation;
  const char* name;  // as --epilogue spells it
  const char* formula;
  double steepest;        // largest slope
  double error;           // largest error of the kernels' fp32 value, relative to the value
  double argument_error;  // error to add to that, relative to the argument
  int operations;
  int specials;
  bool gated = false;
};

// A division and an exponential function are one special instruction each, rcp and ex2.
inline constexpr ActivationRecord kActivations[] = {
    {Activation::None, "", "x", 1, 0, 0, 0, 0},
    {Activation::Relu, "relu", "x < 0 ? 0 : x", 1, 0, 0, 2, 0},
    {Activation::Gelu, "gelu", "x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2", 1.13, 2e-5, 0, 9,
     2},
    {Activation::GeluErf, "gelu-erf", "x (1 + erf(x / sqrt(2))) / 2", 1.13, 0, 1e-6, 21, 2},
    {Activation::Silu, "silu", "x / (1 + exp(-x))", 1.1, 2e-5, 0, 6, 2},
    {Activation::Swiglu, "swiglu", "silu(gate) up", 1.1, 2e-5, 0, 7, 2, true},
    {Activation::Geglu, "geglu", "gelu(gate) up", 1.13, 2e-5, 0, 10, 2, true},
    {Activation::GegluErf, "geglu-erf", "gelu-erf(gate) up", 1.13, 0, 1e-6, 22, 2, true},
};

constexpr const ActivationRecord& record_of(Activation activation) {
  for (const ActivationRecord& record : kActivations) {
    if (record.activation == activation) return record;
  }
  return kActivations[0];
}

/// Neighbouring columns of the sums that make one column of D.
constexpr int sum_columns_per_output(Activation activation) {
  return record_of(activation).gated ? 2 : 1;
}

/// The column of a stacked B, of `columns`, for column `column` of the sums.
template <class Int>
constexpr Int stacked_column(Int column, Int columns) {
  return column % 2 * (columns / 2) + column / 2;
}

/// The standard normal distribution up to `x` in fp32, by Abramowitz and Stegun 7.1.26 of x /
/// sqrt(2); its polynomial is off by 7.5e-8 at most. `math` has exp(x) and divide(a, b) of fp32.
template <class Math>
constexpr float normal_below(float x, const Math& math) {
  const float t = math.divide(1.0F, 1.0F + 0.23164189F * (x < 0 ? -x : x));
  float sum = 0.5307027145F;
  sum = sum * t - 0.7265760135F;
  sum = sum * t + 0.7107068705F;
  sum = sum * t - 0.142248368F;
  sum = sum * t + 0.127414796F;
  const float beyond = sum * t * math.exp(-0.5F * x * x);
  return x < 0 ? beyond : 1.0F - beyond;
}

/// The activation of `x`; for a gated one, the factor that the gate gives. `math` provides, for its
/// type, exp(x), divide(a, b) and normal(x), the standard normal distribution up to x. NaN stays
/// NaN.
template <class Real, class Math>
constexpr Real apply_activation(Activation activation, Real x, const Math& math) {
  switch (activation) {
    case Activation::None: return x;
    case Activation::Relu: return x < 0 ? Real(0) : x;
    case Activation::Gelu:
    case Activation::Geglu: {
      // (1 + tanh(y)) / 2 = 1 / (1 + exp(-2 y))
      constexpr Real kTwice = Real(-1.5957691216057308);  // -2 sqrt(2/pi)
      const Real exponent = kTwice * (x + Real(0.044715) * x * x * x);
      return math.divide(x, Real(1) + math.exp(exponent));
    }
    case Activation::GeluErf:
    case Activation::GegluErf: return x * math.normal(x);
    case Activation::Silu:
    case Activation::Swiglu: return math.divide(x, Real(1) + math.exp(-x));
  }
  return x;
}

/// fp32 instructions per element that a bias costs: the conversion to fp32 and the addition.
inline constexpr int kBiasOperations = 2;
/// The same of an absolute maximum: the sign's bit and the comparison; of D's scale: one product.
inline constexpr int kAbsmaxOperations = 2;
inline constexpr int kScaleOperations = 1;

/// The constants of a kernel's epilogue.
struct EpilogueParams {
  bool scaled = false;  // uses alpha, and beta C: kernels without them save the multiplications
  bool bias = false;
  Activation activation = Activation::None;
  bool scale_a = false;
  bool scale_b = false;
  bool row_bias = false;  // one addend per row of D; never beside `bias`
  bool stacked = false;   // of a gated activation: all gates before all ups
  bool scale_d = false;
  bool absmax = false;  // updates the absolute maximum of D before its scale
  bool operator==(const EpilogueParams&) const = default;

  constexpr bool gated() const { return record_of(activation).gated; }
  constexpr bool adds_bias() const { return bias || row_bias; }
  /// True where EpilogueArgs::scaling is read.
  constexpr bool has_scaling() const { return scale_d || absmax; }
  /// The element of the bias for an element of the sums, which have `columns`.
  constexpr int bias_index(int row, int column, int columns) const {
    return row_bias ? row : stacked ? stacked_column(column, columns) : column;
  }
  /// sum_columns_per_output() of the activation.
  constexpr int sum_columns_per_output() const { return tw::sum_columns_per_output(activation); }

  /// Calls visit(name, value) for every constant, in order; the host writes a kernel's text from
  /// these calls.
  template <class Visit>
  constexpr void for_each_constant(Visit visit) const {
    visit("scaled", scaled);
    visit("bias", bias);
    visit("activation", activation);
    visit("scale_a", scale_a);
    visit("scale_b", scale_b);
    visit("row_bias", row_bias);
    visit("stacked", stacked);
    visit("scale_d", scale_d);
    visit("absmax", absmax);
  }
};

/// The scale and the absolute maximum of D, in device memory.
struct OutputScaling {
  float scale = 1;
  /// The bits of an fp32 value, of which a launch leaves the larger one: that, or D's absolute
  /// maximum before the scale. NaN is the largest.
  unsigned absmax = 0;
};

/// Run-time arguments of the epilogue; C and the bias have 16-bit elements.
struct EpilogueArgs {
  float alpha = 1;  // read, like C, if EpilogueParams::scaled
  float beta = 0;
  const unsigned short* c = nullptr;  // read if beta is not 0
  union {
    long long ldc = 0;       // elements between its rows
    OutputScaling* scaling;  // with EpilogueParams::has_scaling(): C's rows lie like D's
  };
  const unsigned short* bias = nullptr;  // EpilogueParams::bias_index() of it
  const float* scale_a = nullptr;        // one value, on the device
  const float* scale_b = nullptr;
};

}  // namespace tw
