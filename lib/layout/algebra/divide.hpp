// Divides: a layout as tiles, and the rest that says which tile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layout/algebra/derivation.hpp"
#include "layout/algebra/layout.hpp"

namespace tilewright {

// What divides, tiles or selects a layout: a layout, one tiler a mode, or "all of it".

/// "<3:3,(2,4):(1,8),_>": with `layout` it acts on the whole, with `modes` mode by mode, and with
/// neither it is "_", which takes everything as it is.
struct Tiler {
  std::optional<Layout> layout;
  std::vector<Tiler> modes;
  bool operator==(const Tiler&) const = default;
  bool is_by_mode() const { return !modes.empty(); }
};

/// An integer n is n:1; a tuple acts mode by mode.
Tiler tiler_of(const IntTuple& shape);
/// "<3:3,_>".
std::string to_string(const Tiler& tiler);
/// Throws a usage error where the tiler has more modes than the layout; `what` is the operation.
void require_modes(const Layout& layout, const Tiler& tiler, const char* what);

/// layout o (tiler, complement of tiler): mode 0 is a tile, mode 1 the tiles. A tiler by mode
/// divides each mode so. Throws a usage error that names the mode that does not divide.
Layout logical_divide(const Layout& layout, const Tiler& tiler, Derivation* why = nullptr);
/// ((tile modes), (rest modes)).
Layout zipped_divide(const Layout& layout, const Tiler& tiler, Derivation* why = nullptr);
/// ((tile modes), rest modes...).
Layout tiled_divide(const Layout& layout, const Tiler& tiler, Derivation* why = nullptr);
/// (tile modes..., rest modes...).
Layout flat_divide(const Layout& layout, const Tiler& tiler, Derivation* why = nullptr);

/// From pairs at the terminals of `tiler`, ((first ones), (second ones, further modes)); `what` is
/// the operation in errors.
Layout unzip_tiles(const Layout& pairs, const Tiler& tiler, const char* what);
/// (tile, (a,b)) to (tile, a, b), and with `tile_too` to (t0, t1, a, b).
Layout unpack_rest(const Layout& zipped, bool tile_too);

}  // namespace tilewright
