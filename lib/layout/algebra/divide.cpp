#include "layout/algebra/divide.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/compose.hpp"
#include "layout/algebra/inverse.hpp"

namespace tilewright {

namespace {

Layout divide_whole(const Layout& layout, const Layout& tile, Derivation* why) {
  if (why != nullptr) {
    why->say(format("complement({}, {})", to_string(tile), to_string(coalesce(layout).shape)));
  }
  Layout rest;
  {
    const DerivationLevel level(why);
    rest = complement(tile, coalesce(layout).shape, why);
    if (why != nullptr) why->say("= " + to_string(rest));
  }
  const Layout both = join_modes({tile, rest});
  if (why != nullptr) why->say(format("composition({}, {})", to_string(layout), to_string(both)));
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
      why->say(
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
    throw usage_error(format("{}: {} is taken whole by '_' and has no tile and rest to part", what,
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

}  // namespace tilewright
