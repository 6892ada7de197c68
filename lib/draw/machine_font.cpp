// The only file that uses Fontconfig, on which Cairo depends anyhow.
#include "draw/machine_font.hpp"

#include <fontconfig/fontconfig.h>

#include <memory>

namespace tilewright {
namespace {

using Config = std::unique_ptr<FcConfig, decltype(&FcConfigDestroy)>;
using Pattern = std::unique_ptr<FcPattern, decltype(&FcPatternDestroy)>;
using Letters = std::unique_ptr<FcCharSet, decltype(&FcCharSetDestroy)>;

// Loaded when first needed: most pictures need only the program's own font.
FcConfig* fonts() {
  static const Config config(FcInitLoadConfigAndFonts(), FcConfigDestroy);
  return config.get();
}

bool has_letter(FcPattern* font, FcChar32 code) {
  FcCharSet* letters = nullptr;
  return FcPatternGetCharSet(font, FC_CHARSET, 0, &letters) == FcResultMatch &&
         FcCharSetHasChar(letters, code) == FcTrue;
}

}  // namespace

std::optional<MachineFont> machine_font(char32_t code, bool bold) {
  if (fonts() == nullptr) return std::nullopt;
  const Pattern wanted(FcPatternCreate(), FcPatternDestroy);
  const Letters letters(FcCharSetCreate(), FcCharSetDestroy);
  FcCharSetAddChar(letters.get(), code);
  FcPatternAddCharSet(wanted.get(), FC_CHARSET, letters.get());
  FcPatternAddBool(wanted.get(), FC_OUTLINE, FcTrue);
  FcPatternAddInteger(wanted.get(), FC_WEIGHT, bold ? FC_WEIGHT_DEMIBOLD : FC_WEIGHT_REGULAR);
  FcConfigSubstitute(fonts(), wanted.get(), FcMatchPattern);
  FcDefaultSubstitute(wanted.get());
  FcResult result = FcResultNoMatch;
  const Pattern font(FcFontMatch(fonts(), wanted.get(), &result), FcPatternDestroy);
  if (!font || !has_letter(font.get(), code)) return std::nullopt;
  FcChar8* file = nullptr;
  int face = 0;
  FcBool outline = FcFalse;
  FcPatternGetBool(font.get(), FC_OUTLINE, 0, &outline);
  if (outline == FcFalse || FcPatternGetString(font.get(), FC_FILE, 0, &file) != FcResultMatch) {
    return std::nullopt;
  }
  FcPatternGetInteger(font.get(), FC_INDEX, 0, &face);
  return MachineFont{reinterpret_cast<const char*>(file), face};
}

}  // namespace tilewright
