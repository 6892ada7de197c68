// Scenes as PNG and PDF.
#pragma once

#include <string>

#include "draw/scene.hpp"

namespace tilewright {

/// The characters of the labels, each once, that neither the program's font nor one of the
/// machine's has: PNG and PDF show a box for each.
std::string letters_without_glyph(const Scene& scene);

/// The whole file, `width` x `height` pixels, the scene scaled to fit and centred.
std::string png_image(const Scene& scene, double width, double height);

/// Likewise, in points; the same scene is the same file, whenever it is painted.
std::string pdf_document(const Scene& scene, double width, double height);

}  // namespace tilewright
