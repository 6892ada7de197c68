// Packed tensors and matrix instructions as IREE prints them, element by element.
#include "layout/text/iree_text.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "support/error_message.hpp"

using namespace tilewright;
using testing::contains;
using testing::error_message_of;

namespace {

struct Pack {
  std::vector<int64_t> shape;
  std::vector<int64_t> outer;
  std::vector<int64_t> dims;
  std::vector<int64_t> tiles;
};

std::string list_of(const std::vector<int64_t>& numbers, const char* between = ", ") {
  std::vector<std::string> texts;
  for (const int64_t number : numbers) texts.push_back(format("{}", number));
  return join(texts, between);
}

std::string text_of(const Pack& p) {
  return format(
      "%p = linalg.pack %s outer_dims_perm = [{}] inner_dims_pos = [{}] inner_tiles = [{}] into "
      "%d : tensor<{}xf32> -> tensor<?xf32>",
      list_of(p.outer), list_of(p.dims), list_of(p.tiles), list_of(p.shape, "x"));
}

int64_t tiles_along(const Pack& p, size_t dim) {
  for (size_t i = 0; i < p.dims.size(); ++i) {
    if (static_cast<size_t>(p.dims[i]) == dim) {
      return (p.shape[dim] + p.tiles[i] - 1) / p.tiles[i];
    }
  }
  return p.shape[dim];
}

// Where linalg.pack puts an element: the packed tensor is row-major, tiles in their order before
// what is inside of one.
int64_t packed_offset(const Pack& p, const std::vector<int64_t>& at) {
  int64_t offset = 0;
  for (const int64_t dim : p.outer) {
    const auto d = static_cast<size_t>(dim);
    int64_t extent = 1;
    for (size_t i = 0; i < p.dims.size(); ++i) {
      if (p.dims[i] == dim) extent = p.tiles[i];
    }
    offset = offset * tiles_along(p, d) + at[d] / extent;
  }
  for (size_t i = 0; i < p.dims.size(); ++i) {
    offset = offset * p.tiles[i] + at[static_cast<size_t>(p.dims[i])] % p.tiles[i];
  }
  return offset;
}

// The elements, first dimension fastest, that a lane holds.
std::vector<std::set<int64_t>> held_by(const Layout& layout, int64_t lanes) {
  std::vector<std::set<int64_t>> held(static_cast<size_t>(lanes));
  const int64_t values = size(layout) / lanes;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    for (int64_t v = 0; v < values; ++v) {
      held[static_cast<size_t>(lane)].insert(offset_at(layout, lane + lanes * v));
    }
  }
  return held;
}

}  // namespace

TEST_CASE("a pack puts every element where its tiles and their order say") {
  for (const Pack& p :
       {Pack{{64, 32}, {0, 1}, {0, 1}, {16, 4}}, Pack{{64, 32}, {1, 0}, {1, 0}, {8, 2}},
        Pack{{6, 10}, {1, 0}, {1}, {5}}, Pack{{13, 15}, {0, 1}, {0, 1}, {8, 2}},
        Pack{{32}, {0}, {0}, {16}}, Pack{{3, 8, 5}, {2, 0, 1}, {1, 2}, {4, 5}}}) {
    const std::string text = text_of(p);
    CAPTURE(text);
    REQUIRE(is_iree_text(text));
    const Layout layout = parse_iree(text);
    REQUIRE(rank(layout) == p.shape.size());
    // Every coordinate of the tensor, as an odometer counts them.
    std::vector<int64_t> at(p.shape.size(), 0);
    for (bool more = true; more;) {
      int64_t index = 0;
      for (size_t d = at.size(); d > 0; --d) index = index * size(mode(layout, d - 1)) + at[d - 1];
      CHECK(offset_at(layout, index) == packed_offset(p, at));
      more = false;
      for (size_t d = 0; d < at.size() && !more; ++d) {
        more = ++at[d] < p.shape[d];
        if (!more) at[d] = 0;
      }
    }
  }
}

