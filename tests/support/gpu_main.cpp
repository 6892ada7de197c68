// The main of the tests that run kernels. Without a usable GPU it prints the reason and skips all
// tests.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "gpu/backend.hpp"
#include "support/trial_count.hpp"

namespace {

constexpr int kSkipped = 77;  // ctest's SKIP_RETURN_CODE

std::string why_no_gpu() {
  const tilewright::BackendOrReason loaded = tilewright::load_backend();
  if (!loaded.backend) return loaded.why_not;
  return loaded.backend->device_count() > 0 ? "" : loaded.backend->why_no_device();
}

}  // namespace

namespace tilewright::testing {

// Defined in gpu/cuda_runner_worker_test.cpp, which starts this program with "faulty-worker".
void serve_faulty_worker();

}  // namespace tilewright::testing

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "faulty-worker") {
    tilewright::testing::serve_faulty_worker();
    return 0;
  }
  const std::string reason = why_no_gpu();
  if (!reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return kSkipped;
  }
  tilewright::testing::read_trial_options(argc, argv);
  return doctest::Context(argc, argv).run();
}
