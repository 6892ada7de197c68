#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "record/node.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;

std::string complaint(const std::string& text, const std::function<void(const Node&)>& read) {
  return testing::error_message_of([&] { read(Node::parse_json(text, "f.json", 3)); });
}

TEST_CASE("what is not JSON is refused with its place, in no library's words") {
  for (const char* const text : {"", "{", "{\"a\": }", "[1,]", "nan", "{\"a\": 1e999}", "\xff",
                                 "{\"a\": \"\\ud800\"}", "1 2", "'a'"}) {
    const std::string said =
        testing::error_message_of([&] { Node::parse_json(text, "f.json", 3); });
    CHECK_MESSAGE(contains(said, "f.json:3: is not JSON"), text, ": ", said);
    CHECK_MESSAGE(!contains(said, "exception"), text, ": ", said);
  }
  CHECK(testing::error_message_of([] { Node::parse_json("[1,\n x]", "f.json"); }) ==
        "f.json:2: is not JSON: byte 6 of 7 does not belong there");
}

TEST_CASE("a value of another type is named with its path and what is expected") {
  const std::string text = R"({"a": {"b": [1.5, -2, "x", 9223372036854775808]}})";
  const auto item = [](const Node& file, size_t i) { return file.at("a").at("b").items()[i]; };
  CHECK(complaint(text, [&](const Node& file) {
          CHECK(item(file, 0).number() == 1.5);
          CHECK(item(file, 1).integer() == -2);
          CHECK(item(file, 2).text() == "x");
          CHECK(file.at("a").pairs().front().first == "b");
        }) == "");
  CHECK(complaint(text, [&](const Node& file) { item(file, 0).integer(); }) ==
        "f.json:3: a.b[0]: should be a whole number, and is '1.5'");
  CHECK(complaint(text, [&](const Node& file) { item(file, 3).integer(); }) ==
        "f.json:3: a.b[3]: should be a whole number, and is '9223372036854775808'");
  CHECK(complaint(text, [&](const Node& file) { item(file, 1).text(); }) ==
        "f.json:3: a.b[1]: should be text, and is '-2'");
  CHECK(complaint(text, [&](const Node& file) { item(file, 2).number(); }) ==
        "f.json:3: a.b[2]: should be a number, and is 'x'");
  CHECK(complaint(text, [&](const Node& file) { item(file, 1).number(NumberRange::Positive); }) ==
        "f.json:3: a.b[1]: should be above 0, and is -2");
  CHECK(complaint(text, [](const Node& file) { file.at("c"); }) == "f.json:3: lacks the key 'c'");
  CHECK(complaint(text, [](const Node& file) { file.items(); }) ==
        "f.json:3: should be a list, and is a map");
  CHECK(complaint(text, [](const Node& file) { file.at("a").at("b").pairs(); }) ==
        "f.json:3: a.b: should be a map, and is a list");
}

}  // namespace
}  // namespace tilewright
