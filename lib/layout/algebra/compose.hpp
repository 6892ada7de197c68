// Composition: one layout after another.
#pragma once

#include "layout/algebra/derivation.hpp"
#include "layout/algebra/layout.hpp"
#include "layout/algebra/tiling.hpp"

namespace tilewright {

/// R with R(c) = a(b(c)) for every coordinate c of b, shaped as b. The last mode of `a` goes on
/// beyond its extent. Throws a usage error that names the mode of `b` that does not divide; a
/// result that CuTe accepts although R differs from a(b(.)) is warned of in `why` (of the first
/// 4096 coordinates).
Layout composition(const Layout& a, const Layout& b, Derivation* why = nullptr);
/// Mode by mode; modes of `a` that the tiler does not name are dropped.
Layout composition(const Layout& a, const Tiler& tiler, Derivation* why = nullptr);

/// Flat; drops modes of size 1 and merges neighbours that run on: (s0,s1):(d,s0*d) to s0*s1:d.
Layout coalesce(const Layout& layout, Derivation* why = nullptr);
/// The same at every integer of `profile`, mode by mode; further modes stay as they are.
Layout coalesce(const Layout& layout, const IntTuple& profile, Derivation* why = nullptr);
/// coalesce() of the layout with every mode of stride 0 left out.
Layout filter(const Layout& layout);
/// As coalesce(), but equal to `layout` also at indices beyond its size, where the last mode goes
/// on: a last mode of size 1 becomes one of size 2.
std::vector<Layout> coalesce_beyond(const Layout& layout);

}  // namespace tilewright
