#include "base/files.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "support/file_calls.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

/// An empty folder; the destructor removes it.
class Scratch {
 public:
  Scratch() : path_(fs::temp_directory_path() / format("tilewright_files.{}", ::getpid())) {
    fs::create_directories(path_);
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }
  size_t size() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path_), {}));
  }

 private:
  fs::path path_;
};

TEST_CASE("a written file reads back, whatever its size and bytes") {
  const Scratch folder;
  for (const size_t size : {size_t{0}, size_t{1}, size_t{65535}, size_t{65536}, size_t{200'000}}) {
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 % 256);
    write_file(folder / "bytes", bytes);
    CHECK(read_file(folder / "bytes") == bytes);
  }
  CHECK(folder.size() == 1);
}

TEST_CASE("a byte order mark is dropped only at the start of a text") {
  const Scratch folder;
  const std::string mark = "\xef\xbb\xbf";
  write_file(folder / "marked", mark + "m,n\n" + mark);
  CHECK(read_file(folder / "marked") == "m,n\n" + mark);
  write_file(folder / "short", mark.substr(0, 2));
  CHECK(read_file(folder / "short") == mark.substr(0, 2));
}

TEST_CASE("a write follows a link, also one to a missing file; the link stays") {
  const Scratch folder;
  fs::create_symlink("real", folder / "near");
  fs::create_symlink(folder / "near", folder / "far");
  for (const char* const text : {"first", "second"}) {
    require_writable(folder / "far");
    write_file(folder / "far", text);
    CHECK(fs::is_symlink(folder / "far"));
    CHECK(fs::is_symlink(folder / "near"));
    CHECK(read_file(folder / "real") == text);
  }
}

TEST_CASE("a path that cannot be used throws a usage error") {
  const Scratch folder;
  const std::string long_name(300, 'n');
  write_file(folder / "file", "");
  fs::create_symlink("round", folder / "about");
  fs::create_symlink("about", folder / "round");
  for (const fs::path& path : {folder / long_name, folder / "file/below", folder / "round",
                               folder / (long_name + "/below"), folder / ""}) {
    CAPTURE(path);
    for (const auto act : {+[](const fs::path& p) { read_file(p); },
                           +[](const fs::path& p) { write_file(p, "text"); },
                           +[](const fs::path& p) { require_writable(p); }}) {
      try {
        act(path);
        FAIL("was taken");
      } catch (const Error& error) {
        CHECK(error.code() == ExitCode::Usage);
      }
    }
  }
  CHECK(folder.size() == 3);
}

TEST_CASE("a path is missing only if the system reports that it does not exist") {
  const Scratch folder;
  CHECK(is_missing(folder / "gone"));
  write_file(folder / "here", "");
  CHECK_FALSE(is_missing(folder / "here"));
  CHECK_FALSE(is_missing(folder / std::string(300, 'n')));
}

TEST_CASE("devices, pipes and open files are written in place") {
  const Scratch folder;
  CHECK_FALSE(is_replaceable("-"));
  CHECK_FALSE(is_replaceable("/dev/null"));
  CHECK_FALSE(is_replaceable("/dev/stdout"));
  CHECK_FALSE(is_replaceable("/proc/self/fd/1"));
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK_FALSE(is_replaceable(folder / "pipe"));
  CHECK(is_replaceable(folder / "new"));
}

TEST_CASE("a write never follows a link at the former name of its temporary file") {
  const Scratch folder;
  write_file(folder / "victim", "precious");
  // The name of temporary files in all versions until 0.1.0.
  fs::create_symlink(folder / "victim", folder / format("out.{}.part", ::getpid()));
  write_file(folder / "out", "text");
  CHECK(read_file(folder / "victim") == "precious");
  CHECK(read_file(folder / "out") == "text");
  CHECK(!fs::is_symlink(folder / "out"));
  CHECK(folder.size() == 3);
}

TEST_CASE("a write never follows a link placed at the name of its temporary file") {
  const Scratch folder;
  write_file(folder / "victim", "precious");
  write_file(folder / "out", "old");
  int planted = 0;
  const testing::FileCalls calls([&](const testing::FileCall& call) {
    if ((call.flags & O_CREAT) == 0 || planted == 3) return;
    CHECK((call.flags & O_EXCL) != 0);
    CHECK((call.flags & O_NOFOLLOW) != 0);
    fs::create_symlink(folder / "victim", call.path);
    ++planted;
  });
  write_file(folder / "out", "text");
  CHECK(planted == 3);
  CHECK(read_file(folder / "victim") == "precious");
  CHECK(read_file(folder / "out") == "text");
  CHECK(!fs::is_symlink(folder / "out"));
}

TEST_CASE("a file is synced before it is renamed, and its folder before the write ends") {
  const Scratch folder;
  for (const char* const content : {"first", "second"}) {
    const testing::FileCalls calls;
    write_file(folder / "out", content);
    std::string order;
    std::string temporary;
    for (const testing::FileCall& call : calls.listed()) {
      if (call.name == "open" && (call.flags & O_CREAT) != 0) temporary = call.path;
      if (call.name == "open") continue;
      order += call.name + (call.path == temporary ? " file, " : " " + call.path);
    }
    const std::string place = fs::canonical((folder / "out").parent_path()).string();
    CHECK(order == "fsync file, rename file, fsync " + place);
  }
}

TEST_CASE("an appended line is synced, and begins a line of its own behind a cut one") {
  const Scratch folder;
  write_file(folder / "out", "cut");
  const testing::FileCalls calls;
  append_file(folder / "out", "next\n");
  append_file(folder / "out", "last\n");
  CHECK(read_file(folder / "out") == "cut\nnext\nlast\n");
  const auto listed = calls.listed();
  CHECK(std::count_if(listed.begin(), listed.end(),
                      [](const testing::FileCall& call) { return call.name == "fsync"; }) == 2);
}

TEST_CASE("threads may write one file at once; it holds one thread's text") {
  const Scratch folder;
  constexpr int kWriters = 4;
  std::atomic<int> failures = 0;
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&folder, &failures, i] {
      for (int turn = 0; turn < 8; ++turn) {
        try {
          write_file(folder / "shared", std::string(50'000, static_cast<char>('a' + i)));
        } catch (const Error&) {
          ++failures;
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  CHECK(failures == 0);
  const std::string text = read_file(folder / "shared");
  CHECK(text == std::string(50'000, text.front()));
  CHECK(folder.size() == 1);
}

TEST_CASE("a new file has the umask's permissions, a replaced one keeps its own") {
  const Scratch folder;
  const mode_t before = ::umask(027);
  write_file(folder / "new", "text");
  ::umask(before);
  const auto permissions = [&] {
    return static_cast<unsigned>(fs::status(folder / "new").permissions());
  };
  CHECK(permissions() == 0640);
  fs::permissions(folder / "new", fs::perms(0604));
  write_file(folder / "new", "more");
  CHECK(permissions() == 0604);
}

TEST_CASE(
    "a disk that fills up while a file is written leaves the old one whole, and nothing else") {
  const Scratch folder;
  write_file(folder / "kept", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_file(folder / "kept", std::string(5000, 'n'));
    } catch (const Error&) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 1);
  CHECK(read_file(folder / "kept") == "old");
  CHECK(folder.size() == 1);
}

TEST_CASE("locks of one file exclude each other") {
  const Scratch folder;
  write_file(folder / "count", "0");
  constexpr int kThreads = 4;
  constexpr int kTurns = 10;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&folder] {
      for (int turn = 0; turn < kTurns; ++turn) {
        const FileLock own(folder / "count");
        write_file(folder / "count", format("{}", std::stoi(read_file(folder / "count")) + 1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(read_file(folder / "count") == format("{}", kThreads * kTurns));
}

TEST_CASE("a lock that another holder keeps is given up after the time that it may take") {
  const Scratch folder;
  const fs::path path = folder / "count";
  auto first = std::make_unique<const FileLock>(path);
  CHECK(first->is_locked());
  CHECK(!FileLock(path, std::chrono::milliseconds(20)).is_locked());
  CHECK(!FileLock("/dev/null").is_locked());
  first.reset();
  CHECK(FileLock(path, std::chrono::milliseconds(20)).is_locked());
}

TEST_CASE("a full disk is an environment error") {
  try {
    write_file("/dev/full", "text");
    FAIL("was taken");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::Environment);
    CHECK(std::string(error.what()) == "cannot write '/dev/full': No space left on device");
  }
}

}  // namespace
}  // namespace tilewright
