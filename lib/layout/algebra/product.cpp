#include "layout/algebra/product.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/compose.hpp"
#include "layout/algebra/divide.hpp"
#include "layout/algebra/inverse.hpp"

namespace tilewright {
namespace {

Layout product_whole(const Layout& block, const Layout& tiler, Derivation* why) {
  const int64_t target = checked_mul(size(block), cosize(tiler));
  if (why != nullptr) why->say(format("complement({}, {})", to_string(block), target));
  Layout rest;
  {
    const DerivationLevel level(why);
    rest = complement(block, target, why);
    if (why != nullptr) why->say("= " + to_string(rest));
  }
  if (why != nullptr) why->say(format("composition({}, {})", to_string(rest), to_string(tiler)));
  const DerivationLevel level(why);
  return join_modes({block, composition(rest, tiler, why)});
}

Layout pad(const Layout& layout, size_t modes_wanted) {
  if (rank(layout) == modes_wanted) return layout;
  std::vector<Layout> padded = modes(layout);
  padded.resize(modes_wanted);
  return join_modes(padded);
}

Layout zip_product(const Layout& block, const Layout& tiler, bool blocks_first, Derivation* why) {
  const size_t count = std::max(rank(block), rank(tiler));
  const Layout product = product_whole(pad(block, count), pad(tiler, count), why);
  const size_t lead = blocks_first ? 0 : 1;
  const Layout first = mode(product, lead);
  const Layout second = mode(product, 1 - lead);
  const bool plain_first = !(blocks_first ? block : tiler).shape.is_tuple();
  const bool plain_second = !(blocks_first ? tiler : block).shape.is_tuple();
  if (count == 1) {
    // An integer that composition split is still one mode.
    return join_modes({join_modes({plain_first ? first : mode(first, 0),
                                   plain_first || plain_second ? second : mode(second, 0)})});
  }
  std::vector<Layout> zipped;
  for (size_t i = 0; i < count; ++i) {
    zipped.push_back(join_modes({mode(first, i), mode(second, i)}));
  }
  return join_modes(zipped);
}

}  // namespace

Layout logical_product(const Layout& block, const Tiler& tiler, Derivation* why) {
  if (tiler.layout) return product_whole(block, *tiler.layout, why);
  if (!tiler.is_by_mode()) return block;
  require_modes(block, tiler, "logical_product");
  std::vector<Layout> done;
  for (size_t i = 0; i < rank(block); ++i) {
    const Tiler whole;
    const Tiler& one = i < tiler.modes.size() ? tiler.modes[i] : whole;
    if (why != nullptr) {
      why->say(format("mode {}: {} by {}", i, to_string(mode(block, i)), to_string(one)));
    }
    const DerivationLevel level(why);
    done.push_back(logical_product(mode(block, i), one, why));
  }
  return join_modes(done);
}

Layout zipped_product(const Layout& block, const Tiler& tiler, Derivation* why) {
  return unzip_tiles(logical_product(block, tiler, why), tiler, "zipped_product");
}

Layout tiled_product(const Layout& block, const Tiler& tiler, Derivation* why) {
  const Layout product = logical_product(block, tiler, why);
  return unpack_rest(unzip_tiles(product, tiler, "tiled_product"), false);
}

Layout flat_product(const Layout& block, const Tiler& tiler, Derivation* why) {
  const Layout product = logical_product(block, tiler, why);
  return unpack_rest(unzip_tiles(product, tiler, "flat_product"), true);
}

Layout blocked_product(const Layout& block, const Layout& tiler, Derivation* why) {
  return zip_product(block, tiler, true, why);
}

Layout raked_product(const Layout& block, const Layout& tiler, Derivation* why) {
  return zip_product(block, tiler, false, why);
}

Layout tile_to_shape(const Layout& block, const IntTuple& shape, const IntTuple* order,
                     Derivation* why) {
  if (rank(block) > shape.rank()) {
    throw usage_error(format("tile_to_shape: {} has {} modes and the shape {} only {}",
                             to_string(block), rank(block), to_string(shape), shape.rank()));
  }
  const Layout padded = pad(block, shape.rank());
  const IntTuple have = product_each(padded.shape);
  const IntTuple want = product_each(shape);
  for (size_t i = 0; i < want.rank(); ++i) {
    const int64_t target = product(want[i]);
    if (target < 1 || target % product(have[i]) != 0) {
      throw usage_error(
          format("tile_to_shape: mode {} of the block has {} elements, which do not "
                 "divide the {} of the shape {}",
                 i, product(have[i]), target, to_string(shape)));
    }
  }
  const IntTuple repeats = ceil_div(want, have);
  const Layout tiles = order == nullptr ? compact_layout(repeats) : ordered_layout(repeats, *order);
  if (why != nullptr) {
    why->say(format("blocked_product({}, {})", to_string(padded), to_string(tiles)));
  }
  const DerivationLevel level(why);
  return blocked_product(padded, tiles, why);
}

}  // namespace tilewright
