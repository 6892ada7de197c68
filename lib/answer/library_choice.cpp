#include "answer/library_choice.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace tilewright {
namespace {

const LibraryPin* pin_of_version(std::span<const LibraryPin> pins, int64_t version) {
  const auto at = std::find_if(pins.begin(), pins.end(),
                               [version](const LibraryPin& pin) { return pin.version == version; });
  return at == pins.end() ? nullptr : &*at;
}

const LibraryPin* nearest_pin(std::span<const LibraryPin> pins, int64_t version) {
  const LibraryPin* below = nullptr;
  const LibraryPin* lowest = nullptr;
  for (const LibraryPin& pin : pins) {
    const bool is_below = pin.version <= version;
    if (is_below && (below == nullptr || pin.version > below->version)) below = &pin;
    if (lowest == nullptr || pin.version < lowest->version) lowest = &pin;
  }
  return below != nullptr ? below : lowest;
}

std::string versions_text(const std::vector<std::string>& versions) {
  const std::vector<std::string_view> words(versions.begin(), versions.end());
  return join_words(words, "and");
}

}  // namespace

bool library_may_answer(std::span<const LibraryPin> pins) {
  return std::any_of(pins.begin(), pins.end(), [](const LibraryPin& pin) {
    return is_faster(pin.ratio) || is_faster(pin.first_ratio);
  });
}

LibraryChoice choose_library(std::span<const LibraryPin> pins, std::optional<int64_t> version) {
  if (!version) return {};
  if (const LibraryPin* const pin = pin_of_version(pins, *version)) {
    return {is_faster(pin->ratio) ? LibraryUse::Pinned : LibraryUse::Ours, pin};
  }
  const LibraryPin* const pin = nearest_pin(pins, *version);
  if (pin == nullptr) return {};
  return {is_faster(pin->first_ratio) ? LibraryUse::FirstChoice : LibraryUse::Ours, pin};
}

std::string why_not_pinned(std::span<const LibraryPin> pins, std::optional<int64_t> version,
                           const std::string& absence, const std::string& refusal) {
  if (!library_may_answer(pins)) return "";
  if (!version) return format("no pin of cuBLASLt applies: {}", absence);
  const LibraryChoice choice = choose_library(pins, version);
  if (pin_of_version(pins, *version) != nullptr) {
    if (refusal.empty()) return "";  // it answers, or is slower than ours
    return format("the pin of cuBLASLt {} does not apply: {}", library_version(*version), refusal);
  }
  std::vector<std::string> versions;
  versions.reserve(pins.size());
  for (const LibraryPin& pin : pins) versions.push_back(library_version(pin.version));
  const std::string foreign =
      format("no pin applies: the process has cuBLASLt {}, and recorded {} {}",
             library_version(*version), pins.size() == 1 ? "is" : "are", versions_text(versions));
  const std::string of = library_version(choice.pin->version);
  if (choice.use == LibraryUse::Ours) {
    return format("{}; our kernel is as fast as the first choice of {}", foreign, of);
  }
  if (!refusal.empty()) return format("{}; its first choice cannot be used: {}", foreign, refusal);
  return format("{}; the first choice of {} was faster than our kernel", foreign, of);
}

std::vector<std::string> answering_versions(std::span<const LibraryPin> pins) {
  std::vector<std::string> versions;
  for (const LibraryPin& pin : pins) {
    if (is_faster(pin.ratio)) versions.push_back(library_version(pin.version));
  }
  return versions;
}

std::string library_versions_text(std::span<const LibraryPin> pins) {
  const std::vector<std::string> pinned = answering_versions(pins);
  const bool first_wins = std::any_of(
      pins.begin(), pins.end(), [](const LibraryPin& pin) { return is_faster(pin.first_ratio); });
  std::string text;
  if (!pinned.empty()) {
    text = format("with cuBLASLt {} the library's algorithm is used", versions_text(pinned));
  }
  if (!first_wins) return text;
  return text + (text.empty() ? "with" : ", with") +
         " versions of cuBLASLt that were not timed its first choice may be used";
}

}  // namespace tilewright
