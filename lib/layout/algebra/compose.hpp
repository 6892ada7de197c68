// Composition: one layout after another.
#pragma once

#include "layout/algebra/derivation.hpp"
#include "layout/algebra/layout.hpp"
#include "layout/algebra/tiler.hpp"

namespace tilewright {

/// R with R(c) = a(b(c)) for every coordinate c of b, shaped as b. The last mode of `a` goes on
/// beyond its extent. Throws a usage error that names the mode of `b` that does not divide; a
/// result that CuTe accepts although R differs from a(b(.)) is warned of in `why` (of the first
/// 4096 coordinates).
Layout composition(const Layout& a, const Layout& b, Derivation* why = nullptr);
/// Mode by mode; modes of `a` that the tiler does not name are dropped.
Layout composition(const Layout& a, const Tiler& tiler, Derivation* why = nullptr);

}  // namespace tilewright
