#include "verbs/tune_answers.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "base/version.hpp"
#include "request/job.hpp"

namespace tilewright {
namespace {

AnswersSource source_of(const TuneRequest& request, const ResolvedDevice& device) {
  const bool predicted = device.gpu_index < 0;
  return {fingerprint(device.spec, predicted), predicted,
          predicted ? Regime::Rotate : request.regime};
}

}  // namespace

TuneAnswers::TuneAnswers(const TuneRequest& request, const ResolvedDevice& device,
                         const Console& console)
    : request_(request),
      console_(console),
      file_(request.output, source_of(request, device), request.overwrite) {
  artefact_.tool_version = kVersion;
  artefact_.predicted = device.gpu_index < 0;
  artefact_.device = fingerprint(device.spec, artefact_.predicted);
}

void TuneAnswers::put(size_t index, Artefact answer) {
  answers_.insert_or_assign(index, std::move(answer));
}

const Artefact& TuneAnswers::artefact() {
  artefact_.entries.clear();
  artefact_.entries.reserve(answers_.size());
  for (const auto& [index, answer] : answers_) {
    artefact_.entries.push_back(answer.entries.front());
    artefact_.rounds = std::max(artefact_.rounds, answer.rounds);
    artefact_.method = answer.method;
  }
  replaced_ = keep_pinned(artefact_, file_.pinned());
  return artefact_;
}

void TuneAnswers::save_early() {
  if (file_.is_replaceable()) save();
}

void TuneAnswers::save_last() {
  if (request_.output.empty() || answers_.empty()) return;
  save();
  if (!file_.pinned().empty()) {
    console_.note(pinned_line(request_.output, file_.pinned().size(), replaced_));
  }
  console_.note(file_.summary());
  if (request_.output == "-") return;
  console_.note(format("wrote {}", file_.path().string()));
}

void TuneAnswers::save() {
  file_.save(artefact());
  console_.note(file_.take_notes());
}

}  // namespace tilewright
