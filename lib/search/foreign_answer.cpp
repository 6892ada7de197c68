#include "search/foreign_answer.hpp"

#include "base/text.hpp"

namespace tilewright {

std::string winner_text(const ForeignEntry& entry) {
  const bool library_is_faster = entry.reference && entry.reference->ratio.interval.high < 1;
  const bool ours_is_faster = entry.ours && entry.ours->ratio.interval.high < 1;
  if (ours_is_faster &&
      !(library_is_faster && entry.reference->ratio.ratio < entry.ours->ratio.ratio)) {
    return "ours";
  }
  return library_is_faster ? "library" : format("harness:{}", entry.choice.harness);
}

}  // namespace tilewright
