#include "layout/smem/pipeline_stages.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/text.hpp"
#include "layout/smem/layout_access.hpp"
#include "layout/smem/wgmma_layout.hpp"
#include "layout/text/layout_expression.hpp"
#include "support/error_message.hpp"

using namespace tilewright;
using testing::contains;
using testing::error_message_of;

TEST_CASE("stages are alike exactly where each is the first one, moved") {
  for (const char* const swizzle :
       {"", "Sw<3,3,3> o 0 o ", "Sw<2,3,3> o 64 o ", "Sw<1,0,4> o 0 o "}) {
    for (const int64_t distance : {32, 64, 256, 512, 520, 1024, 4096}) {
      const ComposedLayout layout = parse_layout(format("{}(8,64,3):(64,1,{})", swizzle, distance));
      CAPTURE(to_string(layout));
      const PipelineStages stages = stages_of(layout, "a layout");
      CHECK(stages.count == 3);
      CHECK(stages.distance == distance);
      const int64_t elements = size(stages.first.layout);
      REQUIRE(elements == 512);
      bool moved = true;
      for (int64_t i = 0; i < 3 * elements; ++i) {
        const int64_t first = offset_at(stages.first, i % elements);
        moved = moved && offset_at(layout, i) == first + i / elements * distance;
        if (i < elements) CHECK(offset_at(layout, i) == first);
      }
      // A multiple of the swizzle's period is enough, not needed.
      if (stages.alike) CHECK(moved);
      if (distance % 1024 == 0) CHECK(stages.alike);
    }
  }
}

TEST_CASE("uneven stages have no distance; a layout of two modes is one stage") {
  const PipelineStages uneven = stages_of(parse_layout("(8,8,(2,2)):(8,1,(64,512))"), "a layout");
  CHECK(uneven.count == 4);
  CHECK(!uneven.distance);
  const ComposedLayout one = parse_layout("Sw<3,3,3> o 0 o (8,64):(64,1)");
  CHECK(stages_of(one, "a layout") == PipelineStages{one, 1, std::nullopt, true});
  CHECK(contains(error_message_of([] { stages_of(parse_layout("(2,2,2,2)"), "a layout"); }),
                 "a layout has two modes, and perhaps a third, the stages of a pipeline, not 4"));
}

TEST_CASE("one stage of a pipeline is matched and costs what it does alone") {
  for (const char* const atom : {"K_SW128", "K_SW64", "K_SW32", "K_INTER", "MN_SW128", "MN_SW32"}) {
    CAPTURE(atom);
    const auto tiled = [&](const char* shape) {
      return parse_layout(
          format("tile_to_shape(GMMA::Layout_{}_Atom<half_t>{{}}, {})", atom, shape));
    };
    const ComposedLayout staged = tiled("(128,64,4)");
    const ComposedLayout alone = tiled("(128,64)");
    const WgmmaMatch match = match_wgmma(staged, 2);
    REQUIRE(match.layout);
    CHECK(match.layout->name == atom);
    CHECK(match == match_wgmma(alone, 2));
    const TilePattern pattern = parse_tile_pattern("ldmatrix.x4");
    CHECK(cost_of_layout(staged, 2, pattern) == cost_of_layout(alone, 2, pattern));
    const PipelineStages stages = stages_of(staged, "a layout");
    CHECK(stages.distance == 128 * 64);
    CHECK(stages.alike);
  }
}

TEST_CASE("a stage that begins within a block is none of wgmma's") {
  const WgmmaMatch match = match_wgmma(parse_layout("Sw<3,3,3> o 0 o (8,64,2):(64,1,768)"), 2);
  CHECK(!match.layout);
  CHECK(contains(match.why_not, "not K_SW128: stage 1 begins at 768, which is not a multiple"));
}
