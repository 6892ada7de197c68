// Writes every kind of product in YAML and in JSON and reads it back.
#include "store/kind_fields.hpp"

#include <doctest/doctest.h>

#include "store/record_store.hpp"
#include "store/yaml_reader.hpp"
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
       {"bias", "relu", "gelu(bias)", "0.1*ab+2*c+bias", "c", "relu(-1e30*c)", "0*ab"}) {
    for (const int scales : {0, 1, 2, 3}) {
      ProductKind kind{.dtype = DataType::E4M3, .epilogue = parse_epilogue(epilogue)};
      kind.epilogue.scale_a = scales % 2 == 1;
      kind.epilogue.scale_b = scales / 2 == 1;
      kinds.push_back(kind);
    }
  }
  return kinds;
}

Workload read_yaml(const std::string& text) {
  return read_workload(YamlReader::parse(text, "kind.yaml"));
}

}  // namespace

TEST_CASE("a kind reads back from its keys, in YAML and in JSON") {
  for (const ProductKind& kind : many_kinds()) {
    Document document = {{"problem", "8x16x32"}};
    write_kind(kind, document);
    CAPTURE(to_string(kind));
    CHECK(read_yaml(to_yaml(document)).kind == kind);
    CHECK(workload_from(Document::parse(document.dump())).kind == kind);
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
    return read_kind(YamlReader::parse(text, "kind.yaml"), biased).kind.epilogue;
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
  CHECK(contains(why("problem: 8x8x8\nscale_a: row"),
                 "scale_a: unknown scale 'row': it takes tensor"));
}
