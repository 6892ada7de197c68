#include "store/tune_json.hpp"

#include "store/best_document.hpp"

namespace tilewright {

std::string tune_json(const Artefact& artefact) {
  return to_json(to_document(artefact));
}

std::string tune_json(const TuneEntry& entry) {
  return to_json(to_document(entry));
}

std::string tune_yaml(const TuneEntry& entry) {
  return to_yaml(to_document(entry));
}

}  // namespace tilewright
