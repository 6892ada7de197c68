// What becomes of a product's sums: D = activation(alpha scale_a scale_b A B + beta C + bias). A
// record an activation, which host and kernels ask.
#pragma once

namespace tw {

enum class Activation : int { None, Relu, Gelu };

/// `operations` and `specials` are instructions of an element: fp32 ones, and those of the special
/// function unit.
struct ActivationRecord {
  Activation activation;
  const char* name;  // as --epilogue spells it
  const char* formula;
  double steepest;  // most that it moves, of what its argument moves
  double error;     // most that the kernels' fp32 value is off, of the value
  int operations;
  int specials;
};

inline constexpr ActivationRecord kActivations[] = {
    {Activation::None, "", "x", 1, 0, 0, 0},
    {Activation::Relu, "relu", "x < 0 ? 0 : x", 1, 0, 2, 0},
    // ex2 and rcp.
    {Activation::Gelu, "gelu", "x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2", 1.13, 2e-5, 9, 2},
};

constexpr const ActivationRecord& record_of(Activation activation) {
  for (const ActivationRecord& record : kActivations) {
    if (record.activation == activation) return record;
  }
  return kActivations[0];
}

/// The activation of `x`; `math` has exp(x) and divide(a, b) of its type. A NaN stays one.
template <class Real, class Math>
constexpr Real activated(Activation activation, Real x, const Math& math) {
  switch (activation) {
    case Activation::None: return x;
    case Activation::Relu: return x < 0 ? Real(0) : x;
    case Activation::Gelu: {
      // (1 + tanh(y)) / 2 = 1 / (1 + exp(-2 y))
      constexpr Real kTwice = Real(-1.5957691216057308);  // -2 sqrt(2/pi)
      const Real exponent = kTwice * (x + Real(0.044715) * x * x * x);
      return math.divide(x, Real(1) + math.exp(exponent));
    }
  }
  return x;
}

/// The constants of a kernel's epilogue.
struct EpilogueParams {
  bool scaled = false;  // knows alpha, and beta C: kernels without them save the multiplications
  bool bias = false;
  Activation activation = Activation::None;
  bool scale_a = false;
  bool scale_b = false;
  bool operator==(const EpilogueParams&) const = default;

  /// Calls visit(name, value) for every constant, in order: what the host writes a kernel's text
  /// of.
  template <class Visit>
  constexpr void for_each_constant(Visit visit) const {
    visit("scaled", scaled);
    visit("bias", bias);
    visit("activation", activation);
    visit("scale_a", scale_a);
    visit("scale_b", scale_b);
  }
};

/// What a launch's epilogue reads; of C and the bias 16-bit elements.
struct EpilogueArgs {
  float alpha = 1;  // of kernels with EpilogueParams::scaled, like C
  float beta = 0;
  const unsigned short* c = nullptr;     // read if beta is not 0
  long long ldc = 0;                     // elements between its rows
  const unsigned short* bias = nullptr;  // one an output column
  const float* scale_a = nullptr;        // one value, on the device
  const float* scale_b = nullptr;
};

}  // namespace tw
