// Whether cuBLASLt answers a tuned product in a process, by the records of its versions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/library_pin.hpp"

namespace tilewright {

/// What computes a product: our config; the recorded algorithm of the process's own version; or the
/// first choice of its heuristic, because another version's first choice was faster than ours.
enum class LibraryUse { Ours, Pinned, FirstChoice };

/// `pin` is the one that decides; null if none does.
struct LibraryChoice {
  LibraryUse use = LibraryUse::Ours;
  const LibraryPin* pin = nullptr;
};

/// True if some version of cuBLASLt answers; else a process need not look for the library.
bool library_may_answer(std::span<const LibraryPin> pins);

/// `version` is the process's; empty if it has no cuBLASLt. For a version without a pin the nearest
/// lower recorded one decides, else the lowest.
LibraryChoice choose_library(std::span<const LibraryPin> pins, std::optional<int64_t> version);

/// Why the choice is no pinned algorithm although some version of the library would answer; empty
/// if there is nothing to explain. `absence`: why the process has no cuBLASLt; `refusal`: why the
/// chosen algorithm does not run; else empty.
std::string why_not_pinned(std::span<const LibraryPin> pins, std::optional<int64_t> version,
                           const std::string& absence, const std::string& refusal);

/// The versions with a recorded algorithm that answers, in the form of library_version().
std::vector<std::string> answering_versions(std::span<const LibraryPin> pins);

/// "with cuBLASLt 13.1.0 the library's algorithm is used": with which versions, and that the first
/// choice of unrecorded versions may; empty if none answers.
std::string library_versions_text(std::span<const LibraryPin> pins);

}  // namespace tilewright
