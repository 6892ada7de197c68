// A layout of a layout's modes, each changed by itself.
#pragma once

#include <vector>

#include "layout/algebra/layout.hpp"

namespace tilewright {

/// `f` makes a layout of each mode that is one shape and one stride; the nesting stays.
template <class F>
Layout map_modes(const Layout& layout, const F& f) {
  if (!layout.shape.is_tuple()) return f(layout);
  std::vector<Layout> done;
  for (const Layout& one : modes(layout)) done.push_back(map_modes(one, f));
  return join_modes(done);
}

}  // namespace tilewright
