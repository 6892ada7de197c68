#include "store/layout_json.hpp"

#include <doctest/doctest.h>

#include "layout/text/layout_expression.hpp"
#include "record/document.hpp"

using namespace tilewright;
using Json = Document;

namespace {

LayoutReport report_of(const char* text) {
  Derivation why;
  return report_layout(text, LayoutDialect::Canonical, why);
}

Json json_of(const char* text, const LayoutJsonParts& parts = {}) {
  return Json::parse(layout_json(report_of(text), parts));
}

}  // namespace

TEST_CASE("the keys of the contract") {
  const Json json = json_of("Sw<3,0,3> o 0 o (_8):(_8)");
  CHECK(json["layout"] == "Sw<3,0,3> o 0 o (8):(8)");
  CHECK(json["size"] == 8);
  CHECK(json["cosize"] == 57);
  CHECK(json["footprint"] == 64);
  CHECK(json["rank"] == 1);
  CHECK(json["depth"] == 1);
  CHECK(json["injective"] == true);
  REQUIRE(json["lint"].size() == 1);
  CHECK(json["lint"][0]["code"] == "cosize-below-footprint");
  CHECK(json["lint"][0]["message"].is_string());
  for (const char* key : {"offsets", "equal", "steps", "linear", "value", "dialect_text"}) {
    CHECK_FALSE(json.contains(key));
  }
}

TEST_CASE("offsets are in colexicographic order, coordinates are lists") {
  LayoutJsonParts parts;
  parts.offsets = values_in_order(report_of("(2,3):(3,1)").layout);
  CHECK(json_of("(2,3):(3,1)", parts)["offsets"] == Json::parse("[0,3,1,4,2,5]"));
  parts.offsets = values_in_order(report_of("(2,2):(1@0,1@1)").layout);
  const Json coordinates = json_of("(2,2):(1@0,1@1)", parts);
  CHECK(coordinates["offsets"] == Json::parse("[[0,0],[1,0],[0,1],[1,1]]"));
  CHECK(coordinates["footprint"].is_null());
}

TEST_CASE("a comparison reports the first difference") {
  LayoutJsonParts parts;
  parts.comparison = compare(parse_layout("(8,64):(64,1)"), parse_layout("(8,64):(64,2)"));
  const Json json = json_of("(8,64):(64,1)", parts);
  CHECK(json["equal"] == false);
  CHECK(json["first_difference"] ==
        Json::parse(R"({"index": 8, "coordinate": [0, 1], "first": 1, "second": 2})"));
  CHECK(json["reason"].is_string());
  parts.comparison = compare(parse_layout("8:1"), parse_layout("(2,4)"));
  CHECK(json_of("8:1", parts)["equal"] == true);
  CHECK(json_of("8:1", parts)["first_difference"].is_null());
}

TEST_CASE("values, bytes and matrices") {
  CHECK(json_of("(8,64):(64,1)(3,5)")["value"] == 197);
  CHECK(json_of("(8,4):(1@0,1@1)(3,2)")["value"] == Json::parse("[3,2]"));
  LayoutJsonParts parts;
  parts.element_bits = 4;
  parts.linear = linear_of(parse_layout("(2,4):(4,1)"));
  const Json json = json_of("(2,4):(4,1)", parts);
  CHECK(json["footprint_bytes"] == 4);
  CHECK(json["linear"]["inputs"]["dim0"] == Json::parse("[[4]]"));
  CHECK(json["linear"]["inputs"]["dim1"] == Json::parse("[[1],[2]]"));
  CHECK(json["linear"]["outputs"]["offset"] == 8);
}
