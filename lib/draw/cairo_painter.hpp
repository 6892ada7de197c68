// Scenes as PNG and PDF.
#pragma once

#include <string>

#include "draw/scene.hpp"

namespace tilewright {

/// The characters of the labels, each once, that no font has, neither the built-in one nor one of
/// the machine: PNG and PDF show a box for each.
std::string letters_without_glyph(const Scene& scene);

/// The whole file, `width` x `height` pixels, the scene scaled to fit and centred.
std::string png_image(const Scene& scene, double width, double height);

/// Like png_image(), in points. The output depends on the scene alone, not on the time.
std::string pdf_document(const Scene& scene, double width, double height);

}  // namespace tilewright
