// The folder of compiled kernels: whose files are believed, and what happens where none can be
// written.
#include "gpu/cubin_cache.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "base/files.hpp"
#include "base/text.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

constexpr uid_t kNobody = 65534;

// A made-up kernel of about `bytes` bytes that tells itself from others.
CompiledKernel kernel_of(const std::string& key, size_t bytes = 1000) {
  CompiledKernel kernel{.cubin = "", .log = "ptxas info    : Used 8 registers " + key};
  while (kernel.cubin.size() < bytes) kernel.cubin += key;
  return kernel;
}

bool holds(const CubinCache& cache, const std::string& key, size_t bytes = 1000) {
  const std::optional<CompiledKernel> found = cache.find(key);
  const CompiledKernel kernel = kernel_of(key, bytes);
  return found && found->cubin == kernel.cubin && found->log == kernel.log;
}

fs::path entry_path(const TemporaryFolder& folder, const std::string& key) {
  return folder.path() / (key + ".kernel");
}

// What `check` says in a process of its own.
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

TEST_CASE("an entry that others could have written is compiled again") {
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

TEST_CASE("where there is no folder nothing is kept, here least of all") {
  const std::string key = hash_text("a");
  const CubinCache cache(CacheFolder{{}, "nobody named one"});
  cache.store(key, kernel_of(key));
  CHECK(!cache.find(key));
  CHECK(!fs::exists(key + ".kernel"));
}

TEST_CASE("a folder in the place of an entry costs nothing but time") {
  const TemporaryFolder folder;
  const std::string key = hash_text("a");
  fs::create_directory(entry_path(folder, key));
  const CubinCache cache(folder.path());
  CHECK(!cache.find(key));
  cache.store(key, kernel_of(key));
  CHECK(!cache.find(key));
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a folder that can only be read still serves what root or its owner put there") {
  const TemporaryFolder folder;
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

TEST_CASE("a disk that fills up while an entry is written keeps the one before and no half") {
  const TemporaryFolder folder;
  const std::string key = hash_text("a");
  const CubinCache cache(folder.path());
  cache.store(key, kernel_of(key));
  CHECK(holds_apart([&] {
    constexpr rlim_t kMostFileBytes = 5000;
    const rlimit limit{kMostFileBytes, kMostFileBytes};
    std::signal(SIGXFSZ, SIG_IGN);  // as on a full disk, the write fails
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    cache.store(key, kernel_of(key, 100'000));
    return holds(cache, key);
  }));
  CHECK(holds(cache, key));
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

}  // namespace
}  // namespace tilewright
