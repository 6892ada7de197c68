// Inverses of layouts.
#pragma once

#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/derivation.hpp"
#include "layout/algebra/layout.hpp"

namespace tilewright {

/// The longest R with layout(R(i)) == i for all i below its size. Throws a usage error for basis
/// strides.
Layout right_inverse(const Layout& layout, Derivation* why = nullptr);
/// L with L(layout(i)) == i for an injective layout; of others, layout(L(layout(i))) == layout(i)
/// at best. Throws a usage error for negative or basis strides, and where strides do not divide.
Layout left_inverse(const Layout& layout, Derivation* why = nullptr);

/// The same of swizzled layouts, whose swizzle is carried through the inverse. Throws a usage error
/// for an offset other than 0 and where no swizzle does it.
ComposedLayout right_inverse(const ComposedLayout& layout, Derivation* why = nullptr);
ComposedLayout left_inverse(const ComposedLayout& layout, Derivation* why = nullptr);

// The complement: what a layout leaves out of its codomain.

/// The layout whose offsets, added to those of `layout`, cover [0, product(target)) rounded up.
/// Throws a usage error for negative or basis strides and for a layout that is not injective
/// (modes of stride 0 aside), naming the mode.
Layout complement(const Layout& layout, const IntTuple& target, Derivation* why = nullptr);

}  // namespace tilewright
