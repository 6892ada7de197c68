// Licence expressions are those of SPDX's grammar, and only those reach a generated file.
#include "ship/license_expression.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::error_message_of;

std::string license_refusal(const std::string& text) {
  return error_message_of([&text] { require_license_expression(text); });
}

TEST_CASE("the examples of SPDX's annex are expressions") {
  for (const char* const text :
       {"CDDL-1.0", "CDDL-1.0+", "LicenseRef-23", "LicenseRef-MIT-Style-1",
        "DocumentRef-spdx-tool-1.2:LicenseRef-MIT-Style-2", "LGPL-2.1-only OR MIT",
        "LGPL-2.1-only OR MIT OR BSD-3-Clause", "LGPL-2.1-only AND MIT",
        "LGPL-2.1-only AND MIT AND BSD-2-Clause", "GPL-2.0-or-later WITH Bison-exception-2.2",
        "LGPL-2.1-only OR BSD-3-Clause AND MIT", "MIT AND (LGPL-2.1-or-later OR BSD-3-Clause)",
        "MIT WITH AdditionRef-ours", "MIT WITH DocumentRef-d:AdditionRef-ours", "((0BSD))",
        "(MIT)AND(Zlib)", "  MIT  OR  X11 "}) {
    CAPTURE(text);
    CHECK(license_refusal(text).empty());
  }
}

TEST_CASE("what is no expression is refused with its place") {
  CHECK(contains(license_refusal(""), "a licence is missing"));
  CHECK(contains(license_refusal("MIT OR"), "a licence is missing"));
  CHECK(contains(license_refusal("MIT or Zlib"), "character 5, 'or': AND, OR, WITH"));
  CHECK(contains(license_refusal("MIT Zlib"), "character 5"));
  CHECK(contains(license_refusal("AND"), "character 1, 'AND': no licence"));
  CHECK(contains(license_refusal("MIT +"), "character 5"));
  CHECK(contains(license_refusal("MIT++"), "no licence"));
  CHECK(contains(license_refusal("+"), "no licence"));
  CHECK(contains(license_refusal("LicenseRef-"), "no licence"));
  CHECK(contains(license_refusal("LicenseRef-a+"), "no licence"));
  CHECK(contains(license_refusal("DocumentRef-a"), "no licence"));
  CHECK(contains(license_refusal("DocumentRef-:LicenseRef-a"), "no licence"));
  CHECK(contains(license_refusal("(MIT"), "a parenthesis is not closed"));
  CHECK(contains(license_refusal("MIT)"), "no parenthesis is open"));
  CHECK(contains(license_refusal("()"), "character 2"));
  CHECK(contains(license_refusal("(MIT OR Zlib) WITH x"), "WITH must follow one licence"));
  CHECK(contains(license_refusal("MIT WITH a WITH b"), "WITH must follow one licence"));
  CHECK(contains(license_refusal("MIT WITH (a)"), "WITH takes the identifier"));
  CHECK(contains(license_refusal("MIT WITH AND"), "WITH takes the identifier"));
  CHECK(contains(license_refusal("MIT\n*/ #include \"x\""), "MIT\\x0a*/"));
}

// An expression by the grammar's productions.
std::string drawn_expression(std::mt19937& random, int depth) {
  const auto one_of = [&random](const std::vector<std::string>& words) {
    return words[random() % words.size()];
  };
  const std::string simple =
      one_of({"MIT", "0BSD", "GPL-2.0+", "a.b-c", "LicenseRef-x", "DocumentRef-d:LicenseRef-x"});
  switch (depth > 0 ? random() % 5 : random() % 2) {
    case 0: return simple;
    case 1: return simple + " WITH " + one_of({"Bison-exception-2.2", "AdditionRef-y"});
    case 2: return "(" + drawn_expression(random, depth - 1) + ")";
    case 3:
      return drawn_expression(random, depth - 1) + " AND " + drawn_expression(random, depth - 1);
    default:
      return drawn_expression(random, depth - 1) + " OR " + drawn_expression(random, depth - 1);
  }
}

TEST_CASE("whatever the grammar derives is taken, and one foreign character in it is refused") {
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    const std::string text = drawn_expression(random, 4);
    CAPTURE(text);
    CHECK(license_refusal(text).empty());
    for (const char foreign : {'\n', '\r', '\t', '\0', '"', '\'', '\\', '*', '/', '#', '<', '-'}) {
      std::string damaged = text;
      damaged.insert(random() % (text.size() + 1), 1, foreign);
      // A further '-' within a word gives another word.
      const bool is_refused = !license_refusal(damaged).empty();
      if (foreign != '-') CHECK(is_refused);
      if (!is_refused) CHECK(damaged.find_first_of("\n\r\t\"'\\*/#<") == std::string::npos);
    }
  }
}

TEST_CASE("deep nesting is read without recursion") {
  const std::string text = std::string(100000, '(') + "MIT" + std::string(100000, ')');
  CHECK(license_refusal(text).empty());
  CHECK(!license_refusal(text + ")").empty());
}

}  // namespace
}  // namespace tilewright
