#include "store/among_answer.hpp"

#include <algorithm>

#include "answer/library_choice.hpp"
#include "base/text.hpp"
#include "model/estimate.hpp"

namespace tilewright {
namespace {

const TunedFile* file_of(std::span<const TunedFile> files, const AnswerRow* row) {
  const auto named = std::find_if(files.begin(), files.end(), [row](const TunedFile& file) {
    return row != nullptr && file.name == row->file;
  });
  return named == files.end() ? &files.front() : &*named;
}

const TuneEntry* entry_of(const Artefact& artefact, const AnswerRow* row) {
  if (row == nullptr) return nullptr;
  const auto entry =
      std::find_if(artefact.entries.begin(), artefact.entries.end(), [row](const TuneEntry& known) {
        return known.problem == row->problem && known.choice == row->choice &&
               known.pinned == row->pinned;
      });
  return entry == artefact.entries.end() ? nullptr : &*entry;
}

std::string origin_words(const AnswerTable& table, const AmongAnswer& among,
                         const ShippedChoice& found) {
  const AnswerRow* const row = found.row;
  const std::string winner =
      row == nullptr ? "a general kernel"
                     : format("the winner of {} in {}", to_string(row->problem), row->file);
  switch (found.source) {
    case AnswerSource::Tuned: {
      const std::string library = library_versions_text(row->library_pins);
      return format("in {}{}{}", row->file, library.empty() ? "" : "; ", library);
    }
    case AnswerSource::Pinned: return format("in {}", row->file);
    case AnswerSource::Tried:
      return format(
          "{}, the fastest of the shipped ones among {} configs that were timed at this product on "
          "{}",
          winner, found.trial->times.size(), found.trial->date);
    case AnswerSource::Range:
      if (found.bucket == nullptr) return winner + ", whose rows have a similar distribution";
      return winner + ", whose range contains it";
    case AnswerSource::Model: break;
  }
  return format("{}, the fastest by the model of the {} that are shipped for it, {:.3g} us", winner,
                configs_alike(table, among.answer.entry.problem).size(), found.predicted_us);
}

}  // namespace

std::optional<AmongAnswer> among_answer(const AnswerTable& table, std::span<const TunedFile> files,
                                        const Workload& workload) {
  const std::optional<ShippedChoice> found = choose_shipped(table, workload);
  if (!found) return std::nullopt;
  AmongAnswer among;
  among.source = found->source;
  among.file = file_of(files, found->row);
  Dispatched& answer = among.answer;
  const TuneEntry* const tuned = entry_of(among.file->artefact, found->row);
  const bool is_own = found->source == AnswerSource::Tuned || found->source == AnswerSource::Pinned;
  if (is_own && tuned != nullptr) {
    answer.entry = *tuned;
    if (answer.entry.timing) answer.entry.origin = origin_of(*tuned, among.file->artefact);
  } else {
    const Plan plan = make_plan(workload, found->config, table.device);
    answer.entry.problem = workload;
    answer.entry.choice = found->config;
    answer.entry.predicted = estimate(plan, table.device);
    answer.entry.determinism = determinism_of(found->config.decomposition);
    answer.source = found->row == nullptr ? DispatchSource::Fallback : DispatchSource::Dispatched;
  }
  answer.from = found->row == nullptr ? workload : found->row->problem;
  answer.bucket = found->bucket;
  answer.trial = found->trial;
  answer.tuned_entry = tuned;
  among.origin = origin_words(table, among, *found);
  return among;
}

Document to_document(const AmongAnswer& among) {
  Document document = to_document(among.answer);
  document["source"] = kAnswerSources[static_cast<size_t>(among.source)];
  return document;
}

}  // namespace tilewright
