// Transforms each mode of a layout.
#pragma once

#include <vector>

#include "layout/algebra/layout.hpp"

namespace tilewright {

/// Replaces each mode that has one extent and one stride by a layout, f(mode); the nesting stays.
template <class F>
Layout map_modes(const Layout& layout, const F& f) {
  if (!layout.shape.is_tuple()) return f(layout);
  std::vector<Layout> done;
  for (const Layout& one : modes(layout)) done.push_back(map_modes(one, f));
  return join_modes(done);
}

}  // namespace tilewright
