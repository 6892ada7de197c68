// The main of the tests that run kernels: without a usable GPU it says why and skips them all.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "gpu/backend.hpp"

namespace {

constexpr int kSkipped = 77;  // ctest's SKIP_RETURN_CODE

std::string why_no_gpu() {
  const tilewright::BackendOrReason loaded = tilewright::load_backend();
  if (!loaded.backend) return loaded.why_not;
  return loaded.backend->device_count() > 0 ? "" : loaded.backend->why_no_device();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string reason = why_no_gpu();
  if (!reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return kSkipped;
  }
  return doctest::Context(argc, argv).run();
}
