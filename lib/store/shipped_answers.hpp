// Makes the answer table of a library of shipped kernels from tuned files.
#pragma once

#include <span>
#include <string>

#include "answer/answer_table.hpp"
#include "store/best_table.hpp"

namespace tilewright {

/// A tuned file: its name and its artefact.
struct TunedFile {
  std::string name;
  Artefact artefact;
};

/// Why no call of a shipped library asks for such work; empty where calls may.
std::string why_not_shipped(const Workload& workload);

/// The rows, trials, ranges and kernels of the files, of the kinds that calls may ask for. Throws a
/// usage error if their device has no preset, or if the files are of several devices.
AnswerTable shipped_answers(std::span<const TunedFile> files);

}  // namespace tilewright
