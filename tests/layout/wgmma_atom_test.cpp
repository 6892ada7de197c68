// Compares the atoms with PTX's drawing of a swizzled row of 16-byte chunks, address by address.
#include "layout/algebra/wgmma_atom.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "support/error_message.hpp"
#include "support/evaluation.hpp"

using namespace tilewright;
using testing::layout_read;

namespace {

// Chunk c of row r is at chunk c ^ (r mod 8), c ^ (r / 2 mod 4), c ^ (r / 4 mod 2) or c.
int64_t byte_in_atom(int64_t row, int64_t byte, int64_t row_bytes) {
  const int64_t line = row * row_bytes;
  const int64_t chunk = (byte / 16) ^ ((line / 128) % (row_bytes / 16));
  return line + chunk * 16 + byte % 16;
}

}  // namespace

TEST_CASE("a wgmma atom is 8 rows with permuted 16-byte chunks") {
  struct Kind {
    const char* name;
    int64_t row_bytes;
  };
  struct Type {
    const char* name;
    int64_t bytes;
  };
  for (const Kind& kind :
       {Kind{"INTER", 16}, Kind{"SW32", 32}, Kind{"SW64", 64}, Kind{"SW128", 128}}) {
    for (const Type& type : {Type{"half_t", 2}, Type{"cutlass::bfloat16_t", 2}, Type{"float", 4},
                             Type{"float_e4m3_t", 1}, Type{"double", 8}}) {
      for (const bool k_major : {true, false}) {
        const std::string text = std::string("cute::GMMA::Layout_") + (k_major ? "K_" : "MN_") +
                                 kind.name + "_Atom<" + type.name + ">{};";
        CAPTURE(text);
        const ComposedLayout atom = layout_read(text);
        const int64_t width = kind.row_bytes / type.bytes;
        REQUIRE(size(atom.layout) == 8 * width);
        for (int64_t row = 0; row < 8; ++row) {
          for (int64_t i = 0; i < width; ++i) {
            const IntTuple at = k_major ? IntTuple({row, i}) : IntTuple({i, row});
            const int64_t bytes = byte_in_atom(row, i * type.bytes, kind.row_bytes);
            CHECK(offset_at(atom, at) * type.bytes == bytes);
          }
        }
      }
    }
  }
}

TEST_CASE("atoms may be written wherever layouts may") {
  CHECK(to_string(
            layout_read("tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_128,_64>{})")) ==
        "Sw<3,3,3> o 0 o ((8,16),(64,1)):((64,512),(1,0))");
  CHECK(
      to_string(layout_read("using L = decltype(tile_to_shape(GMMA::Layout_MN_SW64_Atom<float>{}, "
                            "Shape<_32,_8>{}));")) ==
      to_string(layout_read("tile_to_shape(Sw<2,2,3> o 0 o (16,8):(1,16), (32,8))")));
  CHECK(to_string(layout_read("recast_layout<uint128_t, half_t>((8,64):(64,1))")) == "(8,8):(8,1)");
  CHECK(testing::contains(
      testing::error_message_of([] { layout_read("Layout_K_SW128_Atom<hlaf_t>{}"); }),
      "unknown element type"));
}
