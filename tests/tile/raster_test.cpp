#include "tile/config/raster.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "support/error_message.hpp"
#include "tile/plan/grid_proof.hpp"

using namespace tilewright;

namespace {

using testing::contains;

std::string why_no_raster(std::string_view text) {
  return testing::error_message_of([&] { parse_raster(text); });
}

}  // namespace

TEST_CASE("a printed raster parses back") {
  for (const char* text : {"row",
                           "col",
                           "split-merge:4",
                           "split-merge:1",
                           "split-merge:4x2",
                           "split-merge:4@n",
                           "split-merge:3x5@n",
                           "swizzle-merge:8",
                           "swizzle-merge:8,4",
                           "swizzle-merge:8,4,2,1",
                           "swizzle-merge:16@n",
                           "swizzle-merge:2,3@n",
                           "swizzle-merge:32767",
                           "triton:8",
                           "snake:4",
                           "snake:4@n",
                           "cutlass2:8",
                           "cutlass2-nopad:4",
                           "cutlass3:8",
                           "cutlass3:2@n",
                           "cutlass-dsl:3",
                           "cutlass-dsl:8@n",
                           "hilbert",
                           "morton"}) {
    CAPTURE(text);
    CHECK(to_string(parse_raster(text)) == text);
    CHECK(parse_raster(to_string(parse_raster(text))) == parse_raster(text));
  }
}

TEST_CASE("an x between factors may be a capital") {
  CHECK(parse_raster("split-merge:3X2") == parse_raster("split-merge:3x2"));
}

TEST_CASE("@m is the default and is left out") {
  CHECK(parse_raster("swizzle-merge:4@m") == parse_raster("swizzle-merge:4"));
  CHECK(to_string(parse_raster("split-merge:4x2@m")) == "split-merge:4x2");
}

TEST_CASE("a misspelt raster gets a suggestion") {
  CHECK(contains(why_no_raster("swizle-merge:4"), "did you mean 'swizzle-merge'?"));
  CHECK(contains(why_no_raster("split_merge:4"), "did you mean 'split-merge'?"));
  CHECK(contains(why_no_raster("rwo"), "did you mean 'row'?"));
  CHECK(contains(why_no_raster("hilbrt"), "did you mean 'hilbert'?"));
  CHECK(contains(why_no_raster("cutlas3:8"), "did you mean 'cutlass3'?"));
  CHECK(contains(why_no_raster("zebra"), "the rasters are row, col"));
  CHECK_FALSE(contains(why_no_raster("zebra-crossing"), "did you mean"));
}

TEST_CASE("factors are whole numbers from 1 to 32767") {
  for (const char* text : {"split-merge:0", "swizzle-merge:-1", "swizzle-merge:32768",
                           "swizzle-merge:99999999999999999999", "split-merge:4.0",
                           "swizzle-merge:4,", "swizzle-merge:,4", "swizzle-merge:",
                           "split-merge:4x", "split-merge:+4", "swizzle-merge: 4"}) {
    CAPTURE(text);
    CHECK(contains(why_no_raster(text), "is not a whole number from 1 to 32767"));
  }
}

TEST_CASE("a list of up to eight factors walks every tile once, and reads back") {
  for (const std::string text : {"swizzle-merge:30,20,10,5,3,2", "swizzle-merge:32,16,8,8,4,4,2,2",
                                 "swizzle-merge:7,5,3,2,2@n", "swizzle-merge:1,1,1,1,1,1,1,1"}) {
    CAPTURE(text);
    CHECK(to_string(parse_raster(text)) == text);
    for (const TileCoord grid : {TileCoord{60, 60}, {37, 101}, {1, 9}, {64, 3}}) {
      CHECK(prove_grid(parse_raster(text), grid).bijective);
    }
  }
}

TEST_CASE("every other bad text is a usage error that quotes it") {
  CHECK(contains(why_no_raster("split-merge"), "needs a factor"));
  CHECK(contains(why_no_raster("split-merge@n"), "needs a factor"));
  CHECK(contains(why_no_raster("split-merge:1x2x3"), "at most 2 factors"));
  CHECK(contains(why_no_raster("swizzle-merge:1,2,3,4,5,6,7,8,9"), "at most 8 factors"));
  CHECK(contains(why_no_raster("swizzle-merge:4@k"), "use @m or @n"));
  CHECK(contains(why_no_raster("swizzle-merge:4@n "), "use @m or @n"));
  CHECK(contains(why_no_raster("row:2"), "takes no factor"));
  CHECK(contains(why_no_raster("row@n"), "takes no axis"));
  CHECK(contains(why_no_raster("col:"), "takes no factor"));
  CHECK(contains(why_no_raster(""), "unknown"));
  CHECK(contains(why_no_raster("row "), "raster 'row '"));
  CHECK(contains(why_no_raster("hilbert:4"), "takes no factor"));
  CHECK(contains(why_no_raster("morton@n"), "takes no axis"));
  CHECK(contains(why_no_raster("triton:8@n"), "takes no axis"));
  CHECK(contains(why_no_raster("cutlass2:8@m"), "takes no axis"));
  CHECK(contains(why_no_raster("cutlass3"), "needs a factor"));
  CHECK(contains(why_no_raster("snake:4,2"), "at most 1 factor"));
}

TEST_CASE("grids are MxN in tiles") {
  CHECK(parse_grid("13x10") == TileCoord{13, 10});
  CHECK(parse_grid("13X10") == TileCoord{13, 10});
  CHECK(parse_grid("2147483647x1") == TileCoord{2147483647, 1});
  for (const char* text : {"", "13", "13x", "x10", "13x10x2", "0x10", "13x0", "-1x3", "13*10",
                           "13 x10", "2147483648x1", "1e3x4", "13x10 "}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_grid(text), Error);
  }
}
