// The diagnosis of a host, with and without a driver.
#include "gpu/measure/diagnosis.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "base/text.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

TEST_CASE("the reason names a missing driver, else it is the runtime's message") {
  const std::string words = "CUDA driver version is insufficient for CUDA runtime version";
  CHECK(no_device_reason(0, words) == "no NVIDIA driver");
  CHECK(no_device_reason(12040, words) == words);
}

// The finding on the cache.
Finding cache_finding(const CubinCache& cache) {
  for (const Finding& finding : diagnose_libraries(cache)) {
    if (finding.subject == "cubin cache") return finding;
  }
  return {};
}

TEST_CASE("the cache is reported with its folder, its size and its bound") {
  const testing::TemporaryFolder folder;
  const CubinCache cache(folder.path());
  cache.store(hash_text("a"), {.cubin = std::string(3 << 20, 'x'), .log = ""});
  CHECK(cache_finding(cache) == Finding{"cubin cache", Health::Ok,
                                        folder.path().string() + ", 1 file, 3.0 of at most 512 MiB",
                                        ""});
}

TEST_CASE("a missing or read-only folder is reported as a problem with a remedy") {
  const Finding none = cache_finding(CubinCache(CacheFolder{{}, "set TILEWRIGHT_CACHE_DIR"}));
  CHECK(none.health == Health::Problem);
  CHECK(none.advice == "set TILEWRIGHT_CACHE_DIR");
  const Finding unusable = cache_finding(CubinCache(std::filesystem::path("/dev/null/none")));
  CHECK(unusable.health == Health::Problem);
  CHECK(unusable.detail == "/dev/null/none cannot be written");
}

}  // namespace
}  // namespace tilewright
