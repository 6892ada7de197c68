#include "record/kind_fields.hpp"

#include <array>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

// True if the epilogue is only a bias, apart from output type and scales.
bool is_biased(const Epilogue& e) {
  return e == Epilogue{.out_dtype = e.out_dtype,
                       .bias = true,
                       .scale_a = e.scale_a,
                       .scale_b = e.scale_b,
                       .scale_d = e.scale_d,
                       .absmax = e.absmax};
}

Document scale_document(OperandScale scale, Operand operand) {
  const std::string_view name = scale_name(scale, operand);
  return name.empty() ? Document() : Document(std::string(name));
}

bool read_truth(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  throw usage_error(format("should be true or false, and is '{}'", text));
}

void read_sum(ProductKind& kind, const std::string& text) {
  const Epilogue read = parse_epilogue(text);
  Epilogue& e = kind.epilogue;
  e.alpha = read.alpha;
  e.beta = read.beta;
  e.bias = read.bias;
  e.activation = read.activation;
  e.row_bias = read.row_bias;
  e.stacked = read.stacked;
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
    KindField{"scale_a",
              [](const ProductKind& k) { return scale_document(k.epilogue.scale_a, Operand::A); },
              [](ProductKind& k, const std::string& text) {
                k.epilogue.scale_a = parse_scale(text, Operand::A);
              },
              "fp32 factors of A, which has 8 bits: of the tensor, a row or a block of it",
              "scale_a: tensor"},
    KindField{"scale_b",
              [](const ProductKind& k) { return scale_document(k.epilogue.scale_b, Operand::B); },
              [](ProductKind& k, const std::string& text) {
                k.epilogue.scale_b = parse_scale(text, Operand::B);
              },
              "the same for B, by columns", "scale_b: tensor"},
    KindField{
        "scale_d",
        [](const ProductKind& k) { return k.epilogue.scale_d ? Document("tensor") : Document(); },
        [](ProductKind& k, const std::string& text) {
          k.epilogue.scale_d = parse_output_scale(text);
        },
        "tensor: multiply D by one fp32 factor after everything else", "scale_d: tensor"},
    KindField{"absmax",
              [](const ProductKind& k) { return k.epilogue.absmax ? Document(true) : Document(); },
              [](ProductKind& k, const std::string& text) { k.epilogue.absmax = read_truth(text); },
              "true: the largest absolute value of D, before its scale, is computed too",
              "absmax: true"},
    KindField{
        "accumulate",
        [](const ProductKind& k) {
          return k.accumulation == Accumulation::Fast ? Document()
                                                      : Document(to_string(k.accumulation));
        },
        [](ProductKind& k, const std::string& text) { k.accumulation = parse_accumulation(text); },
        "fast (default) or promoted: 8-bit sums of 128 of K added in fp32", "accumulate: promoted"},
    KindField{"sms", [](const ProductKind& k) { return k.sms == 0 ? Document() : Document(k.sms); },
              [](ProductKind& k, const std::string& text) { k.sms = parse_sms(text); },
              "multiprocessors that the launch keeps to; default: all", "sms: 100"},
};

ProductKind read_product_kind(const Node& node, ProductKind kind) {
  for (const KindField& field : kKindFields) {
    const auto value = node.find(std::string(field.key));
    if (!value) continue;
    value->parsed_by([&](const std::string& text) {
      field.read(kind, text);
      return true;
    });
  }
  return normalised(kind);
}

// The keys of a launch besides its sizes and its kind.
constexpr std::string_view kLaunchKeys[] = {"op", "uplo", "parallel", "gpus"};

}  // namespace

std::span<const KindField> kind_fields() {
  return kKindFields;
}

std::vector<std::string_view> workload_keys() {
  return with_launch_keys({"problem"});
}

std::vector<std::string_view> with_launch_keys(std::vector<std::string_view> others) {
  others.insert(others.end(), std::begin(kLaunchKeys), std::end(kLaunchKeys));
  return with_kind_keys(std::move(others));
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

Document to_document(const Problem& p) {
  Document document = {{"problem", to_string(p.shape)}};
  write_kind(p.kind, document);
  return document;
}

Document to_document(const Workload& workload) {
  Document document = to_document(problem_of(workload, 0));
  document["problem"] = shapes_text(workload);
  if (is_triangular(workload)) {
    document["op"] = to_string(workload.op);
    document["uplo"] = to_string(workload.uplo);
  }
  if (is_across_gpus(workload)) {
    document["parallel"] = to_string(workload.parallel.collective);
    document["gpus"] = workload.parallel.gpus;
  }
  return document;
}

Problem read_problem(const Node& node, const Problem& otherwise) {
  Problem problem{.kind = read_product_kind(node, otherwise.kind)};
  problem.shape =
      node.at("problem").parsed_by([](const std::string& text) { return parse_shape(text); });
  return problem;
}

Workload read_workload(const Node& node) {
  const Workload kind = read_kind(node, {});
  return node.at("problem").parsed_by(
      [&](const std::string& text) { return with_shapes(kind, parse_shapes(text, kind.op)); });
}

Workload read_kind(const Node& node, const Workload& otherwise) {
  Workload kind = otherwise;
  kind.shapes.clear();
  kind.kind = read_product_kind(node, otherwise.kind);
  if (const auto op = node.find("op")) kind.op = op->parsed_by(parse_op);
  if (const auto uplo = node.find("uplo")) kind.uplo = uplo->parsed_by(parse_uplo);
  if (const auto parallel = node.find("parallel")) {
    kind.parallel.collective = parallel->parsed_by(parse_collective);
  }
  if (const auto gpus = node.find("gpus")) kind.parallel.gpus = gpus->small_count();
  return kind;
}

}  // namespace tilewright
