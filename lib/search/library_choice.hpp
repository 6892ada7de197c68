// Whether cuBLASLt answers a tuned product in a process, by what was recorded of its versions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/library_pin.hpp"

namespace tilewright {

/// Who computes a product: our config, the recorded algorithm of the process's own version, or what
/// its heuristic names first, for another version's first choice was faster than ours.
enum class LibraryUse { Ours, Pinned, FirstChoice };

/// The pin is the one that decides; null where none has a say.
struct LibraryChoice {
  LibraryUse use = LibraryUse::Ours;
  const LibraryPin* pin = nullptr;
};

/// True where some version of cuBLASLt answers; else a process need not look for one.
bool wants_library(std::span<const LibraryPin> pins);

/// `version` is the process's, nothing where it has no cuBLASLt. Of another version the nearest
/// recorded one below decides, else the lowest.
LibraryChoice choose_library(std::span<const LibraryPin> pins, std::optional<int64_t> version);

/// Why the choice is no pinned algorithm though some version of the library would answer; empty
/// where there is nothing to explain. `absence`: why the process has no cuBLASLt; `refusal`: why
/// the chosen algorithm does not run; else empty.
std::string why_not_pinned(std::span<const LibraryPin> pins, std::optional<int64_t> version,
                           const std::string& absence, const std::string& refusal);

/// The versions whose recorded algorithm answers, as library_version() has them.
std::vector<std::string> answering_versions(std::span<const LibraryPin> pins);

/// "with cuBLASLt 13.1.0 the library's algorithm answers": of which versions, and, where another
/// one's first choice does, that; empty where none answers.
std::string library_versions_text(std::span<const LibraryPin> pins);

}  // namespace tilewright
