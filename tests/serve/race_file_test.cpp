// Winners on disk: what makes a file unusable, and what happens then.
#include "serve/race_file.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "stats/random.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::TemporaryFolder;

constexpr const char* kConditions = "library 12; NVIDIA H200; driver 13000; no cuBLASLt";

RaceResults random_results(Random& random) {
  RaceResults results;
  const uint32_t count = random.below(6);
  for (uint32_t i = 0; i < count; ++i) {
    results[format("race,{},-{}", random.next(), random.below(9))] = {
        format("family=sm90,cta={}x{} and more", random.below(300), random.below(300)),
        random.uniform() + 0.001, static_cast<int>(random.below(28))};
  }
  return results;
}

RaceFile opened(const TemporaryFolder& folder, const std::string& conditions = kConditions) {
  return RaceFile({folder.path(), ""}, "library 12; NVIDIA H200", conditions);
}

TEST_CASE("results read as they were written") {
  Random random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const RaceResults results = random_results(random);
    const DecodedResults decoded =
        decode_results(kConditions, encode_results(kConditions, results));
    CHECK(decoded.why_not.empty());
    CHECK(decoded.results == results);
  }
}

TEST_CASE("a change of any byte, a cut at any byte and an appended byte are damage") {
  Random random(4);
  RaceResults results;
  while (results.size() < 2) results = random_results(random);
  const std::string whole = encode_results(kConditions, results);
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ (1 << random.below(8)));
    const DecodedResults decoded = decode_results(kConditions, changed);
    CHECK(decoded.results.empty());
    CHECK(decoded.why_not == "is damaged");
    CHECK(decode_results(kConditions, whole.substr(0, at)).why_not == "is damaged");
  }
  CHECK(decode_results(kConditions, whole + "\n").why_not == "is damaged");
}

TEST_CASE("results of other conditions or another version are not used, with the reason") {
  const std::string whole = encode_results(kConditions, {{"race,1", {"plain", 1, 6}}});
  const DecodedResults other = decode_results("driver 13010", whole);
  CHECK(other.results.empty());
  CHECK(other.why_not == format("is for {}, and here is driver 13010", kConditions));
  std::string later = whole.substr(whole.find('\n') + 1);
  later.replace(later.find('1'), 1, "2");
  later = hash_text(later) + "\n" + later;
  CHECK(decode_results(kConditions, later).why_not == "is of another version");
}

TEST_CASE("an added result is found, also by a later process") {
  const TemporaryFolder folder;
  const RaceResult result{"family=sm90,cta=128x128x64", 0.875, 21};
  {
    RaceFile file = opened(folder);
    CHECK(file.trouble().empty());
    CHECK(!file.find("race,1"));
    file.add("race,1", result);
    CHECK(file.find("race,1") == result);
    CHECK(file.trouble().empty());
  }
  CHECK(opened(folder).find("race,1") == result);
  struct stat facts {};
  REQUIRE(::stat(opened(folder).path().c_str(), &facts) == 0);
  CHECK((facts.st_mode & 07777) == 0600);
  // Nothing else is left in the folder.
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("an unusable file is named, costs no result, and is replaced") {
  const RaceResult result{"plain", 1, 27};
  const auto check = [&](const std::function<void(const fs::path&)>& spoil,
                         const std::string& reason) {
    const TemporaryFolder folder;
    opened(folder).add("race,1", result);
    const fs::path path = opened(folder).path();
    spoil(path);
    RaceFile file = opened(folder);
    CHECK(!file.find("race,1"));
    CHECK(contains(file.trouble(), path.string()));
    CHECK_MESSAGE(contains(file.trouble(), reason), file.trouble());
    CHECK(!contains(file.trouble(), "\n"));
    file.add("race,2", result);
    CHECK(file.trouble().empty());
    CHECK(opened(folder).find("race,2") == result);
    CHECK(!opened(folder).find("race,1"));
  };
  check([](const fs::path& path) { write_file(path, "no results"); }, "is damaged");
  check([](const fs::path& path) { write_file(path, ""); }, "is damaged");
  check([](const fs::path& path) { fs::permissions(path, fs::perms(0666)); },
        "is not a file that only this user can write");
  check(
      [](const fs::path& path) {
        write_file(path, encode_results("driver 12", {{"race,1", {"plain", 1, 1}}}));
      },
      "is for driver 12, and here is library 12");
  check(
      [](const fs::path& path) {
        const fs::path elsewhere = path.parent_path() / "elsewhere";
        fs::rename(path, elsewhere);
        fs::create_symlink(elsewhere, path);
      },
      "cannot be read");
}

TEST_CASE("without a folder, with a full disk or a folder in the way, results stay in memory") {
  const RaceResult result{"plain", 1, 27};
  RaceFile none({{}, "no folder is set"}, "a", kConditions);
  CHECK(none.trouble() == "no folder is set");
  none.add("race,1", result);
  CHECK(none.find("race,1") == result);
  CHECK(none.trouble() == "no folder is set");

  const TemporaryFolder folder;
  fs::create_directory(opened(folder).path());
  RaceFile blocked = opened(folder);
  CHECK(contains(blocked.trouble(), "is not a file"));
  blocked.add("race,1", result);
  CHECK(blocked.find("race,1") == result);
  CHECK(contains(blocked.trouble(), "cannot be written: "));

  // A link to itself is no place for a file.
  const TemporaryFolder looped;
  fs::create_symlink(opened(looped).path(), opened(looped).path());
  RaceFile circular = opened(looped);
  CHECK(contains(circular.trouble(), "cannot be read: "));
  circular.add("race,1", result);
  CHECK(circular.find("race,1") == result);

  const TemporaryFolder full;
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{.rlim_cur = 100, .rlim_max = 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    RaceFile file = opened(full);
    file.add("race,1", {std::string(300, 'x'), 1, 27});
    const bool is_kept = file.find("race,1").has_value();
    ::_exit(is_kept && contains(file.trouble(), "cannot be written: File too large") ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(fs::is_empty(full.path()));
}

TEST_CASE("two files open in one folder, as in two processes, lose no result of each other") {
  const TemporaryFolder folder;
  RaceFile one = opened(folder);
  RaceFile two = opened(folder);
  one.add("race,1", {"plain", 1, 27});
  two.add("race,2", {"plain", 1, 26});
  one.add("race,3", {"plain", 1, 25});
  for (const char* const product : {"race,1", "race,2", "race,3"}) {
    CHECK(opened(folder).find(product).has_value());
  }
}

TEST_CASE("processes that write at the same time lose no result") {
  constexpr int kProcesses = 4;
  constexpr int kEach = 25;
  const TemporaryFolder folder;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = ::fork();
    if (child == 0) {
      RaceFile file = opened(folder);
      for (int i = 0; i < kEach; ++i) {
        file.add(format("race,{},{}", process, i), {"plain", 1, 27});
        if (!file.trouble().empty()) ::_exit(1);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  const RaceFile file = opened(folder);
  for (int process = 0; process < kProcesses; ++process) {
    for (int i = 0; i < kEach; ++i) CHECK(file.find(format("race,{},{}", process, i)).has_value());
  }
}

}  // namespace
}  // namespace tilewright
