#include "store/json_reader.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;

std::string complaint(const std::string& text, const std::function<void(const JsonReader&)>& read) {
  return testing::error_message_of([&] {
    const Document parsed = parse_json(text, "f.json:3");
    read(JsonReader(parsed, "f.json:3"));
  });
}

TEST_CASE("what is not JSON is refused with its place, in no library's words") {
  for (const char* const text : {"", "{", "{\"a\": }", "[1,]", "nan", "{\"a\": 1e999}", "\xff",
                                 "{\"a\": \"\\ud800\"}", "1 2", "'a'"}) {
    const std::string said = testing::error_message_of([&] { parse_json(text, "f.json:3"); });
    CHECK_MESSAGE(contains(said, "f.json:3: is not JSON"), text, ": ", said);
    CHECK_MESSAGE(!contains(said, "exception"), text, ": ", said);
  }
  CHECK(testing::error_message_of([] { parse_json("[1, x]", "f.json"); }) ==
        "f.json: is not JSON: byte 5 of 6 does not belong there");
}

TEST_CASE("a value of another type is named with its path and what is expected") {
  const std::string text = R"({"a": {"b": [1.5, -2, "x", 9223372036854775808]}})";
  const auto item = [](const JsonReader& file, size_t i) {
    return file.at("a").at("b").items()[i];
  };
  CHECK(complaint(text, [&](const JsonReader& file) {
          CHECK(item(file, 0).number() == 1.5);
          CHECK(item(file, 1).integer() == -2);
          CHECK(item(file, 2).text() == "x");
          CHECK(file.at("a").pairs().front().first == "b");
        }) == "");
  CHECK(complaint(text, [&](const JsonReader& file) { item(file, 0).integer(); }) ==
        "f.json:3: a.b[0]: should be a whole number, and is 1.5");
  CHECK(complaint(text, [&](const JsonReader& file) { item(file, 3).integer(); }) ==
        "f.json:3: a.b[3]: should be a whole number, and is 9223372036854775808");
  CHECK(complaint(text, [&](const JsonReader& file) { item(file, 1).text(); }) ==
        "f.json:3: a.b[1]: should be text, and is -2");
  CHECK(complaint(text, [&](const JsonReader& file) { item(file, 2).number(); }) ==
        "f.json:3: a.b[2]: should be a number, and is \"x\"");
  CHECK(complaint(text, [&](const JsonReader& file) {
          item(file, 1).number(NumberRange::Positive);
        }) == "f.json:3: a.b[1]: should be above 0, and is -2");
  CHECK(complaint(text, [](const JsonReader& file) { file.at("c"); }) ==
        "f.json:3: lacks the key 'c'");
  CHECK(complaint(text, [](const JsonReader& file) {
          file.items();
        }).starts_with("f.json:3: should be a list, and is {\"a\":"));
  CHECK(complaint(text, [](const JsonReader& file) {
          file.at("a").at("b").pairs();
        }).starts_with("f.json:3: a.b: should be an object"));
}

}  // namespace
}  // namespace tilewright
