// The folder of compiled kernels: which owners' files are trusted, and what happens if none can be
// written.
#include "gpu/compile/cubin_cache.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

constexpr uid_t kNobody = 65534;

// A made-up kernel of about `bytes` bytes, different for each key.
CompiledKernel kernel_of(const std::string& key, size_t bytes = 1000) {
  CompiledKernel kernel{.cubin = "", .log = "ptxas info    : Used 8 registers " + key};
  while (kernel.cubin.size() < bytes) kernel.cubin += key;
  return kernel;
}

bool is_kernel(const CompiledKernel& a, const CompiledKernel& b) {
  return a.cubin == b.cubin && a.log == b.log;
}

bool holds(const CubinCache& cache, const std::string& key) {
  const std::optional<CompiledKernel> found = cache.find(key);
  return found && is_kernel(*found, kernel_of(key));
}

fs::path entry_path(const TemporaryFolder& folder, const std::string& key) {
  return folder.path() / (hash_text(key) + ".kernel");
}

// The result of `check` in a process of its own.
bool holds_apart(const std::function<bool()>& check) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(check() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_CASE("a stored kernel is found again, by this process and the next, and leaves one file") {
  const TemporaryFolder folder;
  const std::string key = hash_text("a");
  const CubinCache cache(folder.path());
  CHECK(!cache.find(key));
  cache.store(key, kernel_of(key));
  CHECK(holds(cache, key));
  CHECK(holds(CubinCache(folder.path()), key));
  CHECK(!cache.find(hash_text("b")));
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
  struct stat facts {};
  REQUIRE(::stat(entry_path(folder, key).c_str(), &facts) == 0);
  CHECK((facts.st_mode & 07777) == 0600);
}

TEST_CASE("an entry that other users could have written is not used") {
  const TemporaryFolder folder;
  const TemporaryFolder elsewhere;
  const std::string key = hash_text("a");
  const CubinCache cache(folder.path());
  cache.store(key, kernel_of(key));
  const fs::path entry = entry_path(folder, key);
  const fs::path other = elsewhere.path() / "kernel";
  fs::copy_file(entry, other);

  fs::permissions(entry, fs::perms::group_write, fs::perm_options::add);
  CHECK(!cache.find(key));
  fs::remove(entry);
  fs::create_symlink(other, entry);
  CHECK(!cache.find(key));
  fs::remove(entry);
  REQUIRE(::mkfifo(entry.c_str(), 0600) == 0);
  CHECK(!cache.find(key));
  if (::geteuid() == 0) {
    fs::remove(entry);
    fs::copy_file(other, entry);
    REQUIRE(::chown(entry.c_str(), kNobody, kNobody) == 0);
    CHECK(!cache.find(key));
  }
  cache.store(key, kernel_of(key));
  CHECK(holds(cache, key));
}

TEST_CASE("without a folder nothing is stored, not even in the working directory") {
  const std::string key = hash_text("a");
  const CubinCache cache(CacheFolder{{}, "no folder is set"});
  cache.store(key, kernel_of(key));
  CHECK(!cache.find(key));
  CHECK(!fs::exists(key + ".kernel"));
}

TEST_CASE("a folder in the place of an entry is harmless") {
  const TemporaryFolder folder;
  const std::string key = hash_text("a");
  fs::create_directory(entry_path(folder, key));
  const CubinCache cache(folder.path());
  CHECK(!cache.find(key));
  cache.store(key, kernel_of(key));
  CHECK(!cache.find(key));
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a read-only folder still serves entries of root or its owner") {
  const TemporaryFolder folder("/tmp");
  const std::string key = hash_text("a");
  const CubinCache cache(folder.path());
  cache.store(key, kernel_of(key));
  fs::permissions(entry_path(folder, key), fs::perms(0444));
  fs::permissions(folder.path(), fs::perms(0555));
  CHECK(holds_apart([&] {
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) return false;
    const CubinCache read_only(folder.path());
    const std::string other = hash_text("b");
    read_only.store(other, kernel_of(other));
    return holds(read_only, key) && !read_only.find(other);
  }));
  fs::permissions(folder.path(), fs::perms(0755));
}

