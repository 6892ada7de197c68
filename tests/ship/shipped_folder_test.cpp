// A shipment replaces an earlier one as a whole and nothing else, wherever it is interrupted.
#include "ship/shipped_folder.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "ship/manifest.hpp"
#include "support/error_message.hpp"
#include "support/former_shipment.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::error_message_of;
using Files = std::map<std::string, std::string>;

constexpr const char* kStage = ".tilewright.part";

// Two shipments: of equal, changed, added and removed files and folders.
const Files kFirst = {{"README.md", "one\n"},
                      {"lib/libone.so", "old code"},
                      {"include/one.h", "int one;\n"},
                      {"src/deep/er/gone.cpp", "gone\n"},
                      {"test.py", "same\n"}};
const Files kSecond = {{"README.md", "two\n"},
                       {"lib/libtwo.so", "new code"},
                       {"include/two.h", "int two;\n"},
                       {"python/two/__init__.py", "two\n"},
                       {"test.py", "same\n"}};

void put(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  write_file(path, text);
}

// Every file below the folder; "/" as the text of an empty folder.
Files content_of(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().lexically_relative(folder).string();
    if (entry.is_symlink()) {
      files[path] = "-> " + fs::read_symlink(entry.path()).string();
    } else if (entry.is_regular_file()) {
      files[path] = read_file(entry.path());
    } else if (fs::is_empty(entry.path())) {
      files[path] = "/";
    }
  }
  return files;
}

// The folder's content after a shipment of these files to an absent folder.
Files whole(const std::string& name, Files files) {
  files[kManifestFile] = print_manifest(manifest_of(name, files));
  return files;
}

Files joined(Files files, const Files& others) {
  files.insert(others.begin(), others.end());
  return files;
}

struct Place {
  testing::TemporaryFolder scratch;
  fs::path folder = scratch.path() / "D";

  ReplacedShipment first() const { return write_shipment(folder, "one", kFirst); }
  ReplacedShipment second() const { return write_shipment(folder, "two", kSecond); }
  std::string refusal() const {
    const std::string early = error_message_of([this] { require_shipment_place(folder); });
    CHECK(error_message_of([this] { second(); }) == early);
    return early;
  }
};

TEST_CASE("a shipment fills a folder that is absent or empty, by any of its names") {
  Place place;
  for (const char* const name : {"absent", "below/absent", "slash/", "empty", "./dots/../dots2"}) {
    CAPTURE(name);
    place.folder = place.scratch.path() / name;
    const fs::path plain = place.folder.lexically_normal();
    if (std::string_view(name) == "empty") fs::create_directory(place.folder);
    require_shipment_place(place.folder);
    CHECK(place.first().name.empty());
    CHECK(content_of(plain) == whole("one", kFirst));
  }
  fs::create_directory_symlink("empty2", place.scratch.path() / "link");
  fs::create_directory(place.scratch.path() / "empty2");
  write_shipment(place.scratch.path() / "link", "one", kFirst);
  CHECK(content_of(place.scratch.path() / "empty2") == whole("one", kFirst));
  for (const auto& entry : fs::directory_iterator(place.scratch.path())) {
    CHECK_MESSAGE(!contains(entry.path().string(), ".part"), entry.path());
  }
}

TEST_CASE("an earlier shipment is replaced as a whole, and nothing that somebody added") {
  Place place;
  place.first();
  const Files added = {{"notes.txt", "mine"},
                       {"src/deep/mine.cpp", "mine"},
                       {"lib/libmine.so", "mine"},
                       {"link", "-> notes.txt"}};
  for (const auto& [path, text] : added) {
    if (path == "link") {
      fs::create_symlink("notes.txt", place.folder / path);
    } else {
      put(place.folder / path, text);
    }
  }
  CHECK(place.second().name == "one");
  CHECK(content_of(place.folder) == joined(whole("two", kSecond), added));
  CHECK(place.second().kept.empty());
  CHECK(place.first().name == "two");
  CHECK(content_of(place.folder) == joined(whole("one", kFirst), added));
}

TEST_CASE("a file that did not change is not written, and permissions stay") {
  Place place;
  place.first();
  const fs::path same = place.folder / "test.py";
  const auto before = fs::last_write_time(same) - std::chrono::hours(1);
  fs::last_write_time(same, before);
  fs::permissions(place.folder / "README.md", fs::perms::owner_all);
  place.second();
  CHECK(fs::last_write_time(same) == before);
  CHECK(fs::status(place.folder / "README.md").permissions() == fs::perms::owner_all);
}

