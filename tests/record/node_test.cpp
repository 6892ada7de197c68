#include "record/node.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;

std::string error_message(const std::string& text, const std::function<void(const Node&)>& read) {
  try {
    read(Node::parse(text, "f.yaml"));
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::Usage);
    return error.what();
  }
  return "";
}

// The error that `read` meets in a line of JSON, the third of its file; empty: none.
std::string complaint(const std::string& text, const std::function<void(const Node&)>& read) {
  return testing::error_message_of([&] { read(Node::parse_json(text, "f.json", 3)); });
}

TEST_CASE("a JSON surrogate pair is one character; after an escaped backslash it is none") {
  const auto name = [](const std::string& text) { return Node::parse(text, "f").at("a").text(); };
  CHECK(name(R"({"a": "x\\ud83d\\ude00y"})") == R"(x\ud83d\ude00y)");
  CHECK(name("{\"a\": \"x\\ud83d\\ude00y\"}") == "x\xf0\x9f\x98\x80y");
  CHECK(name("{\"a\": \"\\uD800\\uDC00\"}") == "\xf0\x90\x80\x80");
  CHECK(name("{\"a\": \"\\udbff\\udfff\\u00e9\"}") == "\xf4\x8f\xbf\xbf\xc3\xa9");
  CHECK(name("a: '\\ud83d\\ude00'") == R"(\ud83d\ude00)");
  for (const char* const half : {"\\ud83d", "\\ude00\\ud83d", "\\ud83dx"}) {
    CHECK_THROWS_AS(name("{\"a\": \"" + std::string(half) + "\"}"), Error);
  }
}

TEST_CASE("numbers are whole texts in range, nothing else") {
  const auto at = [](const std::string& text) { return Node::parse("a: " + text, "f").at("a"); };
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

TEST_CASE("an error names the file, the line and the path of the node") {
  const std::string text = "top: 1\nlist:\n  - {}\n  - inner: word\n";
  CHECK(error_message(text, [](const Node& file) {
          file.at("list").items().at(1).at("inner").integer();
        }) == "f.yaml:4: list[1].inner: should be a whole number, and is 'word'");
  CHECK(error_message(text, [](const Node& file) {
          file.allow_only({"top", "lost"});
        }) == "f.yaml:3: list: unknown key 'list' - did you mean 'lost'?");
  CHECK(error_message(text, [](const Node& file) { file.at("lsit"); }) ==
        "f.yaml:1: lacks the key 'lsit'");
}

TEST_CASE("a JSON file is read as the same text in YAML, and its errors name the same places") {
  const std::string yaml = "top: 1\nlist:\n  - {}\n  - inner: word\n    far: '5'\n";
  const std::string json =
      "{\"top\": 1,\n\"list\":\n[{},\n  {\"inner\": \"word\",\n   \"far\": \"5\"\n}]}";
  for (const std::string& text : {yaml, json}) {
    CAPTURE(text);
    CHECK(error_message(text, [](const Node& file) {
            CHECK(file.at("top").integer() == 1);
            const Node last = file.at("list").items(2).at(1);
            CHECK(last.at("far").integer() == 5);
            CHECK(last.at("far").line() == 5);
            last.at("inner").integer();
          }) == "f.yaml:4: list[1].inner: should be a whole number, and is 'word'");
  }
  CHECK(error_message("{\"a\": 1,\n\"a\": 2}", [](const Node& file) { file.at("a"); }) ==
        "f.yaml:2: a: the key appears twice");
  // A number ends its line.
  CHECK(Node::parse("{\"a\": [1,\n2\n, 3]}", "f").at("a").items().at(1).line() == 2);
}

TEST_CASE("anything but a single document with unique keys is refused") {
  const auto nothing = [](const Node& file) { file.pairs(); };
  for (const char* const text :
       {"", "\n\n", "# only a comment\n", "a: 1\n---\nb: 2\n", "a: [1\n", "a: 1\na: 2\n",
        "{[1]: 2}", "- 1\n", "word", "a: *lost\n", "\"open", "a:\n\t- 1\n"}) {
    CAPTURE(text);
    CHECK_FALSE(error_message(text, nothing).empty());
  }
}

// yaml-cpp reads endless documents from each of these texts, until memory is full.
TEST_CASE("text after a document's last bracket is refused") {
  for (const char* const text : {"{a},", "[1],", "{a}, {b}", "{a: 1},\n{b: 2}", "[1], 2", "{a}]",
                                 "{a}}", "[a]:b]", "{}, ,"}) {
    CAPTURE(text);
    CHECK_FALSE(error_message(text, [](const Node&) {}).empty());
  }
}

TEST_CASE("aliases stand for their anchors and may not multiply a file") {
  const auto nothing = [](const Node&) {};
  for (const char* const text : {"&a [*a]", "a: &a {b: [*a]}", "&k a: *k", "x: &k a\n*k : 1"}) {
    CHECK_FALSE(error_message(text, nothing).empty());
  }
  const Node nested = Node::parse("a: &a {b: &b [1, {c: 2}], d: *b}\ne: [*a, *b]", "f");
  CHECK(nested.at("e").items().at(0).at("d").items().at(1).at("c").integer() == 2);
  CHECK(nested.at("e").items().at(1).items().at(1).at("c").integer() == 2);
  const Node file = Node::parse("a: &a [1, 2]\nb: *a\nc: [*a, *a]", "f");
  CHECK(file.at("b").items().at(1).integer() == 2);
  CHECK(file.at("c").items().at(1).items().at(0).integer() == 1);
  const std::string refusal = "aliases repeat more than 64 KiB";
  // The same number of bytes in one text, in a list of texts, and in lists of lists.
  const auto repeated = [](const std::string& anchored, int times) {
    std::string text = "a: &a " + anchored + "\nb: [";
    for (int i = 0; i < times; ++i) text += i == 0 ? "*a" : ", *a";
    return text + "]";
  };
  std::string list = "[x";
  for (int i = 1; i < 500; ++i) list += ", x";
  list += "]";
  for (const std::string& anchored : {std::string(1000, 'x'), list}) {
    CHECK(error_message(repeated(anchored, 60), nothing).empty());
    CHECK(error_message(repeated(anchored, 70), nothing).find(refusal) != std::string::npos);
  }
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char name = 'b'; name < 'k'; ++name) {
    bomb += std::string(1, name) + ": &" + name + " [";
    for (int i = 0; i < 9; ++i) bomb += std::string(i == 0 ? "*" : ", *") + char(name - 1);
    bomb += "]\n";
  }
  CHECK(error_message(bomb, nothing).find(refusal) != std::string::npos);
}

