// Scenes as SVG 1.1: real text, groups that share what their members have in common.
#pragma once

#include <string>

#include "draw/scene.hpp"

namespace tilewright {

/// The whole file, `width` x `height` CSS pixels, the scene scaled to fit and centred. An item's
/// role is its class, with '-' for '.', so that a style sheet can change what it looks like. Hovers
/// are titles; those of more than 65536 areas are left out.
std::string svg_document(const Scene& scene, double width, double height);

}  // namespace tilewright
