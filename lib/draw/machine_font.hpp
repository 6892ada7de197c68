// Fonts of the machine, for letters that the program's own font lacks.
#pragma once

#include <optional>
#include <string>

namespace tilewright {

/// A face of a font file, with the arguments FreeType opens it with.
struct MachineFont {
  std::string file;
  int face = 0;
  auto operator<=>(const MachineFont&) const = default;
};

/// The font that Fontconfig prefers for this character; none where no outline font contains it.
std::optional<MachineFont> machine_font(char32_t code, bool bold);

}  // namespace tilewright
