#include "record/document.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "base/escape.hpp"
#include "record/node.hpp"
#include "support/artefacts.hpp"

namespace tilewright {
namespace {

TEST_CASE("every text reads back from YAML") {
  testing::ArtefactMaker maker(3);
  for (int i = 0; i < 2000; ++i) {
    std::string word = maker.word();
    if (maker.coin()) word += maker.word();
    const std::string yaml = to_yaml({{"key", word}, {"list", Document::array({word, word})}});
    CAPTURE(yaml);
    const Node read = Node::parse(yaml, "f");
    REQUIRE(read.at("key").text() == word);
    REQUIRE(read.at("list").items().at(1).text() == word);
  }
}

std::string utf8_of(char32_t code) {
  std::string text;
  if (code < 0x80) return {static_cast<char>(code)};
  int bits = code < 0x800 ? 6 : code < 0x10000 ? 12 : 18;
  const auto head = static_cast<unsigned char>(code < 0x800 ? 0xc0 : code < 0x10000 ? 0xe0 : 0xf0);
  text += static_cast<char>(head | (code >> static_cast<unsigned>(bits)));
  while (bits > 0) {
    bits -= 6;
    text += static_cast<char>(0x80U | ((code >> static_cast<unsigned>(bits)) & 0x3fU));
  }
  return text;
}

TEST_CASE("every character of a name reads back from YAML") {
  std::string word = "a";
  for (char32_t code = 0; code <= 0x10ffff; ++code) {
    const std::string letter = utf8_of(code);
    if (!first_unsafe_character(letter)) word += letter;
    if (word.size() < 4000 && code < 0x10ffff) continue;
    CAPTURE(static_cast<uint32_t>(code));
    REQUIRE(Node::parse(to_yaml({{"key", word}}), "f").at("key").text() == word);
    word = "a";
  }
}

TEST_CASE("every number reads back exactly") {
  testing::ArtefactMaker maker(4);
  for (int i = 0; i < 2000; ++i) {
    const double value = (maker.coin() ? -1 : 1) * maker.number();
    REQUIRE(Node::parse(to_yaml({{"a", value}}), "f").at("a").number() == value);
  }
  CHECK(to_yaml({{"a", 0.1}, {"b", 3.0}, {"c", 1e20}, {"d", -2.5e-7}}) ==
        "a: 0.1\nb: 3\nc: 1.0e+20\nd: -2.5e-07\n");
  CHECK(to_yaml({{"a", std::numeric_limits<int64_t>::min()}}) == "a: -9223372036854775808\n");
}

TEST_CASE("texts that YAML readers may take for numbers or booleans are quoted") {
  CHECK(to_yaml({{"version", "9.0"}, {"answer", "no"}, {"hex", "0x10"}, {"shape", "8x8x8"}}) ==
        "version: \"9.0\"\nanswer: \"no\"\nhex: \"0x10\"\nshape: 8x8x8\n");
}

TEST_CASE("JSON survives text that is no UTF-8") {
  CHECK(to_json({{"a", "\xff"}}) == "{\n  \"a\": \"\xef\xbf\xbd\"\n}\n");
}

}  // namespace
}  // namespace tilewright