TEST_CASE("a disk that fills up during a write keeps the old entry and no partial one") {
  const TemporaryFolder folder;
  const std::string key = hash_text("a");
  const CubinCache cache(folder.path());
  cache.store(key, kernel_of(key));
  CHECK(holds_apart([&] {
    constexpr rlim_t kMaxFileBytes = 5000;
    const rlimit limit{kMaxFileBytes, kMaxFileBytes};
    std::signal(SIGXFSZ, SIG_IGN);  // as on a full disk, the write fails
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    cache.store(key, kernel_of(key, 100'000));
    return holds(cache, key);
  }));
  CHECK(holds(cache, key));
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

void set_used(const fs::path& path, std::chrono::minutes ago) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - ago);
}

TEST_CASE("the least recently used entries are removed until the rest is within the bound") {
  const TemporaryFolder folder;
  const CubinCache cache(folder.path());
  const std::vector<std::string> keys{hash_text("a"), hash_text("b"), hash_text("c"),
                                      hash_text("d")};
  for (size_t i = 0; i < keys.size(); ++i) {
    cache.store(keys[i], kernel_of(keys[i]));
    set_used(entry_path(folder, keys[i]), std::chrono::minutes(100 - i));
  }
  const CacheUsage all = cache.usage();
  CHECK(all.files == 4);
  cache.trim(all.bytes);
  CHECK(cache.usage().files == 4);
  CHECK(holds(cache, keys[0]));  // marks it as used
  cache.trim(all.bytes - 1);
  CHECK(!cache.find(keys[1]));
  CHECK(cache.usage().files == 3);
  cache.trim(all.bytes / 2);
  CHECK(holds(cache, keys[0]));
  CHECK(!cache.find(keys[2]));
  CHECK(holds(cache, keys[3]));
  cache.trim(0);
  CHECK(cache.usage().files == 0);
}

TEST_CASE("trimming removes files of killed writers and earlier versions, and no others") {
  const TemporaryFolder folder;
  const CubinCache cache(folder.path());
  const std::string key = hash_text("a");
  const auto write = [&](const std::string& name) {
    std::ofstream(folder.path() / name) << "bytes";
    return folder.path() / name;
  };
  set_used(write(key + ".aB3dEf.part"), std::chrono::minutes(60));
  write(key + ".Zyx9wv.part");  // being written
  write(key + ".cubin");
  write(key + ".log");
  const std::vector<std::string> foreign{"notes.log",  "a.kernel",  key + "0.kernel",
                                         key + ".txt", "mine.part", key + "x.part"};
  for (const std::string& name : foreign) set_used(write(name), std::chrono::minutes(60));
  fs::create_directory(entry_path(folder, key));
  cache.trim();
  CHECK(!fs::exists(folder.path() / (key + ".aB3dEf.part")));
  CHECK(fs::exists(folder.path() / (key + ".cubin")));
  cache.trim(0);
  CHECK(cache.usage().files == 1);
  CHECK(fs::exists(folder.path() / (key + ".Zyx9wv.part")));
  CHECK(fs::is_directory(entry_path(folder, key)));
  for (const std::string& name : foreign) CHECK_MESSAGE(fs::exists(folder.path() / name), name);
}

// Stores, finds and trims at random; false if it ever finds a wrong entry.
bool use_at_random(const CubinCache& cache, unsigned seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < 400; ++i) {
    const unsigned which = random() % 8;
    const std::string key = hash_text(std::to_string(which));
    const size_t bytes = 1000 + 20'000 * which;
    const std::optional<CompiledKernel> found = cache.find(key);
    if (found && !is_kernel(*found, kernel_of(key, bytes))) return false;
    cache.store(key, kernel_of(key, bytes));
    if (i % 10 == 0) cache.trim(300'000);
  }
  return true;
}

TEST_CASE("processes that share a folder find only whole kernels, even if some are killed") {
  const TemporaryFolder folder;
  const CubinCache cache(folder.path());
  std::vector<pid_t> children;
  for (unsigned seed = 0; seed < 8; ++seed) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(use_at_random(cache, seed) ? 0 : 1);
    children.push_back(child);
  }
  for (size_t i = 0; i < children.size(); ++i) {
    const bool is_killed = i % 2 == 1;
    if (is_killed) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ::kill(children[i], SIGKILL);
    }
    int status = 0;
    ::waitpid(children[i], &status, 0);
    CHECK((is_killed || status == 0));
  }
  for (const auto& file : fs::directory_iterator(folder.path())) {
    if (file.path().extension() == ".part") set_used(file.path(), std::chrono::minutes(60));
  }
  CHECK(use_at_random(cache, 8));
  cache.trim(300'000);
  CHECK(cache.usage().bytes <= 300'000);
  for (const auto& file : fs::directory_iterator(folder.path())) {
    CHECK(file.path().extension() == ".kernel");
  }
}

}  // namespace
}  // namespace tilewright
