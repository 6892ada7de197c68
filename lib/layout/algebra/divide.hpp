// Divides: a layout as tiles, and the rest that says which tile.
#pragma once

#include "layout/algebra/derivation.hpp"
#include "layout/algebra/layout.hpp"
#include "layout/algebra/tiler.hpp"

namespace tilewright {

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
