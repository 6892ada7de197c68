// The answers of a bisection in a file of JSON lines, from which an interrupted one goes on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gate/two_builds.hpp"
#include "record/document.hpp"

namespace tilewright {

/// `schema` of the first line.
inline constexpr std::string_view kBisectSchema = "tilewright.bisect/1";

/// What `git bisect` is answered.
inline constexpr const char* kGood = "good";
inline constexpr const char* kBad = "bad";
inline constexpr const char* kSkip = "skip";

/// The answer for one commit.
struct CommitAnswer {
  std::string word;
  std::string why = {};                 // of a skip
  std::vector<CaseVerdict> worse = {};  // of a bad commit: name, worse numbers, findings
  CaseThresholds thresholds = {};       // of a bad commit that was measured
};

/// The worse cases as JSON: a list of `case`, `numbers`, `findings`.
Document worse_document(const std::vector<CaseVerdict>& worse);

/// What must be the same in all runs of a bisection.
struct BisectSubject {
  std::string suite;
  std::string mode;
  std::string device;
  std::vector<std::string> cases;
};

class BisectLog {
 public:
  /// An empty `path` keeps the answers in memory alone.
  BisectLog(std::string path, BisectSubject subject);
  /// Reads the file, if there is one, or writes its first line. Throws a usage error for the log of
  /// another bisection.
  void begin(const std::string& good, const std::string& bad);
  std::optional<CommitAnswer> find(const std::string& commit) const;
  /// Throws an environment error if the line cannot be written.
  void add(const std::string& commit, const CommitAnswer& answer);

 private:
  void append(const std::string& line) const;

  std::string path_;
  BisectSubject subject_;
  std::map<std::string, CommitAnswer> answers_;
};

}  // namespace tilewright
