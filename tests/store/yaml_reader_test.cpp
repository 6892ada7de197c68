#include "store/yaml_reader.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>

namespace tilewright {
namespace {

std::string complaint(const std::string& text, const std::function<void(const YamlReader&)>& read) {
  try {
    read(YamlReader::parse(text, "f.yaml"));
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::Usage);
    return error.what();
  }
  return "";
}

TEST_CASE("numbers are whole texts in range, nothing else") {
  const auto at = [](const std::string& text) {
    return YamlReader::parse("a: " + text, "f").at("a");
  };
  CHECK(at("-12").integer() == -12);
  CHECK(at("1.5e+9").number() == 1.5e9);
  CHECK(at("-0.25").number() == -0.25);
  CHECK(at("2147483647").small_count() == 2147483647);
  for (const char* const text :
       {"12x", "0x10", "1.5", "1e3", "''", "[1]", "~", "{}", "9223372036854775808", "1_000"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(at(text).integer(), Error);
  }
  for (const char* const text : {".nan", "nan", "inf", ".inf", "1e999", "1,5", "one"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(at(text).number(), Error);
  }
  CHECK_THROWS_AS(at("-1").count(), Error);
  CHECK_THROWS_AS(at("2147483648").small_count(), Error);
  CHECK_THROWS_AS(at("0").positive(), Error);
  CHECK(at("true").flag());
  CHECK_THROWS_AS(at("yes").flag(), Error);
}

TEST_CASE("a complaint names the file, the line and the way to the node") {
  const std::string text = "top: 1\nlist:\n  - {}\n  - inner: word\n";
  CHECK(complaint(text, [](const YamlReader& file) {
          file.at("list").items().at(1).at("inner").integer();
        }) == "f.yaml:4: list[1].inner: should be a whole number, and is 'word'");
  CHECK(complaint(text, [](const YamlReader& file) {
          file.allow_only({"top", "lost"});
        }) == "f.yaml:3: list: unknown key 'list' - did you mean 'lost'?");
  CHECK(complaint(text, [](const YamlReader& file) { file.at("lsit"); }) ==
        "f.yaml:1: lacks the key 'lsit'");
}

TEST_CASE("what is no single document of unique keys is refused") {
  const auto nothing = [](const YamlReader& file) { file.pairs(); };
  for (const char* const text :
       {"", "\n\n", "# only a comment\n", "a: 1\n---\nb: 2\n", "a: [1\n", "a: 1\na: 2\n",
        "{[1]: 2}", "- 1\n", "word", "a: *lost\n", "\"open", "a:\n\t- 1\n"}) {
    CAPTURE(text);
    CHECK_FALSE(complaint(text, nothing).empty());
  }
}

TEST_CASE("deep nesting is refused, not followed off the stack") {
  const std::string deep(200000, '[');
  CHECK_FALSE(complaint(deep, [](const YamlReader& file) { file.items(); }).empty());
  const std::string maps = [] {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += "{a: ";
    return text;
  }();
  CHECK_FALSE(complaint(maps, [](const YamlReader& file) { file.pairs(); }).empty());
}

}  // namespace
}  // namespace tilewright
