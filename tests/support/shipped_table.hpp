// The answer tables of the tuned files in presets/.
#pragma once

#include <string>
#include <vector>

#include "answer/answer_table.hpp"
#include "store/best_table.hpp"
#include "store/preset_path.hpp"
#include "store/shipped_answers.hpp"

namespace tilewright::testing {

/// A file of presets/tuned by its name.
inline TunedFile tuned_file(const std::string& name) {
  return {name, load_best(presets_folder() / "tuned" / name)};
}

/// The table of h200-NAME.yaml for each name, without library pins (as ship --no-library writes
/// it), so that this project's kernels answer.
inline AnswerTable published_table(const std::vector<std::string>& names) {
  std::vector<TunedFile> files;
  for (const std::string& name : names) files.push_back(tuned_file("h200-" + name + ".yaml"));
  AnswerTable table = shipped_answers(files);
  for (AnswerRow& row : table.rows) row.library_pins.clear();
  return table;
}

/// The table of all four files.
inline const AnswerTable& shipped_table() {
  static const AnswerTable table = published_table({"dense", "fp8", "grouped", "rank-k"});
  return table;
}

}  // namespace tilewright::testing
