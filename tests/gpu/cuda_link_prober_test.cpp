#include "gpu/measure/cuda_link_prober.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/text.hpp"
#include "gate/calibrate_links.hpp"
#include "gpu/backend.hpp"

namespace tilewright {
namespace {

// The first two GPUs; none, and the reason is printed, where they have no probes.
std::vector<int> two_gpus(const Backend& backend) {
  std::string why;
  if (backend.device_count() < 2) {
    why = "there is one GPU";
  } else if (backend.device(0).compute_major != 9 || backend.device(1).compute_major != 9) {
    why = "the probes need compute capability 9.0";
  } else if (!backend.has_peer_access(0, 1) || !backend.has_peer_access(1, 0)) {
    why = "cuda:0 and cuda:1 have no peer access";
  }
  if (why.empty()) return {0, 1};
  MESSAGE("skipped: ", why);
  return {};
}

TEST_CASE("the links of two GPUs have rates, a flag takes microseconds, and sums are exact") {
  const BackendOrReason loaded = load_backend();
  const std::vector<int> gpus = two_gpus(*loaded.backend);
  if (gpus.empty()) return;
  const DeviceSpec spec = loaded.backend->device(0);
  ProgressListener silent;
  const auto prober = loaded.backend->open_link_prober(gpus, spec);
  const LinkCalibration c = calibrate_links(*prober, spec, gpus, silent);
  const LinkRates& links = c.device.links;
  // PCIe has at least a gigabyte per second, and no link has a terabyte.
  for (const double rate : {links.store_bytes_per_us, links.add_bytes_per_us,
                            links.load_bytes_per_us, links.copy_bytes_per_us}) {
    CHECK(rate > 1e3);
    CHECK(rate < 1e6);
  }
  CHECK(links.cta_store_bytes_per_us > 0);
  CHECK(links.cta_store_bytes_per_us <= links.store_bytes_per_us * 1.1);
  CHECK(links.copy_us > 0);
  CHECK(links.flag_us > 0.1);
  CHECK(links.flag_us < 100);
  CHECK(c.pairs.front().adds.added_count > 0);
  CHECK(c.pairs.front().adds.lost_count == 0);
}

TEST_CASE("a second prober of the same GPUs finds their access enabled") {
  const BackendOrReason loaded = load_backend();
  const std::vector<int> gpus = two_gpus(*loaded.backend);
  if (gpus.empty()) return;
  for (int i = 0; i < 2; ++i) {
    const auto prober = loaded.backend->open_link_prober(gpus, loaded.backend->device(0));
    CHECK(prober->flag_us({1, 0}) < 100);
    CHECK(prober->add_at_once({0, 1}).lost_count == 0);
  }
}

}  // namespace
}  // namespace tilewright