TEST_CASE("a file of too many values is refused before it is stored") {
  std::string text = "[";
  for (int i = 0; i < 1'000'000; ++i) text += "1,";
  const auto nothing = [](const Node&) {};
  CHECK(
      error_message(text + "1]", nothing).find("f.yaml:1: the file has more than 1000000 values") ==
      0);
}

TEST_CASE("a key is found once; a repeated key is refused") {
  const Node file = Node::parse("a: 1\n'': 2\nb: 3\nb: 4", "f");
  CHECK(file.at("a").integer() == 1);
  CHECK(file.at("").integer() == 2);
  CHECK(!file.find("c"));
  CHECK_THROWS_AS(file.at("b"), Error);
  CHECK_THROWS_AS(file.allow_only({"a", "", "b"}), Error);
}

TEST_CASE("brackets and commas of quoted scalars open nothing, however many lines have them") {
  const auto read = [](const std::string& line) {
    std::string text;
    for (int i = 0; i < 3000; ++i) text += line;
    return Node::parse(text, "f.yaml").items();
  };
  const struct Case {
    const char* line;
    const char* value;
  } cases[] = {{"- \"uniform [-1, 1), seed 1\"\n", "uniform [-1, 1), seed 1"},
               {"- 'it''s {[ here'\n", "it's {[ here"},
               {"- \"a \\\" [b\"\n", "a \" [b"},
               {"-   \"[\"\n", "["}};
  for (const Case& one : cases) {
    CAPTURE(one.line);
    const std::vector<Node> items = read(one.line);
    REQUIRE(items.size() == 3000);
    CHECK(items.back().text() == one.value);
  }
  CHECK(read("- [\"a]\", 'b]', c]\n").back().items().size() == 3);
  // An apostrophe inside of a word quotes nothing.
  CHECK_FALSE(error_message("a: don't " + std::string(2000, '[') + "'", [](const Node& file) {
                file.pairs();
              }).empty());
}

TEST_CASE("deep nesting is refused before the stack overflows") {
  const std::string deep(200000, '[');
  CHECK_FALSE(error_message(deep, [](const Node& file) { file.items(); }).empty());
  const std::string maps = [] {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += "{a: ";
    return text;
  }();
  CHECK_FALSE(error_message(maps, [](const Node& file) { file.pairs(); }).empty());
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
