// Compares the wavefront rule with the hardware's counters.
#include "gpu/measure/access_probe.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/compile/cubin_cache.hpp"
#include "gpu/launch/check.hpp"
#include "support/access_patterns.hpp"
#include "support/devices.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {
namespace {

using testing::kPatternFamilies;

std::vector<ProbedWavefronts> probe(const std::vector<WarpAccess>& accesses) {
  TW_CHECK(cudaSetDevice(0));
  TW_CHECK(cudaFree(nullptr));
  return probe_accesses(0, architecture(testing::h200()), CubinCache(open_cache_folder()),
                        accesses);
}

std::string address_text(const WarpAccess& access) {
  std::vector<std::string> addresses;
  for (const int64_t address : access.addresses) addresses.push_back(format("{}", address));
  return join(addresses, ",");
}

// Prints one line per operation: mismatches by family, and the first few of them in full.
class Tally {
 public:
  void add(size_t family, const WarpAccess& access, const ProbedWavefronts& probed) {
    ++patterns_;
    const double measured = wavefronts_of(probed, access.op);
    const int64_t predicted = wavefront_count(access).wavefronts;
    total_ += predicted;
    if (measured != static_cast<double>(predicted)) {
      ++mismatches_;
      ++by_family_[family];
      if (examples_.size() < kExamples) {
        examples_.push_back(format("{} {} predicted {} measured {} (ld {} st {} all {}): {}",
                                   to_string(access.op), kPatternFamilies[family], predicted,
                                   measured, probed.loads, probed.stores, probed.all,
                                   address_text(access)));
      }
    }
    if (probed.all != measured) ++others_;
  }

  int mismatches() const { return mismatches_; }

  void print(const std::string& op) const {
    std::printf("%-18s %5d %6lld %5d %5d ", op.c_str(), patterns_, static_cast<long long>(total_),
                mismatches_, others_);
    for (const int count : by_family_) std::printf(" %4d", count);
    std::printf("\n");
    for (const std::string& example : examples_) std::printf("    %s\n", example.c_str());
  }

 private:
  static constexpr size_t kExamples = 3;

  int patterns_ = 0;
  int64_t total_ = 0;
  int mismatches_ = 0;
  int others_ = 0;
  std::array<int, kPatternFamilies.size()> by_family_{};
  std::vector<std::string> examples_;
};

// True, with a message, if this machine does not permit counters.
bool counters_missing() {
  try {
    probe({{.op = parse_access_op("ld.b32"), .addresses = {}}});
    return false;
  } catch (const Error& error) {
    MESSAGE("no counters here: ", error.what());
    return true;
  }
}

TEST_CASE("predicted wavefronts equal the measured ones, for every operation and pattern") {
  constexpr int kRounds = 16;  // of all families and operations: 2,816 patterns
  if (counters_missing()) return;
  std::printf("%-18s %5s %6s %5s %5s  mismatches by family:", "op", "runs", "waves", "wrong",
              "other");
  for (const char* const family : kPatternFamilies) std::printf(" %s;", family);
  std::printf("\n");
  int mismatches = 0;
  uint64_t seed = 1;
  for (const AccessOp& op : testing::all_access_ops()) {
    testing::PatternMaker maker(op, seed++);
    std::vector<WarpAccess> accesses;
    for (int i = 0; i < kRounds; ++i) {
      for (size_t f = 0; f < kPatternFamilies.size(); ++f) accesses.push_back(maker.make(f));
    }
    const std::vector<ProbedWavefronts> probed = probe(accesses);
    REQUIRE(probed.size() == accesses.size());
    Tally tally;
    for (size_t i = 0; i < accesses.size(); ++i) {
      tally.add(i % kPatternFamilies.size(), accesses[i], probed[i]);
    }
    tally.print(to_string(op));
    mismatches += tally.mismatches();
  }
  CHECK(mismatches == 0);
}

// ldmatrix.x4.trans on f16 tiles with rows of 64 elements along M: a warp reads two 8x8 blocks
// along K and two along M. Sw<3,3,4> against Sw<3,3,3>, in elements.
TEST_CASE("golden: measured wavefronts of ldmatrix.x4.trans with a shift of 4") {
  if (counters_missing()) return;
  std::vector<WarpAccess> accesses;
  for (const int64_t row : {64, 128}) {
    for (const int shift : {3, 4}) {
      WarpAccess access{.op = parse_access_op("ldmatrix.x4.trans"), .addresses = {}};
      for (int64_t lane = 0; lane < kWarpLanes; ++lane) {
        const int64_t k = lane % 8 + lane / 16 * 8;
        const int64_t m = lane / 8 % 2 * 8;
        const int64_t plain = k * row + m;
        const int64_t mask = int64_t{7} << (3 + shift);
        access.addresses[static_cast<size_t>(lane)] = 2 * (plain ^ ((plain & mask) >> shift));
      }
      accesses.push_back(access);
    }
  }
  const std::vector<ProbedWavefronts> probed = probe(accesses);
  for (size_t i = 0; i < accesses.size(); ++i) {
    std::printf("ldmatrix.x4.trans f16, rows of %d, Sw<3,3,%d>: predicted %lld, measured %.0f\n",
                i < 2 ? 64 : 128, i % 2 == 0 ? 3 : 4,
                static_cast<long long>(wavefront_count(accesses[i]).wavefronts), probed[i].loads);
    CHECK(probed[i].loads == static_cast<double>(wavefront_count(accesses[i]).wavefronts));
  }
}

TEST_CASE("addresses beyond shared memory are refused before anything runs") {
  WarpAccess access{.op = parse_access_op("ld.b32"), .addresses = {}};
  access.addresses[7] = int64_t{1} << 30;
  CHECK_THROWS_WITH_AS(probe({access}), doctest::Contains("lane 7"), Error);
}

}  // namespace
}  // namespace tilewright
