#include "base/text.hpp"

#include <doctest/doctest.h>

#include <array>
#include <random>

namespace tilewright {
namespace {

std::string random_word(std::mt19937& random, std::string_view letters, size_t longest) {
  std::string word(random() % (longest + 1), ' ');
  for (char& c : word) c = letters[random() % letters.size()];
  return word;
}

TEST_CASE("words are joined with commas and a last conjunction") {
  using Words = std::vector<std::string_view>;
  CHECK(join_words(Words{"a"}, "and") == "a");
  CHECK(join_words(Words{"a", "b"}, "or") == "a or b");
  CHECK(join_words(Words{"a", "b", "c"}, "and") == "a, b and c");
}

TEST_CASE("join undoes split") {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::string text = random_word(random, "ab,", 12);
    const std::vector<std::string_view> parts = split(text, ',');
    const std::vector<std::string> copies(parts.begin(), parts.end());
    CHECK(join(copies, ",") == text);
    for (const std::string& part : copies) CHECK(part.find(',') == std::string::npos);
  }
}

TEST_CASE("split keeps empty parts") {
  CHECK(split("", ',').size() == 1);
  CHECK(split("a,,b", ',') == std::vector<std::string_view>{"a", "", "b"});
  CHECK(split("a,", ',') == std::vector<std::string_view>{"a", ""});
}

TEST_CASE("wrapped lines fit the width and keep the text") {
  std::mt19937 random(2);
  for (int i = 0; i < 1000; ++i) {
    const std::string text(trim(random_word(random, "abc, ", 60)));
    const size_t width = 1 + random() % 20;
    const std::vector<std::string> lines = wrap(text, width);
    REQUIRE_FALSE(lines.empty());
    std::string letters;
    std::string wrapped;
    for (const char c : text) letters += c == ' ' ? "" : std::string(1, c);
    for (const std::string& line : lines) {
      CHECK(line.size() <= width);
      for (const char c : line) wrapped += c == ' ' ? "" : std::string(1, c);
    }
    CHECK(wrapped == letters);
  }
}

TEST_CASE("lines break at blanks and after commas, never inside a character") {
  CHECK(wrap("one two three", 9) == std::vector<std::string>{"one two", "three"});
  CHECK(wrap("a=1,b=2,c=3", 6) == std::vector<std::string>{"a=1,", "b=2,", "c=3"});
  CHECK(wrap("\xc3\xa9\xc3\xa9", 3) == std::vector<std::string>{"\xc3\xa9", "\xc3\xa9"});
  CHECK(wrap("", 5) == std::vector<std::string>{""});
}

TEST_CASE("trim removes blanks at both ends only") {
  CHECK(trim(" \t a b\r\n") == "a b");
  CHECK(trim("") == "");
  CHECK(trim(" \n ") == "");
}

TEST_CASE("parse_count reads what to_string prints, and nothing else") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const auto value = static_cast<int64_t>(random() >> (1 + random() % 63));
    CHECK(parse_count(std::to_string(value)) == value);
  }
  CHECK(parse_count("9223372036854775807") == INT64_MAX);
  for (const char* const bad :
       {"", "-1", "+1", " 1", "1 ", "1x", "0x10", "1.5", "9223372036854775808"}) {
    CAPTURE(bad);
    CHECK(!parse_count(bad));
  }
}

TEST_CASE("did_you_mean names the nearest word, or nothing") {
  constexpr std::array<std::string_view, 3> kDevices = {"h200", "a100", "l40s"};
  CHECK(did_you_mean("h20", kDevices) == " - did you mean 'h200'?");
  CHECK(did_you_mean("h200", kDevices) == " - did you mean 'h200'?");
  CHECK(did_you_mean("blackwell", kDevices).empty());
  // Two different letters of four make another word; two exchanged ones do not; dashes do not
  // count.
  constexpr std::string_view kFlags[] = {"--top", "--raster", "--k"};
  CHECK(did_you_mean("--nope", kFlags).empty());
  CHECK(did_you_mean("--rastre", kFlags) == " - did you mean '--raster'?");
  CHECK(did_you_mean("--tpo", kFlags) == " - did you mean '--top'?");
  CHECK(did_you_mean("h20", {}).empty());
}

TEST_CASE("human_bytes steps by powers of 1000") {
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(999) == "999 B");
  CHECK(human_bytes(1000) == "1.00 kB");
  CHECK(human_bytes(1234567) == "1.23 MB");
  CHECK(human_bytes(4e15) == "4000.00 TB");
}

TEST_CASE("hash_number is XXH3 of 64 bits") {
  // Result of xxhsum -H3.
  CHECK(hash_number("") == 0x2d06800538d394c2U);
  CHECK(hash_number("foobar") != hash_number("fooba"));
}

TEST_CASE("hash_text is XXH3 of 128 bits") {
  // Result of xxhsum -H2.
  CHECK(hash_text("") == "99aa06d3014798d86001c324468d497f");
  CHECK(hash_text("a") == "a96faf705af16834e6c632b61e964e1f");
  CHECK(hash_text("foobar") == "3c9e102628997f44ac87b0b131c6992d");
}

TEST_CASE("xml_escape leaves no character that XML reads as markup") {
  CHECK(xml_escape("a<b & \"c\" > 'd'") == "a&lt;b &amp; &quot;c&quot; &gt; &apos;d&apos;");
  CHECK(xml_escape("plain") == "plain");
}

TEST_CASE("assignments keep the commas of a value") {
  using Parts = std::vector<std::string>;
  CHECK(split_assignments("a=1,b=2") == Parts{"a=1", "b=2"});
  CHECK(split_assignments("raster=swizzle-merge:8,4,cta=1") ==
        Parts{"raster=swizzle-merge:8,4", "cta=1"});
  CHECK(split_assignments("word,more") == Parts{"word,more"});
  CHECK(split_assignments("") == Parts{""});
}

}  // namespace
}  // namespace tilewright
