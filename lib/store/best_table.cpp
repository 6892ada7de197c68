#include "store/best_table.hpp"

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

namespace tilewright {

std::string print_best(const Artefact& artefact) {
  return to_yaml(to_document(artefact));
}

Artefact load_best(const std::filesystem::path& path) {
  if (path != "-" && is_missing(path)) {
    throw usage_error(format("'{}' does not exist; make it with: tilewright tune PROBLEM -o {}",
                             path.string(), path.string()));
  }
  return parse_best(read_file(path), path.string());
}

const TuneEntry* find_entry(const Artefact& artefact, const Problem& problem) {
  for (const TuneEntry& entry : artefact.entries) {
    if (entry.problem == problem) return &entry;
  }
  return nullptr;
}

const TuneEntry* nearest_entry(const Artefact& artefact, const Problem& problem) {
  const auto apart = [](int64_t a, int64_t b) {
    return std::abs(std::log(static_cast<double>(a)) - std::log(static_cast<double>(b)));
  };
  const TuneEntry* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const TuneEntry& entry : artefact.entries) {
    const GemmShape& s = entry.problem.shape;
    const GemmShape& wanted = problem.shape;
    const double distance = apart(s.m, wanted.m) + apart(s.n, wanted.n) + apart(s.k, wanted.k) +
                            (entry.problem.dtype == problem.dtype ? 0.0 : 0.1);
    if (distance < least) {
      least = distance;
      nearest = &entry;
    }
  }
  return nearest;
}

}  // namespace tilewright