TEST_CASE("whatever a user made of a shipped file is kept: an edit, a link, a folder") {
  for (const auto& entry : kFirst) {
    const std::string& path = entry.first;
    CAPTURE(path);
    Place place;
    place.first();
    put(place.folder / path, "edited");
    ReplacedShipment replaced = place.second();
    CHECK(replaced.kept_in == "previous");
    CHECK(replaced.kept == std::vector{path});
    CHECK(content_of(place.folder) ==
          joined(whole("two", kSecond), {{"previous/" + path, "edited"}}));
    // A second edit does not replace the first.
    put(place.folder / "README.md", "again");
    CHECK(place.first().kept_in == "previous-2");
    CHECK(read_file(place.folder / "previous-2/README.md") == "again");
    CHECK(read_file(place.folder / "previous" / path) == "edited");
  }
  Place place;
  place.first();
  put(place.scratch.path() / "outside", "mine");
  fs::remove(place.folder / "README.md");
  fs::create_symlink("../outside", place.folder / "README.md");
  fs::remove(place.folder / "include/one.h");
  put(place.folder / "include/one.h/mine", "mine");
  place.second();
  CHECK(read_file(place.scratch.path() / "outside") == "mine");
  CHECK(content_of(place.folder) ==
        joined(whole("two", kSecond),
               {{"previous/README.md", "-> ../outside"}, {"previous/include/one.h/mine", "mine"}}));
  // A file that was removed is written again, and an edit to the new content is none.
  fs::remove(place.folder / "test.py");
  put(place.folder / "README.md", kFirst.at("README.md"));
  CHECK(place.first().kept.empty());
}

TEST_CASE("any other folder is refused by name, and stays") {
  Place place;
  for (const char* const path :
       {"README.md", ".hidden", "MANIFEST", "lib/libone.so", "include/one.h", "deep/deeper/file"}) {
    CAPTURE(path);
    fs::remove_all(place.folder);
    put(place.folder / path, "mine\n");
    const Files before = content_of(place.folder);
    const std::string refusal = place.refusal();
    CHECK(contains(refusal, fs::path(path).begin()->string()));
    CHECK(contains(refusal, "no shipment"));
    CHECK(contains(refusal, "name a folder that is empty or absent"));
    CHECK(content_of(place.folder) == before);
  }
  CHECK(contains(error_message_of([] { write_shipment("/", "one", kFirst); }), "'/' holds "));
  CHECK(contains(error_message_of([] { write_shipment("", "one", kFirst); }), "names no folder"));
  CHECK(contains(error_message_of([] { write_shipment("-", "one", kFirst); }), "names no folder"));
  CHECK(contains(error_message_of([] { require_shipment_place("/dev/null"); }), "Not a directory"));
  CHECK(
      contains(error_message_of([] { require_shipment_place("/dev/null/D"); }), "Not a directory"));
  fs::remove_all(place.folder);
  place.first();
  put(place.folder / "MANIFEST", read_file(place.folder / "MANIFEST") + "damage\n");
  const Files before = content_of(place.folder);
  CHECK(contains(place.refusal(), "is no digest with a path"));
  CHECK(content_of(place.folder) == before);
}

TEST_CASE("a user's file at the place of a new one is refused, also behind a link") {
  for (const auto& entry : kSecond) {
    const std::string& path = entry.first;
    CAPTURE(path);
    if (kFirst.count(path) > 0) continue;
    Place place;
    place.first();
    put(place.folder / path, "mine");
    const Files before = content_of(place.folder);
    CHECK(contains(error_message_of([&] { place.second(); }), path));
    CHECK(content_of(place.folder) == before);
  }
  for (const char* const folder : {"python", "lib", "include"}) {
    CAPTURE(folder);
    Place place;
    place.first();
    fs::create_directory(place.scratch.path() / "mine");
    fs::remove_all(place.folder / folder);
    fs::create_directory_symlink("../mine", place.folder / folder);
    const Files before = content_of(place.folder);
    CHECK(contains(error_message_of([&] { place.second(); }), "is no folder"));
    CHECK(content_of(place.folder) == before);
    CHECK(fs::is_empty(place.scratch.path() / "mine"));
  }
}

