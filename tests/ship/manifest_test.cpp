// The manifest of a shipment: it reads what it printed, and nothing that leads out of the folder.
#include "ship/manifest.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/text.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::error_message_of;

Manifest example() {
  return manifest_of("gem", {{"README.md", "text\n"}, {"lib/libgem.so", std::string("\0x", 2)}});
}

std::string message_of(const std::string& text) {
  return error_message_of([&text] { parse_manifest(text, "M"); });
}

TEST_CASE("a printed manifest reads as it was") {
  const std::string text = print_manifest(example());
  CHECK(is_manifest(text));
  CHECK(parse_manifest(text, "M") == example());
  CHECK(example().digests.at("README.md") == hash_text("text\n"));
  CHECK(parse_manifest(print_manifest({"empty", {}}), "M") == Manifest{"empty", {}});
}

TEST_CASE("every text that is cut short is refused or is no manifest") {
  const std::string text = print_manifest(example());
  for (size_t length = 0; length < text.size(); ++length) {
    CAPTURE(length);
    const std::string cut = text.substr(0, length);
    // A cut after a whole line is that of a folder with fewer files.
    if (cut.ends_with('\n') && is_manifest(cut)) continue;
    CHECK(!message_of(cut).empty());
  }
}

TEST_CASE("a path out of the folder, a repeated one and a damaged digest are refused") {
  const std::string head = print_manifest({"gem", {}});
  const std::string digest = hash_text("x");
  for (const char* const path :
       {"/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/", "", "MANIFEST", "a\x07"}) {
    CAPTURE(path);
    CHECK(contains(message_of(head + digest + "  " + path + "\n"), "line 3 is no digest with"));
  }
  CHECK(contains(message_of(head + digest + " a\n"), "line 3"));
  CHECK(contains(message_of(head + digest.substr(1) + "  a\n"), "line 3"));
  CHECK(contains(message_of(head + "G" + digest.substr(1) + "  a\n"), "line 3"));
  CHECK(contains(message_of(head + digest + "  a\n" + digest + "  a\n"), "line 4 repeats a path"));
  CHECK(contains(message_of("include *.txt\n"), "line 1"));
}

}  // namespace
}  // namespace tilewright
