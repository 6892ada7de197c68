#include "draw/access_diagram.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "draw/swizzle_diagram.hpp"
#include "layout/smem/access_op.hpp"
#include "layout/smem/wavefronts.hpp"
#include "support/golden.hpp"
#include "support/scenes.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

WarpAccess strided(const char* op, int64_t stride, int64_t inactive_every = 0) {
  WarpAccess access{.op = parse_access_op(op), .addresses = {}};
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const bool idle = inactive_every > 0 && lane % inactive_every == 0;
    access.addresses[static_cast<size_t>(lane)] = idle ? kInactive : lane * stride;
  }
  return access;
}

Scene shared(const WarpAccess& access) {
  return shared_access_diagram({&access, 1});
}

Scene global(const WarpAccess& access) {
  return global_access_diagram({&access, 1});
}

int lanes_shown(const Scene& scene) {
  int count = 0;
  for (const SceneItem& item : scene.items) {
    const auto* label = std::get_if<LabelItem>(&item);
    count += label != nullptr && label->text.substr(0, 5) == "lane " ? 1 : 0;
  }
  return count;
}

SwizzleReport solved(const char* tile, const char* dtype, int64_t vector, const char* write,
                     const char* read) {
  return report_swizzle({.tile = parse_shared_tile(tile, dtype),
                         .vector = vector,
                         .write = parse_tile_pattern(write),
                         .read = parse_tile_pattern(read)},
                        std::nullopt);
}

}  // namespace

TEST_CASE("every active lane of an access has a row") {
  for (const char* op : {"ld.b32", "ld.v2", "ld.v4", "st.v4", "st.u8", "ldmatrix.x4"}) {
    for (const int64_t stride : {16, 32, 144, 128}) {
      CHECK(lanes_shown(shared(strided(op, stride))) == kWarpLanes);
    }
  }
  CHECK(lanes_shown(shared(strided("ld.v2", 8, 4))) == 24);
}

TEST_CASE("pictures of accesses have limits") {
  const std::vector<WarpAccess> many(33, strided("ld.b32", 4));
  CHECK_THROWS_AS(shared_access_diagram(many), Error);
  CHECK_THROWS_AS(global_access_diagram(many), Error);
  CHECK_THROWS_AS(shared(strided("ld.v4", 4)), Error);
  CHECK_THROWS_AS(global(strided("ldmatrix.x4", 16)), Error);
}

TEST_CASE("repeating rows of a tile are left out, and the picture notes it") {
  const Scene tall = swizzle_diagram(solved("128x64", "f16", 8, "st.v4", "ldmatrix.x4"));
  CHECK(rectangles(tall.items, "outline").size() == 2);
  CHECK(texts_of(tall.items, "subtitle").back() == "rows 16 to 127 repeat the first 16 rows");
  // Labels: vectors of both panels, bits of both offsets, and the rows of one period.
  CHECK(tooltip_texts(tall.items).size() == 2 * 16 * 8 + 2 * 13 + 8);
  const Scene whole = swizzle_diagram(solved("32x32", "f32", 1, "st.b32", "ld.b32@col"));
  CHECK(tooltip_texts(whole.items).size() == 2 * 32 * 32 + 2 * 10 + 32);
}

TEST_CASE("scenes of accesses and swizzles equal the reviewed golden files") {
  const std::pair<const char*, Scene> scenes[] = {
      {"access_conflict", shared(strided("ldmatrix.x1", 64))},
      {"access_broadcast", shared(strided("ld.b32", 0))},
      {"access_global", global(strided("ld.b32", 12))},
      {"swizzle_8x32", swizzle_diagram(solved("8x32", "f16", 8, "st.v4", "ldmatrix.x2"))},
  };
  for (const auto& [name, scene] : scenes) {
    const std::string difference = golden_difference(format("{}.scene", name), dump(scene));
    CHECK_MESSAGE(difference.empty(), difference);
  }
}
