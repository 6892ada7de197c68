#include "model/partitioned_l2.hpp"

#include <doctest/doctest.h>

#include "support/devices.hpp"

namespace tilewright {
namespace {

constexpr int kClasses = 38;
constexpr int64_t kSlab = 100'000;

DeviceSpec device_of(int64_t bytes, int partitions) {
  DeviceSpec d = testing::h200();
  d.l2_effective_bytes = bytes;
  d.l2.partitions = partitions;
  return d;
}

// Bytes from DRAM when `slabs` slabs are read repeatedly, by one side or alternately by both.
double missed_of_last_sweep(const DeviceSpec& d, uint32_t slabs, bool both) {
  PartitionedL2 cache(d, slabs, kClasses);
  double missed = 0;
  for (int sweep = 0; sweep < 4; ++sweep) {
    missed = 0;
    for (uint32_t slab = 0; slab < slabs; ++slab) {
      missed += cache.read(0, slab, kSlab);
      if (both) missed += cache.read(d.l2.partitions - 1, slab, kSlab);
    }
  }
  return missed;
}

TEST_CASE("a first read comes from DRAM once for both partitions") {
  for (const int partitions : {1, 2}) {
    PartitionedL2 cache(device_of(10'000'000, partitions), 4, kClasses);
    CHECK(cache.read(0, 2, kSlab) == kSlab);
    CHECK(cache.read(0, 2, kSlab) == 0);
    CHECK(cache.read(partitions - 1, 2, kSlab) == 0);
  }
}

TEST_CASE("data that both partitions read takes twice its size") {
  const DeviceSpec two = device_of(10'000'000, 2);
  const DeviceSpec one = device_of(10'000'000, 1);
  // 4 MB of 10 are kept in both cases. 7 MB are kept only if none is stored twice, or half of it.
  CHECK(missed_of_last_sweep(two, 23, true) < 0.05 * 23 * kSlab);
  CHECK(missed_of_last_sweep(one, 70, false) < 0.1 * 70 * kSlab);
  CHECK(missed_of_last_sweep(two, 70, true) > 0.9 * 70 * kSlab);
  CHECK(missed_of_last_sweep(two, 52, false) < missed_of_last_sweep(two, 52, true));
}

TEST_CASE("sweeps larger than the cache miss everything; a smaller cache never misses less") {
  for (const int partitions : {1, 2}) {
    double before = 0;
    for (const int64_t bytes : {20'000'000, 9'000'000, 7'000'000, 5'000'000, 2'000'000}) {
      const double missed = missed_of_last_sweep(device_of(bytes, partitions), 60, true);
      CHECK(missed >= before);
      before = missed;
    }
    CHECK(before == 60 * kSlab);
  }
}

TEST_CASE("a touched slab hits from both partitions, and no other slab does") {
  for (const int partitions : {1, 2}) {
    PartitionedL2 cache(device_of(10'000'000, partitions), 4, kClasses);
    CHECK(cache.touch(1, kSlab) == doctest::Approx(kSlab));
    CHECK(cache.pass(partitions - 1, 1, kSlab) == 0);
    CHECK(cache.read(0, 1, kSlab) == 0);
    CHECK(cache.read(partitions - 1, 1, kSlab) == 0);
    CHECK(cache.read(0, 0, kSlab) == doctest::Approx(kSlab));
    CHECK(cache.read(0, 2, kSlab) == doctest::Approx(kSlab));
  }
}

TEST_CASE("sums that pass through a partition take more room than sums at home") {
  // Bytes that are lost of operands read before.
  const auto lost_to = [](bool passes) {
    PartitionedL2 cache(device_of(10'000'000, 2), 200, kClasses);
    constexpr uint32_t kOperands = 40;
    for (uint32_t slab = 0; slab < kOperands; ++slab) cache.read(0, slab, kSlab);
    for (uint32_t slab = kOperands; slab < 100; ++slab) {
      passes ? cache.pass(0, slab, kSlab) : cache.touch(slab, kSlab);
    }
    double lost = 0;
    for (uint32_t slab = 0; slab < kOperands; ++slab) lost += cache.read(0, slab, kSlab);
    return lost;
  };
  CHECK(lost_to(true) > lost_to(false));
}

TEST_CASE("output evicts operands") {
  PartitionedL2 cache(device_of(10'000'000, 2), 1, kClasses);
  cache.read(0, 0, kSlab);
  for (int i = 0; i < 10; ++i) cache.write(0, kSlab);
  CHECK(cache.read(0, 0, kSlab) == 0);
  for (int i = 0; i < 200; ++i) cache.write(1, kSlab);
  CHECK(cache.read(0, 0, kSlab) == doctest::Approx(kSlab));
}

}  // namespace
}  // namespace tilewright
