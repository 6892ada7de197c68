// Tuned files as what a library of their kernels knows.
#pragma once

#include <span>
#include <string>

#include "search/answer_table.hpp"
#include "store/best_table.hpp"

namespace tilewright {

/// One file: its name and what it holds.
struct TunedFile {
  std::string name;
  Artefact artefact;
};

/// The rows, trials, ranges and kernels of the files. Throws a usage error where there is no preset
/// of their device, or they are of several.
AnswerTable shipped_answers(std::span<const TunedFile> files);

}  // namespace tilewright
