#include "verbs/bisect_log.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

Document to_document(const std::string& commit, const CommitAnswer& answer) {
  return {{"commit", commit},
          {"answer", answer.word},
          {"why", answer.why},
          {"worse", worse_document(answer.worse)},
          {"thresholds", answer.thresholds}};
}

CommitAnswer answer_from(const Document& node) {
  CommitAnswer answer{.word = node.at("answer"), .why = node.at("why")};
  node.at("thresholds").get_to(answer.thresholds);
  for (const Document& one : node.at("worse")) {
    CaseVerdict verdict = early_verdict(one.at("case"), Verdict::Regression, "");
    one.at("findings").get_to(verdict.findings);
    one.at("numbers").get_to(verdict.worse);
    answer.worse.push_back(std::move(verdict));
  }
  return answer;
}

}  // namespace

Document worse_document(const std::vector<CaseVerdict>& worse) {
  Document list = Document::array();
  for (const CaseVerdict& verdict : worse) {
    list.push_back(
        {{"case", verdict.name}, {"numbers", verdict.worse}, {"findings", verdict.findings}});
  }
  return list;
}

BisectLog::BisectLog(std::string path, BisectSubject subject)
    : path_(std::move(path)), subject_(std::move(subject)) {}

void BisectLog::begin(const std::string& good, const std::string& bad) {
  if (path_.empty()) return;
  const Document head = {{"schema", kBisectSchema},
                         {"suite", subject_.suite},
                         {"mode", subject_.mode},
                         {"device", subject_.device},
                         {"cases", subject_.cases},
                         {"good", good},
                         {"bad", bad}};
  if (is_missing(path_)) {
    append(head.dump());
    return;
  }
  const std::string text = read_file(path_);
  bool is_head = true;
  for (const std::string_view line : split(text, '\n')) {
    const Document node = Document::parse(line, nullptr, false);
    if (is_head && node != head) {
      throw usage_error(format("--log '{}' is of another bisection: name another file", path_));
    }
    try {
      if (!is_head) answers_[node.at("commit")] = answer_from(node);
    } catch (const Document::exception&) {
      continue;  // the last line of a run that was killed
    }
    is_head = false;
  }
}

std::optional<CommitAnswer> BisectLog::find(const std::string& commit) const {
  const auto at = answers_.find(commit);
  if (at == answers_.end()) return std::nullopt;
  return at->second;
}

void BisectLog::add(const std::string& commit, const CommitAnswer& answer) {
  answers_[commit] = answer;
  if (!path_.empty()) append(to_document(commit, answer).dump());
}

void BisectLog::append(const std::string& line) const {
  append_file(path_, line + '\n');
}

}  // namespace tilewright
