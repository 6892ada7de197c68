// Counters against kernels that move a known number of bytes: a read, a fill, a copy, and all three
// as one launch, from one megabyte to hundreds.
#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "gpu/measure/launch_metrics.hpp"
#include "gpu/measure/range_profiler.hpp"
#include "stats/sample.hpp"
#include "support/devices.hpp"
#include "support/gpu_bench.hpp"

namespace tilewright {
namespace {

// Prints the reason if there are none.
bool has_counters(const LaunchReadings& readings) {
  if (!readings.why_not.empty()) MESSAGE("no counters here: ", readings.why_not);
  return readings.why_not.empty();
}

struct Known {
  std::string name;
  double read_bytes = 0;
  double write_bytes = 0;
  std::function<void()> launch;
};

// Within one percent; for a few bytes or none, within one percent of all bytes that the launch
// moves, because the device reads and writes some kilobytes of its own meanwhile.
bool is_within_one_percent(double counted, double known, double moved) {
  constexpr double kLittle = 4e6;
  return std::abs(counted - known) <= 0.01 * (known < kLittle ? moved : known);
}

class KnownBytes {
 public:
  KnownBytes() {
    unsigned seed = 1;
    for (const DeviceBuffer& buffer : buffers_) kernels_.fill(buffer.get(), kMax, ++seed);
  }

  void add(size_t bytes) {
    const auto whole = static_cast<double>(bytes);
    const auto read = [this, bytes] { kernels_.read(buffers_[0].get(), bytes); };
    const auto fill = [this, bytes] { kernels_.fill(buffers_[1].get(), bytes, ++seed_); };
    const auto copy = [this, bytes] { kernels_.copy(buffers_[2].get(), buffers_[3].get(), bytes); };
    known_.push_back({"read", whole, 0, read});
    known_.push_back({"fill", 0, whole, fill});
    known_.push_back({"copy", whole, whole, copy});
    known_.push_back({"all three", 2 * whole, 2 * whole, [=] {
                        read();
                        fill();
                        copy();
                      }});
  }

  // Counts all of them; false, with a message, if there are no counters.
  bool count() {
    const LaunchReadings readings = read_launches(counter_metrics(), 0, sweep_, known_.size(),
                                                  [this](size_t i) { known_[i].launch(); });
    if (!has_counters(readings)) return false;
    for (const LaunchReading& reading : readings.launches) {
      counters_.push_back(counters_of(reading.launch, reading.swept, readings.passes));
    }
    return true;
  }

  const std::vector<Known>& known() const { return known_; }
  const std::vector<Counters>& counters() const { return counters_; }

 private:
  static constexpr size_t kMax = 400'000'000;
  SweepKernels kernels_{architecture(testing::h200()), testing::test_cache()};
  L2Sweep sweep_{testing::h200(), testing::test_cache()};
  std::array<DeviceBuffer, 4> buffers_{DeviceBuffer(kMax), DeviceBuffer(kMax), DeviceBuffer(kMax),
                                       DeviceBuffer(kMax)};
  std::vector<Known> known_;
  std::vector<Counters> counters_;
  unsigned seed_ = 0;
};

TEST_CASE("DRAM reads and writes of known kernels are counted within one percent") {
  KnownBytes bytes;
  // Three times each, and the median counts: in one of 24 launches, 0.2 MB of writes came from
  // elsewhere.
  constexpr size_t kTimes = 3;
  for (size_t time = 0; time < kTimes; ++time) {
    for (const size_t size :
         {1'600'000, 4'000'000, 16'000'000, 60'000'000, 128'000'000, 400'000'000}) {
      bytes.add(size);
    }
  }
  if (!bytes.count()) return;
  const size_t kinds = bytes.known().size() / kTimes;
  for (size_t i = 0; i < kinds; ++i) {
    const Known& known = bytes.known()[i];
    std::vector<double> reads;
    std::vector<double> writes;
    for (size_t time = 0; time < kTimes; ++time) {
      const Counters& counted = bytes.counters()[time * kinds + i];
      reads.push_back(counted.dram_read_bytes);
      writes.push_back(counted.dram_write_bytes);
      CHECK(counted.l2_hit_pct < 2);  // every line is read once
      CHECK(counted.passes == 1);
    }
    MESSAGE(known.name, ": reads ", median(reads), " of ", known.read_bytes, ", writes ",
            median(writes), " of ", known.write_bytes);
    const double moved = known.read_bytes + known.write_bytes;
    CHECK(is_within_one_percent(median(reads), known.read_bytes, moved));
    CHECK(is_within_one_percent(median(writes), known.write_bytes, moved));
  }
}

// Kernels that copy and read a fraction of L2.
constexpr size_t kBytes = 8'000'000;
struct SmallCopy {
  SmallCopy() { kernels.fill(from.get(), kBytes, 5); }
  void copy() const { kernels.copy(from.get(), to.get(), kBytes); }
  void read(const DeviceBuffer& buffer) const { kernels.read(buffer.get(), kBytes); }

  SweepKernels kernels{architecture(testing::h200()), testing::test_cache()};
  L2Sweep sweep{testing::h200(), testing::test_cache()};
  DeviceBuffer from{kBytes};
  DeviceBuffer to{kBytes};
};

TEST_CASE("a second read of a launch is an L2 hit, also by another of its kernels") {
  const SmallCopy small;
  const LaunchReadings readings =
      read_launches(counter_metrics(), 0, small.sweep, 2, [&](size_t i) {
        small.copy();
        for (size_t again = 0; again < i; ++again) small.read(small.to);
        small.read(small.from);
      });
  if (!has_counters(readings)) return;
  const Counters once = counters_of(readings.launches[0].launch, readings.launches[0].swept, 1);
  const Counters twice = counters_of(readings.launches[1].launch, readings.launches[1].swept, 1);
  CHECK(is_within_one_percent(once.dram_read_bytes, kBytes, kBytes));
  CHECK(is_within_one_percent(twice.dram_read_bytes, kBytes, kBytes));
  CHECK(is_within_one_percent(twice.dram_write_bytes, kBytes, kBytes));
  CHECK(once.l2_hit_pct == doctest::Approx(50).epsilon(0.02));
  CHECK(twice.l2_hit_pct == doctest::Approx(100.0 * 2 / 3).epsilon(0.02));
}

TEST_CASE("a repeated launch finds its bytes in L2 and reads no DRAM") {
  const SmallCopy small;
  const auto copy = [&](size_t) { small.copy(); };
  const LaunchReadings readings = read_launches(counter_metrics(), 0, small.sweep, 2, copy, copy);
  if (!has_counters(readings)) return;
  for (const LaunchReading& reading : readings.launches) {
    const Counters hot = counters_of(reading.launch, reading.swept, 1);
    CHECK(hot.dram_read_bytes < 0.01 * kBytes);
    CHECK(is_within_one_percent(hot.dram_write_bytes, kBytes, kBytes));
    CHECK(hot.l2_hit_pct > 98);
  }
}

}  // namespace
}  // namespace tilewright
