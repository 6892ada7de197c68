// Scenes as SVG 1.1, with real text and with groups for common attributes.
#pragma once

#include <string>

#include "draw/scene.hpp"

namespace tilewright {

/// How hover texts are written. Whole: each area has its text as a title. Shared: where the texts
/// of a row begin alike, the row's group has that part as `data-head`, and titles have the rest:
/// rows then differ less, and compress to less. A script must join the two.
enum class SvgTooltips { Whole, Shared };

/// The whole file, `width` x `height` CSS pixels, the scene scaled to fit and centred. An item's
/// class is its role, with '-' for '.', so that a style sheet can change its look. Above 65536
/// areas tooltips are left out.
std::string svg_document(const Scene& scene, double width, double height,
                         SvgTooltips tooltips = SvgTooltips::Whole);

}  // namespace tilewright
