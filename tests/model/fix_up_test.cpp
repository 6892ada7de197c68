#include "model/fix_up.hpp"

#include <doctest/doctest.h>

#include "support/devices.hpp"

namespace tilewright {
namespace {

TEST_CASE("a part moves its tile once; a serial one in the middle reads it too; turns cost") {
  const DeviceSpec d = testing::h200();
  const TileShape cta = parse_tile("128x256x64");
  const double move = partial_tile_move_us(cta, d);
  CHECK(partial_tile_bytes(cta) == 128 * 256 * 4);
  CHECK(fix_up_us(Reduction::Workspace, cta, d, true, false) == doctest::Approx(move));
  CHECK(fix_up_us(Reduction::Workspace, cta, d, false, false) == doctest::Approx(move));
  CHECK(fix_up_us(Reduction::InPlace, cta, d, false, true) ==
        doctest::Approx(d.join.sm90_turn_us + partial_tile_move_us(cta, d) / 2));
  CHECK(fix_up_us(Reduction::ReduceScatter, cta, d, false, true) ==
        doctest::Approx(2 * move + d.join.sm90_turn_us));
  CHECK(fix_up_us(Reduction::Serial, cta, d, true, false) ==
        doctest::Approx(move + d.join.sm90_turn_us));
  CHECK(fix_up_us(Reduction::Serial, cta, d, false, false) ==
        doctest::Approx(2 * move + d.join.sm90_turn_us));
  CHECK(fix_up_us(Reduction::Serial, cta, d, false, true) ==
        doctest::Approx(move + d.join.sm90_turn_us));
}

TEST_CASE("the second kernel takes a launch, and the time of its bytes") {
  const DeviceSpec d = testing::h200();
  const TileShape cta = parse_tile("128x128x64");
  CHECK(workspace_kernel_us(0, cta, d) == d.launch_us);
  const double hundred = workspace_kernel_us(100, cta, d) - d.launch_us;
  CHECK(workspace_kernel_us(200, cta, d) - d.launch_us == doctest::Approx(2 * hundred));
  CHECK(hundred == doctest::Approx(100 * 65536 / d.dram_bytes_per_s * 1e6));
}

}  // namespace
}  // namespace tilewright
