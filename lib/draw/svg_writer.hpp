// Scenes as SVG 1.1, with real text and with groups for common attributes.
#pragma once

#include <string>

#include "draw/scene.hpp"

namespace tilewright {

/// The whole file, `width` x `height` CSS pixels, the scene scaled to fit and centred. An item's
/// class is its role, with '-' for '.', so that a style sheet can change its look. Tooltips
/// become titles; above 65536 areas they are left out.
std::string svg_document(const Scene& scene, double width, double height);

}  // namespace tilewright
