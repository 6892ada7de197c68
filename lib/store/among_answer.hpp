// The answer of `best --among`: the shipped kernel to use and where that choice comes from.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "answer/shipped_choice.hpp"
#include "record/document.hpp"
#include "store/dispatch.hpp"
#include "store/shipped_answers.hpp"

namespace tilewright {

/// An answer chosen among the kernels of tuned files, in the form that exports read.
struct AmongAnswer {
  AnswerSource source = AnswerSource::Model;
  Dispatched answer;
  const TunedFile* file = nullptr;  // the file that has the row; without a row, the first file
  std::string origin;               // where the answer comes from, a short text for people
};

/// Calls choose_shipped() on `table`, which must be shipped_answers(files); both must outlive the
/// result. Returns nothing if no shipped kernel runs the workload.
std::optional<AmongAnswer> among_answer(const AnswerTable& table, std::span<const TunedFile> files,
                                        const Workload& workload);

/// The document of the dispatched answer; its `source` is one of kAnswerSources.
Document to_document(const AmongAnswer& among);

}  // namespace tilewright
