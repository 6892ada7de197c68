#include "layout/algebra/tiler.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {

Tiler tiler_of(const IntTuple& shape) {
  Tiler tiler;
  if (!shape.is_tuple()) {
    tiler.layout = make_layout(shape, 1);
    return tiler;
  }
  for (const IntTuple& item : shape.items()) tiler.modes.push_back(tiler_of(item));
  return tiler;
}

std::string to_string(const Tiler& tiler) {
  if (tiler.layout) return to_string(*tiler.layout);
  if (!tiler.is_by_mode()) return "_";
  std::vector<std::string> parts;
  for (const Tiler& one : tiler.modes) parts.push_back(to_string(one));
  return format("<{}>", join(parts, ","));
}

void require_modes(const Layout& layout, const Tiler& tiler, const char* what) {
  if (tiler.modes.size() <= rank(layout)) return;
  throw usage_error(format("{}: tiler {} has {} modes and {} has only {}", what, to_string(tiler),
                           tiler.modes.size(), to_string(layout), rank(layout)));
}

}  // namespace tilewright
