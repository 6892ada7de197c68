// Composition: one layout after another.
#pragma once

#include "layout/algebra/derivation.hpp"
#include "layout/algebra/layout.hpp"
#include "layout/algebra/tiling.hpp"

namespace tilewright {

/// R with R(c) = a(b(c)) for every coordinate c of b, with b's shape. The last mode of `a`
/// continues beyond its extent. Throws a usage error that names the mode of `b` that does not
/// divide. If CuTe accepts a result that differs from a(b(.)) in the first 4096 coordinates, adds a
/// warning to `why`.
Layout composition(const Layout& a, const Layout& b, Derivation* why = nullptr);
/// Mode by mode; drops the modes of `a` that the tiler does not have.
Layout composition(const Layout& a, const Tiler& tiler, Derivation* why = nullptr);

/// Flat; drops modes of size 1 and merges adjacent modes: (s0,s1):(d,s0*d) becomes s0*s1:d.
Layout coalesce(const Layout& layout, Derivation* why = nullptr);
/// The same at every integer of `profile`, mode by mode; further modes stay as they are.
Layout coalesce(const Layout& layout, const IntTuple& profile, Derivation* why = nullptr);
/// coalesce() of the layout with every mode of stride 0 left out.
Layout filter(const Layout& layout);
/// As coalesce(), but also equal to `layout` at indices beyond its size, where the last mode
/// continues: a last mode of size 1 becomes one of size 2.
std::vector<Layout> coalesce_beyond(const Layout& layout);

}  // namespace tilewright
