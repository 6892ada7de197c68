#include "store/kind_fields.hpp"

#include <array>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

// True if the epilogue is only a bias, apart from output type and scales.
bool is_biased(const Epilogue& e) {
  return e ==
         Epilogue{
             .out_dtype = e.out_dtype, .bias = true, .scale_a = e.scale_a, .scale_b = e.scale_b};
}

Document scale_document(bool scaled) {
  return scaled ? Document("tensor") : Document();
}

bool read_truth(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  throw usage_error(format("should be true or false, and is '{}'", text));
}

void read_sum(ProductKind& kind, const std::string& text) {
  const Epilogue read = parse_epilogue(text);
  Epilogue& e = kind.epilogue;
  e = {.out_dtype = e.out_dtype,
       .alpha = read.alpha,
       .beta = read.beta,
       .bias = read.bias,
       .activation = read.activation,
       .scale_a = e.scale_a,
       .scale_b = e.scale_b};
}

constexpr std::array kKindFields = {
    KindField{"dtype", [](const ProductKind& k) { return Document(to_string(k.dtype)); },
              [](ProductKind& k, const std::string& text) { k.dtype = parse_data_type(text); },
              "of A and B; default: bf16", "dtype: e4m3"},
    KindField{"layout", [](const ProductKind& k) { return Document(to_string(k.layout)); },
              [](ProductKind& k, const std::string& text) { k.layout = parse_matrix_layout(text); },
              "tn (the default), nn, nt or tt: which operands are contiguous along k",
              "layout: tn"},
    KindField{"out_dtype",
              [](const ProductKind& k) {
                return k.epilogue.out_dtype ? Document(to_string(*k.epilogue.out_dtype))
                                            : Document();
              },
              [](ProductKind& k, const std::string& text) {
                k.epilogue.out_dtype = parse_output_type(text);
              },
              "of D, if it is not the type of C", "out_dtype: f32"},
    KindField{"epilogue",
              [](const ProductKind& k) {
                const std::string text = to_string(k.epilogue);
                return text.empty() || is_biased(k.epilogue) ? Document() : Document(text);
              },
              read_sum, "what is computed from the sums (tilewright help epilogues)",
              "epilogue: gelu(bias)"},
    // As problem files spell the most usual epilogue.
    KindField{
        "bias",
        [](const ProductKind& k) { return is_biased(k.epilogue) ? Document(true) : Document(); },
        [](ProductKind& k, const std::string& text) { k.epilogue.bias = read_truth(text); },
        "true: a row of n elements is added; the same as epilogue: bias", "bias: true"},
    KindField{
        "scale_a", [](const ProductKind& k) { return scale_document(k.epilogue.scale_a); },
        [](ProductKind& k, const std::string& text) { k.epilogue.scale_a = parse_scale(text); },
        "tensor: multiply D by one fp32 factor of A, whose elements have 8 bits",
        "scale_a: tensor"},
    KindField{
        "scale_b", [](const ProductKind& k) { return scale_document(k.epilogue.scale_b); },
        [](ProductKind& k, const std::string& text) { k.epilogue.scale_b = parse_scale(text); },
        "the same for B", "scale_b: tensor"},
};

}  // namespace

std::span<const KindField> kind_fields() {
  return kKindFields;
}

std::vector<std::string_view> with_kind_keys(std::vector<std::string_view> others) {
  for (const KindField& field : kKindFields) others.push_back(field.key);
  return others;
}

void write_kind(const ProductKind& kind, Document& document) {
  for (const KindField& field : kKindFields) {
    if (Document value = field.write(kind); !value.is_null()) {
      document[std::string(field.key)] = std::move(value);
    }
  }
}

void erase_kind(Document& document) {
  for (const KindField& field : kKindFields) document.erase(std::string(field.key));
}

}  // namespace tilewright
