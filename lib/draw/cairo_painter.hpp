// Scenes as PNG and PDF.
#pragma once

#include <string>

#include "draw/scene.hpp"

namespace tilewright {

/// The whole file, `width` x `height` pixels, the scene scaled to fit and centred.
std::string png_image(const Scene& scene, double width, double height);

/// Likewise, in points; the same scene is the same file, whenever it is painted.
std::string pdf_document(const Scene& scene, double width, double height);

}  // namespace tilewright
