#include "tile/workload/product_kind.hpp"

#include <cmath>
#include <vector>

#include "base/error.hpp"
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

struct HostMath {
  double exp(double x) const { return std::exp(x); }
  double divide(double a, double b) const { return a / b; }
  double normal(double x) const { return std::erfc(-x / std::sqrt(2)) / 2; }
};

Error unknown_epilogue(std::string_view text) {
  return usage_error(
      format("unknown epilogue '{}': write a sum of 2*ab, 0.5*c and bias, or one in parentheses "
             "after {}, such as relu(bias)",
             text, activation_names()));
}

// Adds "bias", "c" or "0.5*c"; each may occur once.
void add_term(Epilogue& epilogue, std::string_view term, std::string_view whole) {
  if (term == "bias" && !epilogue.bias) {
    epilogue.bias = true;
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
    if (text == kMatrixLayouts[i]) return static_cast<MatrixLayout>(i);
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
  return kind;
}

std::string to_string(const Epilogue& e) {
  std::vector<std::string> terms;
  if (e.alpha != 1) terms.push_back(format("{}*ab", factor_text(e.alpha)));
  if (e.beta != 0) terms.push_back(e.beta == 1 ? "c" : format("{}*c", factor_text(e.beta)));
  if (e.bias) terms.emplace_back("bias");
  std::string sum = join(terms, "+");
  if (e.activation == Activation::None) return sum;
  const char* const name = tw::record_of(e.activation).name;
  return sum.empty() ? name : format("{}({})", name, sum);
}

Epilogue parse_epilogue(std::string_view text) {
  Epilogue epilogue;
  std::string_view sum = text;
  const std::string_view name = text.substr(0, text.find('('));
  for (const tw::ActivationRecord& record : tw::kActivations) {
    if (name.empty() || name != record.name) continue;
    epilogue.activation = record.activation;
    sum.remove_prefix(name.size());
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

bool parse_scale(std::string_view text) {
  if (text == "tensor") return true;
  throw usage_error(
      format("unknown scale '{}': it takes tensor, one factor for the whole operand", text));
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
          .scale_a = e.scale_a,
          .scale_b = e.scale_b};
}

bool is_linear(const Epilogue& epilogue) {
  return epilogue.activation == Activation::None;
}

bool is_plain(const Epilogue& epilogue) {
  return epilogue == Epilogue{.out_dtype = epilogue.out_dtype};
}

std::string to_string(const ProductKind& kind) {
  const Epilogue& e = kind.epilogue;
  const std::string text = to_string(e);
  return format("{} {}{}{}{}{}", to_string(kind.dtype), to_string(kind.layout),
                e.out_dtype ? " -> " + to_string(*e.out_dtype) : "",
                text.empty() ? "" : " + " + text, e.scale_a ? " scale_a" : "",
                e.scale_b ? " scale_b" : "");
}

}  // namespace tilewright
