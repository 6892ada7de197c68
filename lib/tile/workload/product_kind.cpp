#include "tile/workload/product_kind.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/type_name.hpp"

namespace tilewright {
namespace {

// The type with that name, if it may play the role.
std::optional<DataType> known_type(std::string_view text, bool tw::ElementRecord::*role) {
  text = short_type_name(text);
  for (const tw::ElementRecord& record : tw::kElements) {
    const bool named = text == record.name || (*record.other != 0 && text == record.other);
    if (named && record.*role) return record.type;
  }
  return {};
}

// "bf16, f16 and f32".
std::string type_names(bool tw::ElementRecord::*role) {
  std::vector<std::string_view> names;
  for (const tw::ElementRecord& record : tw::kElements) {
    if (record.*role) names.emplace_back(record.name);
  }
  return join_words(names, "and");
}

// "3e20", not "3e+20": a plus separates terms.
std::string factor_text(float factor) {
  std::string text = format("{}", factor);
  std::erase(text, '+');
  return text;
}

// " scale_a" for a factor of the whole operand, " scale_a=row" for others.
std::string scale_text(const char* key, OperandScale scale, Operand operand) {
  if (scale == OperandScale::None) return "";
  if (scale == OperandScale::Tensor) return format(" {}", key);
  return format(" {}={}", key, scale_name(scale, operand));
}

struct HostMath {
  double exp(double x) const { return std::exp(x); }
  double divide(double a, double b) const { return a / b; }
  double normal(double x) const { return std::erfc(-x / std::sqrt(2)) / 2; }
};

Error unknown_epilogue(std::string_view text) {
  return usage_error(
      format("unknown epilogue '{}': write a sum of 2*ab, 0.5*c and bias or row-bias, or one in "
             "parentheses after {}, such as relu(bias)",
             text, activation_names()));
}

// Behind the name of a gated activation.
constexpr std::string_view kStackedMark = "@stacked";

// Adds "bias", "row-bias", "c" or "0.5*c"; each may occur once, and one bias.
void add_term(Epilogue& epilogue, std::string_view term, std::string_view whole) {
  const bool is_row_bias = term == "row-bias";
  if ((term == "bias" || is_row_bias) && !epilogue.bias && !epilogue.row_bias) {
    (is_row_bias ? epilogue.row_bias : epilogue.bias) = true;
    return;
  }
  const size_t star = term.find('*');
  const std::string_view matrix = star == term.npos ? term : term.substr(star + 1);
  const auto factor = star == term.npos ? std::optional(1.0) : parse_finite(term.substr(0, star));
  const bool is_c = matrix == "c" && epilogue.beta == 0;
  const bool is_ab = matrix == "ab" && epilogue.alpha == 1;
  const bool is_finite = factor && std::isfinite(static_cast<float>(*factor));
  if (!is_finite || !(is_c || is_ab)) throw unknown_epilogue(whole);
  (is_c ? epilogue.beta : epilogue.alpha) = static_cast<float>(*factor);
}

}  // namespace

std::string to_string(DataType type) {
  return tw::record_of(type).name;
}

DataType parse_data_type(std::string_view text) {
  if (const auto type = known_type(text, &tw::ElementRecord::operand)) return *type;
  throw usage_error(
      format("unknown data type '{}': this version knows {}", text, operand_type_names()));
}

DataType parse_output_type(std::string_view text) {
  if (const auto type = known_type(text, &tw::ElementRecord::output)) return *type;
  throw usage_error(
      format("unknown output type '{}': this version knows {}", text, output_type_names()));
}

std::string operand_type_names() {
  return type_names(&tw::ElementRecord::operand);
}

std::string output_type_names() {
  return type_names(&tw::ElementRecord::output);
}

std::string to_string(MatrixLayout layout) {
  return std::string(kMatrixLayouts[static_cast<size_t>(layout)]);
}

MatrixLayout parse_matrix_layout(std::string_view text) {
  for (size_t i = 0; i < std::size(kMatrixLayouts); ++i) {
    if (lower_case(text) == kMatrixLayouts[i]) return static_cast<MatrixLayout>(i);
  }
  throw usage_error(format("unknown layout '{}': {}", text, join_words(kMatrixLayouts, "or")));
}

bool is_k_major_a(MatrixLayout layout) {
  return layout == MatrixLayout::TN || layout == MatrixLayout::TT;
}

bool is_k_major_b(MatrixLayout layout) {
  return layout == MatrixLayout::TN || layout == MatrixLayout::NN;
}

DataType addend_type(const ProductKind& kind) {
  return tw::record_of(kind.dtype).addend;
}

DataType output_type(const ProductKind& kind) {
  return kind.epilogue.out_dtype.value_or(addend_type(kind));
}

int64_t output_columns(const ProductKind& kind, int64_t n) {
  return n / tw::sum_columns_per_output(kind.epilogue.activation);
}

ProductKind normalised(ProductKind kind) {
  if (kind.epilogue.out_dtype == addend_type(kind)) kind.epilogue.out_dtype.reset();
  if (has_block_scales(kind)) kind.accumulation = Accumulation::Fast;
  return kind;
}

std::string to_string(const Epilogue& e) {
  std::vector<std::string> terms;
  if (e.alpha != 1) terms.push_back(format("{}*ab", factor_text(e.alpha)));
  if (e.beta != 0) terms.push_back(e.beta == 1 ? "c" : format("{}*c", factor_text(e.beta)));
  if (e.bias) terms.emplace_back("bias");
  if (e.row_bias) terms.emplace_back("row-bias");
  std::string sum = join(terms, "+");
  if (e.activation == Activation::None) return sum;
  const std::string name =
      format("{}{}", tw::record_of(e.activation).name, e.stacked ? kStackedMark : "");
  return sum.empty() ? name : format("{}({})", name, sum);
}

Epilogue parse_epilogue(std::string_view text) {
  Epilogue epilogue;
  std::string_view sum = text;
  const std::string_view word = text.substr(0, text.find('('));
  const bool is_stacked = word.ends_with(kStackedMark);
  const std::string_view name =
      word.substr(0, word.size() - (is_stacked ? kStackedMark.size() : 0));
  for (const tw::ActivationRecord& record : tw::kActivations) {
    if (name.empty() || name != record.name || (is_stacked && !record.gated)) continue;
    epilogue.activation = record.activation;
    epilogue.stacked = is_stacked;
    sum.remove_prefix(word.size());
    if (sum.empty()) return epilogue;
    if (sum.size() < 3 || sum.back() != ')') throw unknown_epilogue(text);
    sum = sum.substr(1, sum.size() - 2);
  }
  for (const std::string_view term : split(sum, '+')) add_term(epilogue, term, text);
  return epilogue;
}

double activation_value(Activation activation, double x) {
  return tw::apply_activation(activation, x, HostMath{});
}

bool parse_output_scale(std::string_view text) {
  if (text == "tensor") return true;
  throw usage_error(
      format("unknown scale '{}': it takes tensor, one factor for the whole matrix", text));
}

std::string_view scale_name(OperandScale scale, Operand operand) {
  const tw::ScaleRecord& record = tw::record_of(scale);
  return operand == Operand::A ? record.of_a : record.of_b;
}

std::string scale_names(Operand operand) {
  std::vector<std::string_view> names;
  for (const tw::ScaleRecord& record : tw::kScales) {
    const std::string_view name = scale_name(record.scale, operand);
    if (!name.empty()) names.push_back(name);
  }
  return join_words(names, "or");
}

OperandScale parse_scale(std::string_view text, Operand operand) {
  for (const tw::ScaleRecord& record : tw::kScales) {
    const std::string_view name = scale_name(record.scale, operand);
    if (!name.empty() && !text.empty() && (text == name || text == record.other)) {
      return record.scale;
    }
  }
  throw usage_error(format("unknown scale '{}': {} has {}", text, operand == Operand::A ? "A" : "B",
                           scale_names(operand)));
}

std::string to_string(Accumulation accumulation) {
  return tw::kAccumulations[static_cast<size_t>(accumulation)];
}

Accumulation parse_accumulation(std::string_view text) {
  for (size_t i = 0; i < std::size(tw::kAccumulations); ++i) {
    if (text == tw::kAccumulations[i]) return static_cast<Accumulation>(i);
  }
  throw usage_error(format("unknown accumulation '{}': fast or promoted", text));
}

bool has_block_scales(const ProductKind& kind) {
  return tw::has_k_blocks(tw::form_of(kind.epilogue.scale_a)) ||
         tw::has_k_blocks(tw::form_of(kind.epilogue.scale_b));
}

bool is_promoted(const ProductKind& kind) {
  return kind.accumulation == Accumulation::Promoted || has_block_scales(kind);
}

int64_t terms_at_once(const ProductKind& kind, int64_t k) {
  return is_promoted(kind) ? std::min<int64_t>(k, tw::kScaleBlock) : k;
}

std::string activation_names() {
  std::vector<std::string_view> names;
  for (const tw::ActivationRecord& record : tw::kActivations) {
    if (*record.name != 0) names.emplace_back(record.name);
  }
  return join_words(names, "or");
}

tw::EpilogueParams epilogue_params(const Epilogue& e) {
  return {.scaled = e.alpha != 1 || e.beta != 0,
          .bias = e.bias,
          .activation = e.activation,
          .scale_a = e.scale_a == OperandScale::Tensor,
          .scale_b = e.scale_b == OperandScale::Tensor,
          .row_bias = e.row_bias,
          .stacked = e.stacked,
          .scale_d = e.scale_d,
          .absmax = e.absmax};
}

bool is_linear(const Epilogue& epilogue) {
  // The range of e4m3 is so small that D is cut off at its ends.
  return epilogue.activation == Activation::None && !epilogue.scale_d && !epilogue.absmax &&
         epilogue.out_dtype != DataType::E4M3;
}

bool is_plain(const Epilogue& epilogue) {
  return epilogue == Epilogue{.out_dtype = epilogue.out_dtype};
}

std::string scales_text(const Epilogue& e) {
  return format("{}{}{}{}", scale_text("scale_a", e.scale_a, Operand::A),
                scale_text("scale_b", e.scale_b, Operand::B), e.scale_d ? " scale_d" : "",
                e.absmax ? " absmax" : "");
}

int usable_sms(const ProductKind& kind, int of_device) {
  return kind.sms > 0 ? std::min(kind.sms, of_device) : of_device;
}

int parse_sms(std::string_view text) {
  const std::optional<int64_t> count = parse_count(text);
  if (count && *count >= 1 && *count <= kMaxMultiprocessors) return static_cast<int>(*count);
  throw usage_error(
      format("should be 1 to {} multiprocessors, and is '{}'", kMaxMultiprocessors, text));
}

std::string to_string(const ProductKind& kind) {
  const Epilogue& e = kind.epilogue;
  const std::string text = to_string(e);
  return format("{} {}{}{}{}{}{}", to_string(kind.dtype), to_string(kind.layout),
                e.out_dtype ? " -> " + to_string(*e.out_dtype) : "",
                text.empty() ? "" : " + " + text, scales_text(e),
                kind.accumulation == Accumulation::Promoted ? " promoted" : "",
                kind.sms > 0 ? format(" sms={}", kind.sms) : "");
}

}  // namespace tilewright
