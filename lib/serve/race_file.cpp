#include "serve/race_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"
#include "base/trusted_file.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kVersionLine = "tilewright races, version 1";
constexpr int64_t kMaxFileSize = int64_t{16} << 20;

// Takes the first line, and its end, off the front of `text`; nothing if no line ends.
std::optional<std::string_view> take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

// Reads "PRODUCT RATIO CALLS WINNER"; the winner may have blanks.
bool add_line(std::string_view line, RaceResults& results) {
  std::string_view words[3];
  for (std::string_view& word : words) {
    const size_t end = line.find(' ');
    if (end == std::string_view::npos) return false;
    word = line.substr(0, end);
    line.remove_prefix(end + 1);
  }
  const std::optional<double> ratio = parse_finite(words[1]);
  const std::optional<int64_t> calls = parse_count(words[2]);
  if (words[0].empty() || line.empty() || !ratio || !calls) return false;
  results[std::string(words[0])] = {std::string(line), *ratio, static_cast<int>(*calls)};
  return true;
}

DecodedResults no_results(std::string why) {
  return {{}, std::move(why)};
}

}  // namespace

std::string encode_results(std::string_view conditions, const RaceResults& results) {
  std::string content = format("{}\n{}\n", kVersionLine, conditions);
  for (const auto& [product, result] : results) {
    content += format("{} {} {} {}\n", product, result.ratio, result.calls, result.winner);
  }
  return hash_text(content) + "\n" + content;
}

DecodedResults decode_results(std::string_view conditions, std::string_view bytes) {
  const std::optional<std::string_view> checksum = take_line(bytes);
  if (!checksum || hash_text(bytes) != *checksum) return no_results("is damaged");
  if (take_line(bytes) != kVersionLine) return no_results("is of another version");
  const std::optional<std::string_view> found = take_line(bytes);
  if (found != conditions) {
    return no_results(format("is for {}, and here is {}", found.value_or(""), conditions));
  }
  DecodedResults decoded;
  while (!bytes.empty()) {
    const std::optional<std::string_view> line = take_line(bytes);
    if (!line || !add_line(*line, decoded.results)) return no_results("is damaged");
  }
  return decoded;
}

RaceFile::RaceFile(const CacheFolder& folder, std::string_view name, std::string conditions)
    : conditions_(std::move(conditions)) {
  if (folder.path.empty()) {
    trouble_ = folder.why_not;
    return;
  }
  // The cache removes temporary files with such names, and no files with this ending.
  path_ = folder.path / (hash_text(name) + ".races");
  DecodedResults decoded = read();
  results_ = std::move(decoded.results);
  trouble_ = std::move(decoded.why_not);
}

// The file's name is in the reason.
DecodedResults RaceFile::read() const {
  const TrustedFile file(path_);
  const auto named = [this](const std::string& why) {
    return no_results(format("'{}' {}", path_.string(), why));
  };
  if (!file.is_open()) {
    return errno == ENOENT ? DecodedResults{}
                           : named(format("cannot be read: {}", std::strerror(errno)));
  }
  const std::optional<std::string> bytes = file.read(kMaxFileSize);
  if (!bytes) return named("is not a file that only this user can write");
  DecodedResults decoded = decode_results(conditions_, *bytes);
  return decoded.why_not.empty() ? decoded : named(decoded.why_not);
}

std::optional<RaceResult> RaceFile::find(const std::string& product) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto at = results_.find(product);
  return at == results_.end() ? std::nullopt : std::optional(at->second);
}

void RaceFile::add(const std::string& product, const RaceResult& result) {
  const std::lock_guard<std::mutex> lock(mutex_);
  results_[product] = result;
  if (path_.empty()) return;
  try {
    const int error = write();
    trouble_ = error == 0
                   ? ""
                   : format("'{}' cannot be written: {}", path_.string(), std::strerror(error));
  } catch (const std::exception& error) {
    trouble_ = error.what();
  }
}

// Returns 0 or the errno.
int RaceFile::write() const {
  constexpr auto kMaxWait = std::chrono::milliseconds(200);  // a writer takes some milliseconds
  constexpr mode_t kOwnReadWrite = S_IRUSR | S_IWUSR;
  const FileLock file_lock(path_, kMaxWait);
  // The file's results of other processes, and this one's.
  RaceResults all = read().results;
  for (const auto& [product, own] : results_) all[product] = own;
  // Not synced: a file that a power cut truncates fails its checksum.
  return replace_file(path_, encode_results(conditions_, all),
                      {.created = kOwnReadWrite, .is_synced = false});
}

std::string RaceFile::trouble() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return trouble_;
}

}  // namespace tilewright
