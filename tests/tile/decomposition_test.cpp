#include "tile/config/decomposition.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "support/error_message.hpp"

using namespace tilewright;

namespace {

using testing::contains;

std::string why_no_decomposition(std::string_view text) {
  return testing::error_message_of([&] { parse_decomposition(text); });
}

}  // namespace

TEST_CASE("a printed decomposition parses back") {
  for (const char* text :
       {"data-parallel", "split-k:1", "split-k:4", "split-k:4:serial-tma", "split-k:2:cluster",
        "split-k:8:workspace", "split-k:8:reduce-scatter", "split-k:2:in-place", "split-k:3:atomic",
        "split-k:3:atomic-tma", "stream-k", "stream-k:one-tile", "stream-k:all:workspace",
        "stream-k:serial-tma"}) {
    CAPTURE(text);
    CHECK(to_string(parse_decomposition(text)) == text);
  }
  CHECK(to_string(parse_decomposition("stream-k:two-tile:serial")) == "stream-k");
  CHECK(std::get<SplitK>(parse_decomposition("split-k:7")).slices == 7);
}

TEST_CASE("a bad decomposition is a usage error with the right form") {
  CHECK(contains(why_no_decomposition("split-k"), "split-k:4"));
  CHECK(contains(why_no_decomposition("split-k:0"), "1 to 1024"));
  CHECK(contains(why_no_decomposition("split-k:1025"), "1 to 1024"));
  CHECK(contains(why_no_decomposition("split-k:4:seriel"), "did you mean 'serial'?"));
  CHECK(contains(why_no_decomposition("split-k:4:serial:x"), "split-k:S[:REDUCTION]"));
  CHECK(contains(why_no_decomposition("stream-k:cluster"), "not form a cluster"));
  CHECK(contains(why_no_decomposition("stream-k:in-place"), "use split-k"));
  CHECK(contains(why_no_decomposition("streamk"), "did you mean 'stream-k'?"));
  CHECK(contains(why_no_decomposition("data-parallel:2"), "takes no suffix"));
  CHECK(contains(why_no_decomposition(""), "unknown"));
}
