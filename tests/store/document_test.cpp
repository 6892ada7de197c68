#include "store/document.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "store/yaml_reader.hpp"
#include "support/artefacts.hpp"

namespace tilewright {
namespace {

TEST_CASE("every text reads back from the YAML that holds it") {
  testing::Maker maker(3);
  for (int i = 0; i < 2000; ++i) {
    std::string word = maker.word();
    if (maker.coin()) word += maker.word();
    const std::string yaml = to_yaml({{"key", word}, {"list", Document::array({word, word})}});
    CAPTURE(yaml);
    const YamlReader read = YamlReader::parse(yaml, "f");
    REQUIRE(read.at("key").text() == word);
    REQUIRE(read.at("list").items().at(1).text() == word);
  }
}

TEST_CASE("every number reads back exactly") {
  testing::Maker maker(4);
  for (int i = 0; i < 2000; ++i) {
    const double value = maker.number();
    REQUIRE(YamlReader::parse(to_yaml({{"a", value}}), "f").at("a").number() == value);
  }
  CHECK(to_yaml({{"a", 0.1}, {"b", 3.0}, {"c", 1e20}, {"d", -2.5e-7}}) ==
        "a: 0.1\nb: 3\nc: 1.0e+20\nd: -2.5e-07\n");
  CHECK(to_yaml({{"a", std::numeric_limits<int64_t>::min()}}) == "a: -9223372036854775808\n");
}

TEST_CASE("what another reader would take for a number or a truth value is quoted") {
  CHECK(to_yaml({{"version", "9.0"}, {"answer", "no"}, {"hex", "0x10"}, {"shape", "8x8x8"}}) ==
        "version: \"9.0\"\nanswer: \"no\"\nhex: \"0x10\"\nshape: 8x8x8\n");
}

TEST_CASE("JSON survives text that is no UTF-8") {
  CHECK(to_json({{"a", "\xff"}}) == "{\n  \"a\": \"\xef\xbf\xbd\"\n}\n");
}

}  // namespace
}  // namespace tilewright
