// Writes every kind of product in YAML and in JSON and reads it back.
#include "record/kind_fields.hpp"

#include <doctest/doctest.h>

#include "base/text.hpp"
#include "record/node.hpp"
#include "support/error_message.hpp"

using namespace tilewright;
using testing::contains;
using testing::error_message_of;

namespace {

std::vector<ProductKind> many_kinds() {
  std::vector<ProductKind> kinds;
  for (const tw::ElementRecord& operand : tw::kElements) {
    if (!operand.operand) continue;
    for (const tw::ElementRecord& output : tw::kElements) {
      if (!output.output) continue;
      for (const char* const layout : {"tn", "nn", "nt", "tt"}) {
        ProductKind kind{.dtype = operand.type, .layout = parse_matrix_layout(layout)};
        kind.epilogue.out_dtype = output.type;
        kinds.push_back(normalised(kind));
      }
    }
  }
  for (const char* const epilogue :
       {"bias", "relu", "gelu(bias)", "0.1*ab+2*c+bias", "c", "relu(-1e30*c)", "0*ab", "row-bias",
        "silu(c+row-bias)", "swiglu@stacked", "geglu@stacked(bias)"}) {
    for (int scales = 0; scales < 16; ++scales) {
      ProductKind kind{.dtype = DataType::E4M3, .epilogue = parse_epilogue(epilogue)};
      if (scales % 2 == 1) kind.epilogue.scale_a = OperandScale::Tensor;
      if (scales / 2 % 2 == 1) kind.epilogue.scale_b = OperandScale::Tensor;
      kind.epilogue.scale_d = scales / 4 % 2 == 1;
      kind.epilogue.absmax = scales / 8 == 1;
      kinds.push_back(kind);
    }
  }
  for (const tw::ScaleRecord& a : tw::kScales) {
    for (const tw::ScaleRecord& b : tw::kScales) {
      if ((a.scale != OperandScale::None && *a.of_a == 0) ||
          (b.scale != OperandScale::None && *b.of_b == 0)) {
        continue;
      }
      for (const Accumulation accumulation : {Accumulation::Fast, Accumulation::Promoted}) {
        ProductKind kind{.dtype = DataType::E4M3, .accumulation = accumulation};
        kind.epilogue.scale_a = a.scale;
        kind.epilogue.scale_b = b.scale;
        kind.sms = static_cast<int>(kinds.size() % 3) * 66;
        kinds.push_back(normalised(kind));
      }
    }
  }
  return kinds;
}

Workload read_yaml(const std::string& text) {
  return read_workload(Node::parse(text, "kind.yaml"));
}

}  // namespace

TEST_CASE("a kind reads back from its keys, in YAML and in JSON") {
  for (const ProductKind& kind : many_kinds()) {
    Document document = {{"problem", "8x16x32"}};
    write_kind(kind, document);
    CAPTURE(to_string(kind));
    CHECK(read_yaml(to_yaml(document)).kind == kind);
    CHECK(read_workload(Node::parse_json(document.dump(), "kind.json")).kind == kind);
    for (const auto& [key, value] : document.items()) {
      const std::vector<std::string_view> known = with_kind_keys({"problem"});
      CHECK(std::find(known.begin(), known.end(), key) != known.end());
    }
    erase_kind(document);
    CHECK(document == Document{{"problem", "8x16x32"}});
  }
}

TEST_CASE("a bias is a flag, and only keys that differ from the file's kind are written") {
  Document document;
  write_kind({.epilogue = {.bias = true}}, document);
  CHECK(document == Document{{"dtype", "bf16"}, {"layout", "tn"}, {"bias", true}});
  const Workload biased = read_yaml("{problem: 8x8x8, bias: true}");
  const auto inner = [&](const char* text) {
    return read_kind(Node::parse(text, "kind.yaml"), biased).kind.epilogue;
  };
  CHECK(inner("{dtype: f16}").bias);
  CHECK(!inner("{bias: false}").bias);
  CHECK(inner("{epilogue: relu}") == Epilogue{.activation = Activation::Relu});
  CHECK(inner("{epilogue: relu, bias: true}") ==
        Epilogue{.bias = true, .activation = Activation::Relu});
}

TEST_CASE("a wrong value is refused by its key and place") {
  const auto why = [](const char* text) { return error_message_of([&] { read_yaml(text); }); };
  CHECK(contains(why("problem: 8x8x8\nepilogue: tanh"), "kind.yaml:2: epilogue: unknown epilogue"));
  CHECK(contains(why("problem: 8x8x8\nbias: 1"), "bias: should be true or false, and is '1'"));
  CHECK(contains(why("problem: 8x8x8\nscale_a: column"),
                 "scale_a: unknown scale 'column': A has tensor, row, block:1x128 or"));
  CHECK(contains(why("problem: 8x8x8\nscale_d: block"),
                 "scale_d: unknown scale 'block': it takes tensor"));
  for (const char* const sms : {"0", "4097", "-1", "some"}) {
    CHECK(contains(
        why(format("problem: 8x8x8\nsms: {}", sms).c_str()),
        format("kind.yaml:2: sms: should be 1 to 4096 multiprocessors, and is '{}'", sms)));
  }
  CHECK(contains(why("problem: 8x8x8\nabsmax: 1"), "absmax: should be true or false, and is '1'"));
}

TEST_CASE("a product that GPUs share is written whole, and read back") {
  const Workload shared = read_yaml("{problem: 512x64x1024, parallel: reduce-scatter, gpus: 4}");
  CHECK(shared.parallel == Parallel{Collective::ReduceScatter, 4});
  CHECK(shared.shapes.front() == GemmShape{512, 64, 256});
  const Document document = to_document(shared);
  CHECK(document.at("problem") == "512x64x1024");
  CHECK(read_yaml(to_yaml(document)) == shared);
  CHECK(read_workload(Node::parse_json(document.dump(), "kind.json")) == shared);
  const auto why = [](const char* text) { return error_message_of([&] { read_yaml(text); }); };
  CHECK(contains(why("problem: 8x8x8\nparallel: gather\ngpus: 2"),
                 "kind.yaml:2: parallel: unknown collective 'gather'"));
  CHECK(contains(why("{problem: 8x8x9, parallel: reduce-scatter, gpus: 2}"), "K = 9"));
  CHECK(contains(why("problem: 8x8x8\ngpus: 2"), "add --parallel"));
}
