// Products: a block, repeated as a layout of blocks says.
#pragma once

#include "layout/algebra/derivation.hpp"
#include "layout/algebra/divide.hpp"
#include "layout/algebra/layout.hpp"

namespace tilewright {

/// (block, complement of block o tiler): mode 0 is a block, mode 1 the blocks. A tiler by mode
/// repeats each mode so. Throws a usage error where the block is not injective or does not divide.
Layout logical_product(const Layout& block, const Tiler& tiler, Derivation* why = nullptr);
/// ((block modes), (tiler modes)).
Layout zipped_product(const Layout& block, const Tiler& tiler, Derivation* why = nullptr);
/// ((block modes), tiler modes...).
Layout tiled_product(const Layout& block, const Tiler& tiler, Derivation* why = nullptr);
/// (block modes..., tiler modes...).
Layout flat_product(const Layout& block, const Tiler& tiler, Derivation* why = nullptr);
/// ((b0,t0), (b1,t1), ...): each mode holds whole blocks side by side.
Layout blocked_product(const Layout& block, const Layout& tiler, Derivation* why = nullptr);
/// ((t0,b0), (t1,b1), ...): each mode deals the blocks' elements out in turn.
Layout raked_product(const Layout& block, const Layout& tiler, Derivation* why = nullptr);
/// The blocked product of size `shape`; blocks follow each other in `order` (smallest first), by
/// default along mode 0 first. Throws a usage error where the block does not divide the shape.
Layout tile_to_shape(const Layout& block, const IntTuple& shape, const IntTuple* order = nullptr,
                     Derivation* why = nullptr);

}  // namespace tilewright
