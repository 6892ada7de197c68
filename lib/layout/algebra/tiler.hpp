// What divides, tiles or selects a layout: a layout, one tiler a mode, or "all of it".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layout/algebra/layout.hpp"

namespace tilewright {

/// "<3:3,(2,4):(1,8),_>": with `layout` it acts on the whole, with `modes` mode by mode, and with
/// neither it is "_", which takes everything as it is.
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
/// Throws a usage error where the tiler has more modes than the layout; `what` is the operation.
void require_modes(const Layout& layout, const Tiler& tiler, const char* what);

}  // namespace tilewright
