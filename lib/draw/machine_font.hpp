// The fonts of the machine, for what the program's own one lacks.
#pragma once

#include <optional>
#include <string>

namespace tilewright {

/// A face of a font file, as FreeType opens it.
struct MachineFont {
  std::string file;
  int face = 0;
  auto operator<=>(const MachineFont&) const = default;
};

/// The font that Fontconfig prefers for this character; none where no outline font has it.
std::optional<MachineFont> machine_font(char32_t code, bool bold);

}  // namespace tilewright
