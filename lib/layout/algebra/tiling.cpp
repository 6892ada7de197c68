#include "layout/algebra/tiling.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/compose.hpp"
#include "layout/algebra/inverse.hpp"

namespace tilewright {

namespace {

Layout divide_whole(const Layout& layout, const Layout& tile, Derivation* why) {
  if (why != nullptr) {
    why->add_step(format("complement({}, {})", to_string(tile), to_string(coalesce(layout).shape)));
  }
  Layout rest;
  {
    const DerivationLevel level(why);
    rest = complement(tile, coalesce(layout).shape, why);
    if (why != nullptr) why->add_step("= " + to_string(rest));
  }
  const Layout both = join_modes({tile, rest});
  if (why != nullptr)
    why->add_step(format("composition({}, {})", to_string(layout), to_string(both)));
  const DerivationLevel level(why);
  return composition(layout, both, why);
}

void append_modes(const Layout& layout, std::vector<Layout>& all) {
  if (rank(layout) == 1) {  // as CuTe: a tuple of one stays a tuple
    all.push_back(layout);
    return;
  }
  for (Layout& one : modes(layout)) all.push_back(std::move(one));
}

Layout product_whole(const Layout& block, const Layout& tiler, Derivation* why) {
  const int64_t target = checked_mul(size(block), cosize(tiler));
  if (why != nullptr) why->add_step(format("complement({}, {})", to_string(block), target));
  Layout rest;
  {
    const DerivationLevel level(why);
    rest = complement(block, target, why);
    if (why != nullptr) why->add_step("= " + to_string(rest));
  }
  if (why != nullptr)
    why->add_step(format("composition({}, {})", to_string(rest), to_string(tiler)));
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

Layout logical_divide(const Layout& layout, const Tiler& tiler, Derivation* why) {
  if (tiler.layout) return divide_whole(layout, *tiler.layout, why);
  if (!tiler.is_by_mode()) return layout;
  require_modes(layout, tiler, "logical_divide");
  std::vector<Layout> divided;
  for (size_t i = 0; i < rank(layout); ++i) {
    if (i >= tiler.modes.size()) {
      divided.push_back(mode(layout, i));
      continue;
    }
    if (why != nullptr) {
      why->add_step(
          format("mode {}: {} by {}", i, to_string(mode(layout, i)), to_string(tiler.modes[i])));
    }
    const DerivationLevel level(why);
    divided.push_back(logical_divide(mode(layout, i), tiler.modes[i], why));
  }
  return join_modes(divided);
}

Layout unzip_tiles(const Layout& pairs, const Tiler& tiler, const char* what) {
  if (!tiler.is_by_mode()) {
    if (rank(pairs) == 2) return pairs;
    throw usage_error(format("{}: '_' selects the whole of {}, which has no tile and no rest", what,
                             to_string(pairs)));
  }
  std::vector<Layout> tiles;
  std::vector<Layout> rests;
  for (size_t i = 0; i < rank(pairs); ++i) {
    if (i >= tiler.modes.size()) {
      rests.push_back(mode(pairs, i));
      continue;
    }
    const Layout split = unzip_tiles(mode(pairs, i), tiler.modes[i], what);
    tiles.push_back(mode(split, 0));
    rests.push_back(mode(split, 1));
  }
  return join_modes({join_modes(tiles), join_modes(rests)});
}

Layout unpack_rest(const Layout& zipped, bool tile_too) {
  std::vector<Layout> all;
  if (tile_too) {
    append_modes(mode(zipped, 0), all);
  } else {
    all.push_back(mode(zipped, 0));
  }
  append_modes(mode(zipped, 1), all);
  return join_modes(all);
}

Layout zipped_divide(const Layout& layout, const Tiler& tiler, Derivation* why) {
  return unzip_tiles(logical_divide(layout, tiler, why), tiler, "zipped_divide");
}

Layout tiled_divide(const Layout& layout, const Tiler& tiler, Derivation* why) {
  const Layout divided = logical_divide(layout, tiler, why);
  return unpack_rest(unzip_tiles(divided, tiler, "tiled_divide"), false);
}

Layout flat_divide(const Layout& layout, const Tiler& tiler, Derivation* why) {
  const Layout divided = logical_divide(layout, tiler, why);
  return unpack_rest(unzip_tiles(divided, tiler, "flat_divide"), true);
}

Tiler tiler_of(const IntTuple& shape) {
  Tiler tiler;
  if (!shape.is_tuple()) {
    tiler.layout = make_layout(shape, 1);
    return tiler;
  }
  for (const IntTuple& item : shape.items()) tiler.modes.push_back(tiler_of(item));
  return tiler;
}

std::string to_string(const Tiler& tiler) {
  if (tiler.layout) return to_string(*tiler.layout);
  if (!tiler.is_by_mode()) return "_";
  std::vector<std::string> parts;
  for (const Tiler& one : tiler.modes) parts.push_back(to_string(one));
  return format("<{}>", join(parts, ","));
}

void require_modes(const Layout& layout, const Tiler& tiler, const char* what) {
  if (tiler.modes.size() <= rank(layout)) return;
  throw usage_error(format("{}: tiler {} has {} modes and {} has only {}", what, to_string(tiler),
                           tiler.modes.size(), to_string(layout), rank(layout)));
}

Layout logical_product(const Layout& block, const Tiler& tiler, Derivation* why) {
  if (tiler.layout) return product_whole(block, *tiler.layout, why);
  if (!tiler.is_by_mode()) return block;
  require_modes(block, tiler, "logical_product");
  std::vector<Layout> done;
  for (size_t i = 0; i < rank(block); ++i) {
    const Tiler whole;
    const Tiler& one = i < tiler.modes.size() ? tiler.modes[i] : whole;
    if (why != nullptr) {
      why->add_step(format("mode {}: {} by {}", i, to_string(mode(block, i)), to_string(one)));
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
          format("tile_to_shape: mode {} of the block has {} elements, which do not divide the {} "
                 "of the shape {}",
                 i, product(have[i]), target, to_string(shape)));
    }
  }
  const IntTuple repeats = ceil_div(want, have);
  const Layout tiles = order == nullptr ? compact_layout(repeats) : ordered_layout(repeats, *order);
  if (why != nullptr) {
    why->add_step(format("blocked_product({}, {})", to_string(padded), to_string(tiles)));
  }
  const DerivationLevel level(why);
  return blocked_product(padded, tiles, why);
}

}  // namespace tilewright
