// Divides and products: a layout split into tiles and the index of a tile, or repeated as blocks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layout/algebra/derivation.hpp"
#include "layout/algebra/layout.hpp"

namespace tilewright {

/// The second argument of divides, products and compositions: a layout, one tiler a mode, or
/// everything. "<3:3,(2,4):(1,8),_>": with `layout` it acts on the whole layout, with `modes` mode
/// by mode; with neither it is "_", which selects everything unchanged.
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
/// Throws a usage error if the tiler has more modes than the layout; `what` is the operation's
/// name.
void require_modes(const Layout& layout, const Tiler& tiler, const char* what);

/// layout o (tiler, complement of tiler): mode 0 is a tile, mode 1 the tiles. A tiler by mode
/// divides each mode in this way. Throws a usage error that names the mode that does not divide.
Layout logical_divide(const Layout& layout, const Tiler& tiler, Derivation* why = nullptr);
/// ((tile modes), (rest modes)).
Layout zipped_divide(const Layout& layout, const Tiler& tiler, Derivation* why = nullptr);
/// ((tile modes), rest modes...).
Layout tiled_divide(const Layout& layout, const Tiler& tiler, Derivation* why = nullptr);
/// (tile modes..., rest modes...).
Layout flat_divide(const Layout& layout, const Tiler& tiler, Derivation* why = nullptr);

/// Regroups pairs at the leaves of `tiler` to ((first ones), (second ones, further modes)); `what`
/// is the operation's name in errors.
Layout unzip_tiles(const Layout& pairs, const Tiler& tiler, const char* what);
/// Turns (tile, (a,b)) into (tile, a, b), or with `tile_too` into (t0, t1, a, b).
Layout unpack_rest(const Layout& zipped, bool tile_too);

/// (block, complement of block o tiler): mode 0 is a block, mode 1 the blocks. A tiler by mode
/// repeats each mode in this way. Throws a usage error if the block is not injective or does not
/// divide.
Layout logical_product(const Layout& block, const Tiler& tiler, Derivation* why = nullptr);
/// ((block modes), (tiler modes)).
Layout zipped_product(const Layout& block, const Tiler& tiler, Derivation* why = nullptr);
/// ((block modes), tiler modes...).
Layout tiled_product(const Layout& block, const Tiler& tiler, Derivation* why = nullptr);
/// (block modes..., tiler modes...).
Layout flat_product(const Layout& block, const Tiler& tiler, Derivation* why = nullptr);
/// ((b0,t0), (b1,t1), ...): each mode holds whole blocks side by side.
Layout blocked_product(const Layout& block, const Layout& tiler, Derivation* why = nullptr);
/// ((t0,b0), (t1,b1), ...): each mode interleaves the elements of the blocks.
Layout raked_product(const Layout& block, const Layout& tiler, Derivation* why = nullptr);
/// The blocked product of size `shape`; blocks follow each other in `order` (smallest first), by
/// default first along mode 0. Throws a usage error if the block does not divide the shape.
Layout tile_to_shape(const Layout& block, const IntTuple& shape, const IntTuple* order = nullptr,
                     Derivation* why = nullptr);

}  // namespace tilewright
