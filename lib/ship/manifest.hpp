// The manifest of a shipped folder: which of its files tilewright wrote, and with what content.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tilewright {

/// The manifest's path in the folder.
inline constexpr const char* kManifestFile = "MANIFEST";

struct Manifest {
  std::string name;                            // of the library
  std::map<std::string, std::string> digests;  // hash_text() by path; empty: unknown
  bool operator==(const Manifest&) const = default;
};

/// The manifest of these files, by their paths in the folder.
Manifest manifest_of(const std::string& name, const std::map<std::string, std::string>& files);

/// A text that `xxh128sum -c` reads too. Every digest must be known.
std::string print_manifest(const Manifest& manifest);

/// True for a text that begins as a manifest does, even if it is damaged after that.
bool is_manifest(std::string_view text);

/// Reads a manifest. Throws a usage error with the line for any other text, and for a path that
/// leads out of the folder.
Manifest parse_manifest(std::string_view text, const std::string& source);

}  // namespace tilewright
