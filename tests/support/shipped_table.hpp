// The tuned files of presets/ as a library of their kernels knows them.
#pragma once

#include <string>
#include <vector>

#include "search/answer_table.hpp"
#include "store/best_table.hpp"
#include "store/shipped_answers.hpp"

namespace tilewright::testing {

inline TunedFile tuned_file(const std::string& name) {
  return {name, load_best(std::string(TILEWRIGHT_SOURCE_DIR) + "/presets/tuned/" + name)};
}

/// Of all four.
inline const AnswerTable& shipped_table() {
  static const AnswerTable table = [] {
    const std::vector<TunedFile> files = {
        tuned_file("h200-dense.yaml"), tuned_file("h200-fp8.yaml"), tuned_file("h200-grouped.yaml"),
        tuned_file("h200-rank-k.yaml")};
    return shipped_answers(files);
  }();
  return table;
}

}  // namespace tilewright::testing
