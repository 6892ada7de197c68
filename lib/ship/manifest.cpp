#include "ship/manifest.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/escape.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kHead = "# tilewright.shipment/1 ";
constexpr std::string_view kAbout =
    "# What tilewright ship wrote here, and XXH3 digests of 128 bits: xxh128sum -c MANIFEST\n";
constexpr std::string_view kGap = "  ";
constexpr size_t kDigestDigits = 32;

// True for a path below the folder that no ".." and no blank name leads out of.
bool is_inside(std::string_view path) {
  if (first_unsafe_character(path) || path == kManifestFile) return false;
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return true;
}

bool is_digest(std::string_view text) {
  return text.size() == kDigestDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The path and the digest of a line; nothing for any other line.
std::optional<std::pair<std::string, std::string>> entry_of(std::string_view line) {
  const std::string_view digest = line.substr(0, kDigestDigits);
  line.remove_prefix(digest.size());
  if (!is_digest(digest) || !line.starts_with(kGap)) return std::nullopt;
  line.remove_prefix(kGap.size());
  if (!is_inside(line)) return std::nullopt;
  return std::pair(std::string(line), std::string(digest));
}

}  // namespace

Manifest manifest_of(const std::string& name, const std::map<std::string, std::string>& files) {
  Manifest manifest{name, {}};
  for (const auto& [path, content] : files) manifest.digests[path] = hash_text(content);
  return manifest;
}

std::string print_manifest(const Manifest& manifest) {
  std::string text = format("{}{}\n{}", kHead, manifest.name, kAbout);
  for (const auto& [path, digest] : manifest.digests) {
    text.append(digest).append(kGap).append(path).append("\n");
  }
  return text;
}

bool is_manifest(std::string_view text) {
  return text.starts_with(kHead);
}

Manifest parse_manifest(std::string_view text, const std::string& source) {
  const auto fail = [&source](size_t line, std::string_view what) {
    return usage_error(
        format("{}: line {} {}: restore this manifest of a shipment, or move it away", source, line,
               what));
  };
  if (!is_manifest(text)) throw fail(1, format("is not '{}NAME'", kHead));
  const bool is_cut = !text.ends_with('\n');
  if (!is_cut) text.remove_suffix(1);
  const std::vector<std::string_view> lines = split(text, '\n');
  if (is_cut) throw fail(lines.size(), "is cut");
  Manifest manifest{std::string(lines.front().substr(kHead.size())), {}};
  for (size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].starts_with('#')) continue;
    auto entry = entry_of(lines[i]);
    if (!entry) throw fail(i + 1, "is no digest with a path in this folder");
    if (!manifest.digests.insert(std::move(*entry)).second) throw fail(i + 1, "repeats a path");
  }
  return manifest;
}

}  // namespace tilewright