TEST_CASE("a shipment without a manifest is replaced, and what differs in it is kept") {
  Place place;
  testing::write_former_shipment(place.folder, "gem");
  put(place.folder / "mine", "mine");
  Files before = content_of(place.folder);
  require_shipment_place(place.folder);
  CHECK(place.second().name == "gem");
  Files expected = whole("two", kSecond);
  for (const auto& [path, text] : before) {
    expected[path == "mine" ? path : "previous/" + path] = text;
  }
  CHECK(content_of(place.folder) == expected);
  CHECK(place.second().kept.empty());
}

// What a run removes after it has moved all files: a file, then its folders.
const std::vector<fs::path> kRetired = {"src/deep/er/gone.cpp", "src/deep/er", "src/deep", "src"};

// A killed run leaves a complete stage, of which the first files are moved; further steps have
// removed the first of kRetired. Constructs that by hand.
void replace_partly(const fs::path& folder, size_t steps) {
  size_t moved = 0;
  for (const auto& [path, text] : kSecond) {
    put((moved < steps ? folder : folder / kStage) / path, text);
    ++moved;
  }
  put(folder / kStage / kManifestFile, print_manifest(manifest_of("two", kSecond)));
  for (size_t i = 0; moved + i < steps; ++i) fs::remove(folder / kRetired[i]);
}

TEST_CASE("after a kill at any step the next run completes the replacement, or begins again") {
  for (size_t steps = 0; steps <= kSecond.size() + kRetired.size(); ++steps) {
    for (const bool was_empty : {false, true}) {
      CAPTURE(steps);
      CAPTURE(was_empty);
      Place place;
      fs::create_directory(place.folder);
      if (!was_empty) place.first();
      put(place.folder / "notes", "mine");
      if (was_empty) fs::remove(place.folder / "notes");
      replace_partly(place.folder, steps);
      require_shipment_place(place.folder);
      const Files mine = was_empty ? Files{} : Files{{"notes", "mine"}};
      CHECK(content_of(place.folder) == joined(whole("two", kSecond), mine));
    }
  }
  Place place;
  place.first();
  put(place.folder / kStage / "README.md", "half");
  require_shipment_place(place.folder);
  CHECK(content_of(place.folder) == whole("one", kFirst));
}

TEST_CASE("kill -9 at any moment leaves one shipment, the earlier or the new one") {
  constexpr int kKills = 60;
  Place place;
  place.first();
  put(place.folder / "notes", "mine");
  std::minstd_rand random(1);
  for (int i = 0; i < kKills; ++i) {
    CAPTURE(i);
    const pid_t child = fork();
    if (child == 0) {
      while (true) {
        place.second();
        place.first();
      }
    }
    REQUIRE(child > 0);
    ::usleep(static_cast<useconds_t>(500 + random() % 8000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    require_shipment_place(place.folder);
    const Files now = content_of(place.folder);
    const Files mine = {{"notes", "mine"}};
    const bool is_whole =
        now == joined(whole("one", kFirst), mine) || now == joined(whole("two", kSecond), mine);
    std::string names;
    for (const auto& [path, text] : now) names += path + "\n";
    CHECK_MESSAGE(is_whole, names);
  }
}

// Limits the size of files that this process may write, as a full disk does.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, SIG_DFL);
  }

 private:
  rlimit before_{};
};

TEST_CASE("a file that cannot be written leaves the folder as it was") {
  for (const auto& entry : kSecond) {
    const std::string& large = entry.first;
    CAPTURE(large);
    if (large == "test.py") continue;
    Files files = kSecond;
    files[large] = std::string(4096, 'x');
    for (const bool is_absent : {true, false}) {
      CAPTURE(is_absent);
      Place place;
      if (!is_absent) place.first();
      const Files before = content_of(place.scratch.path());
      std::string message;
      {
        const FileSizeLimit limit(1024);
        message = error_message_of([&] { write_shipment(place.folder, "two", files); });
      }
      CHECK(contains(message, "cannot write"));
      Files after = content_of(place.scratch.path());
      std::erase_if(after, [](const auto& file) { return file.second == "/"; });
      CHECK(after == before);
    }
  }
}

}  // namespace
}  // namespace tilewright
