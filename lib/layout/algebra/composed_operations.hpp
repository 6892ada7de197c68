// Operations whose result a swizzle takes part in; all others act on the layout below it.
#pragma once

#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/derivation.hpp"
#include "layout/algebra/tiler.hpp"

namespace tilewright {

/// a after b. Where b is swizzled, its swizzle is carried through a. Throws a usage error where the
/// result is no Sw o offset o layout.
ComposedLayout composition(const ComposedLayout& a, const ComposedLayout& b,
                           Derivation* why = nullptr);
/// Sw o layout, or Sw merged with the swizzle that the layout already has.
ComposedLayout composition(const Swizzle& a, const ComposedLayout& b);
/// layout o Sw as Sw' o layout. Throws a usage error where there is no such Sw'.
ComposedLayout composition(const Layout& a, const Swizzle& b, Derivation* why = nullptr);

}  // namespace tilewright
