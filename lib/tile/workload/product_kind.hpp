// The properties of a product apart from its sizes: types, layout and epilogue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "map/element_type.cuh"
#include "map/epilogue.cuh"
#include "map/operand_scale.cuh"

namespace tilewright {

using DataType = tw::ElementType;

/// Which dimension of A and of B is contiguous, in BLAS letters for row-major D: t(n) A is m x k,
/// n(n) A is k x m; (t)n B is n x k, (t)t B is k x n.
enum class MatrixLayout { TN, NN, NT, TT };

inline constexpr std::string_view kMatrixLayouts[] = {"tn", "nn", "nt", "tt"};

using tw::bytes_of;
std::string to_string(DataType type);
/// Parses the type of an operand. Throws a usage error that lists the known types.
DataType parse_data_type(std::string_view text);
/// Parses the type of D. Throws a usage error.
DataType parse_output_type(std::string_view text);
/// "bf16 and f16": the types that operands, and D, may have.
std::string operand_type_names();
std::string output_type_names();

std::string to_string(MatrixLayout layout);
/// Parses one of kMatrixLayouts. Throws a usage error.
MatrixLayout parse_matrix_layout(std::string_view text);
/// True where k is the contiguous dimension of A, of B.
bool is_k_major_a(MatrixLayout layout);
bool is_k_major_b(MatrixLayout layout);

using tw::Accumulation;
using tw::Activation;
using tw::OperandScale;
using tw::ScaleForm;

/// The epilogue of a product: D = scale_d activation(alpha scale_a scale_b A B + beta C + bias).
struct Epilogue {
  std::optional<DataType> out_dtype = {};  // type of D where it is not addend_type()
  float alpha = 1;
  float beta = 0;     // factor of C, m x n; C is not read where beta is 0
  bool bias = false;  // a row of n elements, added to every row
  Activation activation = Activation::None;
  OperandScale scale_a = OperandScale::None;  // fp32 factors of A in device memory
  OperandScale scale_b = OperandScale::None;
  bool row_bias = false;  // a column of m elements, added to every column; not beside `bias`
  bool stacked = false;   // of a gated activation: B has all gates before all ups, not in turn
  bool scale_d = false;   // an fp32 factor of D in device memory
  bool absmax = false;    // the absolute maximum of D before scale_d, in device memory
  bool operator==(const Epilogue&) const = default;
};

/// "gelu(0.5*ab+2*c+bias)": the terms, each with its factor where that is not 1, and the activation
/// around them, with "@stacked" behind its name where gates and ups are; empty where D is A B.
/// Types, scales and the absolute maximum are not included.
std::string to_string(const Epilogue& epilogue);
/// Parses that text. Throws a usage error that lists the known terms.
Epilogue parse_epilogue(std::string_view text);

/// The activation of `x` in float64; for a gated one, the factor that the gate gives.
double activation_value(Activation activation, double x);

/// True for "tensor", one factor of D. Throws a usage error on anything else.
bool parse_output_scale(std::string_view text);

/// An operand, as scales name it.
enum class Operand { A, B };

/// The scale's name as --scale-a or --scale-b spells it; empty for none.
std::string_view scale_name(OperandScale scale, Operand operand);
/// "tensor, row, ...": the scales that the operand may have.
std::string scale_names(Operand operand);
/// Parses one of them. Throws a usage error.
OperandScale parse_scale(std::string_view text, Operand operand);

/// Names of the activations: "relu, gelu, gelu-erf, silu, swiglu, geglu or geglu-erf".
std::string activation_names();

/// The epilogue's constants of a kernel.
tw::EpilogueParams epilogue_params(const Epilogue& epilogue);
/// is_linear: D is linear in A B, before its rounding, and nothing else is computed. is_plain: D is
/// A B, rounded.
bool is_linear(const Epilogue& epilogue);
bool is_plain(const Epilogue& epilogue);
/// " scale_a=row scale_b=column scale_d absmax", those of the epilogue; " scale_a" for a tensor's.
std::string scales_text(const Epilogue& epilogue);

/// A product without its sizes; rows are tight, D has contiguous columns. A launch has at most one
/// CTA for each of its `sms`; the hardware chooses the multiprocessors.
struct ProductKind {
  DataType dtype = DataType::BF16;  // of A and B; accumulation is fp32
  MatrixLayout layout = MatrixLayout::TN;
  Epilogue epilogue = {};
  Accumulation accumulation = Accumulation::Fast;  // of 8-bit operands
  int sms = 0;  // multiprocessors that the launch keeps to; 0: all of the device
  bool operator==(const ProductKind&) const = default;
};

std::string to_string(Accumulation accumulation);
/// Parses one of tw::kAccumulations. Throws a usage error.
Accumulation parse_accumulation(std::string_view text);

/// True where every 128 of K have scales of their own.
bool has_block_scales(const ProductKind& kind);
/// True where the sums of every 128 of K are added in fp32 registers.
bool is_promoted(const ProductKind& kind);
/// Terms that the tensor cores sum of an element's `k`.
int64_t terms_at_once(const ProductKind& kind, int64_t k);

/// The type of C and of the bias; output_type(): of D, which is the same by default.
DataType addend_type(const ProductKind& kind);
DataType output_type(const ProductKind& kind);

/// Columns of D where A B has n: half as many where the activation is gated.
int64_t output_columns(const ProductKind& kind, int64_t n);

/// The same kind with `out_dtype` left out where it is addend_type(), and without an accumulation
/// where the scales imply it.
ProductKind normalised(ProductKind kind);

/// Multiprocessors that a launch of the kind keeps to, on a device with `of_device`.
int usable_sms(const ProductKind& kind, int of_device);
/// Parses the text of `sms`, 1 to kMaxMultiprocessors. Throws a usage error.
int parse_sms(std::string_view text);

/// "bf16 tn", with " -> f32", " + bias" or another epilogue, " scale_a", " scale_a=row", "
/// promoted" and " sms=100" where they apply.
std::string to_string(const ProductKind& kind);

}  // namespace tilewright