TEST_CASE("an encoding without a tensor is one tile") {
  const Layout layout = parse_iree(
      "#iree_encoding.layout<[#iree_cpu.cpu_encoding_resolver<configuration = {encoding_info = "
      "{innerDimsPos = [1, 0], innerTileSizes = [16, 8], outerDimsPerm = [1, 0]}}>]>");
  for (int64_t row = 0; row < 8; ++row) {
    for (int64_t column = 0; column < 16; ++column) {
      CHECK(offset_at(layout, row + 8 * column) == column * 8 + row);
    }
  }
}

TEST_CASE("lanes hold what AMD's and NVIDIA's tables say of their instructions") {
  // MFMA 16x16x16: lanes along N of the accumulator, four rows of it each.
  const auto mfma = held_by(parse_iree("kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>"), 64);
  const auto mfma_lhs =
      held_by(parse_iree("#iree_gpu.mma_layout<MFMA_F32_16x16x16_F16, operand_index = 0>"), 64);
  for (int64_t lane = 0; lane < 64; ++lane) {
    std::set<int64_t> accumulator;
    std::set<int64_t> lhs;
    for (int64_t v = 0; v < 4; ++v) {
      accumulator.insert(4 * (lane / 16) + v + 16 * (lane % 16));
      lhs.insert(lane % 16 + 16 * (4 * (lane / 16) + v));
    }
    CHECK(mfma[static_cast<size_t>(lane)] == accumulator);
    CHECK(mfma_lhs[static_cast<size_t>(lane)] == lhs);
  }
  // mma.m16n8k16: rows lane / 4 and 8 below, columns 2 (lane % 4) and the next.
  const auto sync = held_by(parse_iree("#iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>"), 32);
  for (int64_t lane = 0; lane < 32; ++lane) {
    std::set<int64_t> accumulator;
    for (int64_t v = 0; v < 4; ++v) {
      accumulator.insert(lane / 4 + 8 * (v / 2) + 16 * (2 * (lane % 4) + v % 2));
    }
    CHECK(sync[static_cast<size_t>(lane)] == accumulator);
  }
}

TEST_CASE("what is missing or unknown in IREE's texts is named") {
  struct Case {
    std::string text;
    const char* words;
  };
  for (const Case& one :
       {Case{"linalg.pack %a inner_dims_pos = [0] into %b : tensor<8xf32>", "tiles are missing"},
        Case{text_of({{8, 8}, {0, 1}, {0, 0}, {2, 2}}), "not distinct"},
        Case{text_of({{8, 8}, {0, 0}, {0}, {2}}), "not an order of 2 dimensions"},
        Case{text_of({{8, 8}, {0, 1}, {0, 1}, {2}}), "2 dimensions have 1 inner tiles"},
        Case{text_of({{8, 8}, {0, 1}, {2}, {2}}), "not distinct dimensions of 2"},
        Case{text_of({{8, 8}, {0, 1}, {0}, {0}}), "an inner tile is empty"},
        Case{"linalg.pack %a inner_dims_pos = [0] inner_tiles = [2] into %b", "needs its type"},
        Case{"linalg.pack inner_dims_pos = [0] inner_tiles = [2] : tensor<?x8xf32>", "'?'"},
        Case{"#iree_gpu.mma_layout<MFMA_F32_16x16x16_F16, operand_index = 3>", "operand_index"},
        Case{"#iree_gpu.mma_layout<MFMA_F32_4x4x4_F16>", "are not known"},
        Case{"#iree_gpu.mma_layout<MFMA_F64_16x16x4_F64>", "are not known"},
        Case{"#iree_gpu.mma_layout<>", "are not known"}}) {
    CAPTURE(one.text);
    CHECK(contains(error_message_of([&] { parse_iree(one.text); }), one.words));
  }
  for (const char* const other : {"", "(8,8):(8,1)", "#ttg.blocked<{}>", "pack"}) {
    CHECK_FALSE(is_iree_text(other));
  }
}
