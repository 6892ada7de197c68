// The complement: what a layout leaves out of its codomain.
#pragma once

#include "layout/algebra/derivation.hpp"
#include "layout/algebra/layout.hpp"

namespace tilewright {

/// The layout whose offsets, added to those of `layout`, cover [0, product(target)) rounded up.
/// Throws a usage error for negative or basis strides and for a layout that is not injective
/// (modes of stride 0 aside), naming the mode.
Layout complement(const Layout& layout, const IntTuple& target, Derivation* why = nullptr);

}  // namespace tilewright
