// The winners of races on disk, one file for each library and GPU.
//
//   checksum of all that follows
//   the format's version
//   the conditions under which the winners hold
//   product, ratio, calls, winner       one line each
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/cache_folder.hpp"

namespace tilewright {

/// The result of one race. The winner's name is one line; "plain" is the plain answer.
struct RaceResult {
  std::string winner;
  double ratio = 1;  // the winner's time over the plain answer's
  int calls = 0;
  bool operator==(const RaceResult&) const = default;
};

/// By product: a text without blanks.
using RaceResults = std::map<std::string, RaceResult>;

/// A whole file. `conditions` is one line.
std::string encode_results(std::string_view conditions, const RaceResults& results);

/// The results of a file's bytes, or why there are none: damage, other conditions, another version.
struct DecodedResults {
  RaceResults results;
  std::string why_not;
};
DecodedResults decode_results(std::string_view conditions, std::string_view bytes);

/// The winners of one library on one GPU. Safe to use from several threads and processes. A file
/// that cannot be used costs races, and is no error.
class RaceFile {
 public:
  /// Reads the file of `name` in the folder, if there is one. Without a folder it keeps the results
  /// in memory only.
  RaceFile(const CacheFolder& folder, std::string_view name, std::string conditions);

  std::optional<RaceResult> find(const std::string& product) const;

  /// Keeps a result, and writes it to the file beside those that other processes have added.
  void add(const std::string& product, const RaceResult& result);

  /// Why the file was not read or written at last, as one line; else empty.
  std::string trouble() const;

  const std::filesystem::path& path() const { return path_; }

 private:
  DecodedResults read() const;
  int write() const;

  std::filesystem::path path_;  // empty: no file
  const std::string conditions_;
  mutable std::mutex mutex_;
  RaceResults results_;
  std::string trouble_;
};

}  // namespace tilewright
