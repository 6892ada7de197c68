// What `best --among` says of an answer among shipped kernels.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "search/among.hpp"
#include "store/dispatch.hpp"
#include "store/document.hpp"
#include "store/shipped_answers.hpp"

namespace tilewright {

/// An answer among the kernels of some files, as exports take it.
struct AmongAnswer {
  AnswerSource source = AnswerSource::Model;
  Dispatched answer;
  const TunedFile* file = nullptr;  // which has the row, else the first
  std::string origin;               // where it comes from, in a few words for people
};

/// choose_among() of `table`, which is shipped_answers() of `files`; both outlive it. Nothing where
/// no shipped kernel runs the workload.
std::optional<AmongAnswer> among_answer(const AnswerTable& table, std::span<const TunedFile> files,
                                        const Workload& workload);

/// The document of its dispatched answer with `source` one of kAnswerSources.
Document to_document(const AmongAnswer& among);

}  // namespace tilewright
