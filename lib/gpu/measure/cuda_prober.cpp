#include "gpu/measure/cuda_prober.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/compile/parallel_compiler.hpp"
#include "gpu/contenders/memory.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "gpu/measure/activity_timer.hpp"
#include "stats/sample.hpp"

namespace tilewright {
namespace {

constexpr int kRuns = 7;
constexpr int kVectorBytes = 16;
constexpr int kLineBytes = 128;
constexpr int kCopiedByCta = 256 * 4;  // vectors
constexpr int kChunkBytes = 8192;
constexpr int kReadSmemBytes = 131072;
constexpr int kIssueSmemBytes = 196608;

std::vector<double> durations_us(ActivityTimer& timer) {
  std::vector<double> us;
  for (const KernelActivity& kernel : timer.take()) {
    us.push_back(static_cast<double>(kernel.end_ns - kernel.start_ns) * 1e-3);
  }
  if (us.empty()) throw environment_error("CUPTI records no kernels; calibration needs them");
  return us;
}

class CudaProber : public DeviceProber {
 public:
  CudaProber(const DeviceSpec& spec, const std::string& cubin)
      : spec_(spec),
        empty_(cubin, "empty"),
        first_load_(cubin, "first_load"),
        copy_(cubin, "copy_vectors"),
        read_(cubin, "read_chunks"),
        time_lines_(cubin, "time_lines"),
        chase_(cubin, "chase"),
        issue_(cubin, "issue_wgmma") {
    issue_.allow_smem(kIssueSmemBytes);
    read_.allow_smem(kReadSmemBytes);
  }

  double copy_bytes_per_s(int64_t bytes) override {
    const DeviceBuffer from(static_cast<size_t>(bytes));
    const DeviceBuffer to(static_cast<size_t>(bytes));
    timer_.take();
    for (int run = 0; run < kRuns; ++run) copy(from, to);
    return 2 * static_cast<double>(bytes) / median(durations_us(timer_)) * 1e6;
  }

  ReadRate read(int64_t working_set_bytes, int sharing) override {
    constexpr int64_t kMinTraffic = int64_t{6} << 30;
    const DeviceBuffer from(static_cast<size_t>(working_set_bytes));
    const void* data = from.get();
    auto chunks = static_cast<int>(working_set_bytes / kChunkBytes);
    auto repeats =
        static_cast<int>(std::max<int64_t>(1, kMinTraffic / working_set_bytes / sharing));
    auto* clocks = times_.as<long long>();
    void* arguments[] = {&data, &chunks, &repeats, &sharing, &clocks};
    std::vector<double> bytes_per_s;
    std::vector<double> clock_hz;
    timer_.take();
    for (int run = 0; run < kRuns; ++run) {
      read_.launch({.ctas = spec_.sm_count, .threads = 32, .smem_bytes = kReadSmemBytes}, arguments,
                   nullptr);
      const double seconds = durations_us(timer_).back() * 1e-6;
      long long elapsed = 0;
      copy_to_host(&elapsed, clocks, sizeof(elapsed));
      bytes_per_s.push_back(static_cast<double>(working_set_bytes) * repeats * sharing / seconds);
      clock_hz.push_back(static_cast<double>(elapsed) / seconds);
    }
    return {median(bytes_per_s), median(clock_hz)};
  }

  std::vector<double> line_clocks(int count) override {
    constexpr double kLoads = 8;
    const DeviceBuffer lines(static_cast<size_t>(count) * kLineBytes);
    const DeviceBuffer results(static_cast<size_t>(count) * sizeof(unsigned));
    const void* data = lines.get();
    unsigned zero = 0;
    unsigned* clocks = results.as<unsigned>();
    void* arguments[] = {&data, &count, &zero, &clocks};
    for (int run = 0; run < 2; ++run) time_lines_.launch({}, arguments, nullptr);
    std::vector<unsigned> raw(static_cast<size_t>(count));
    copy_to_host(raw.data(), clocks, raw.size() * sizeof(unsigned));
    std::vector<double> each;
    each.reserve(raw.size());
    for (const unsigned value : raw) each.push_back(value / kLoads);
    return each;
  }

  LoadLatency chase(int bits) override {
    constexpr int kMaxSteps = 1 << 16;
    const DeviceBuffer lines((size_t{1} << bits) * kLineBytes);
    const void* data = lines.get();
    int steps = std::min(kMaxSteps, 1 << bits);
    unsigned zero = 0;
    auto* times = times_.as<unsigned long long>();
    unsigned first = 1;
    void* arguments[] = {&data, &bits, &steps, &first, &zero, &times};
    std::vector<double> clocks;
    std::vector<double> ns;
    // The first run loads into L2 a buffer that fits. In a larger one every run visits other lines.
    for (int run = 0; run < 4; ++run) {
      first = 1 + 0x9E3779B9U * static_cast<unsigned>(run);
      chase_.launch({}, arguments, nullptr);
      std::array<unsigned long long, 2> t{};
      copy_to_host(t.data(), times, sizeof(t));
      if (run == 0) continue;
      clocks.push_back(static_cast<double>(t[0]) / steps);
      ns.push_back(static_cast<double>(t[1]) / steps);
    }
    return {median(clocks), median(ns)};
  }

  IssueRate issue_tensor() override {
    constexpr int kLaunches = 40;  // long enough for the power limit to pull the clock down
    constexpr int kLast = 8;
    constexpr int kRounds = 5000;  // about 14 ms
    constexpr double kFlopsARound = 2.0 * 2 * 64 * 256 * 256;
    int rounds = kRounds;
    float* sink = sink_.as<float>();
    auto* times = times_.as<unsigned long long>();
    void* arguments[] = {&rounds, &times, &sink};
    std::vector<double> rate;
    std::vector<double> clock;
    for (int launch = 0; launch < kLaunches; ++launch) {
      issue_.launch({.ctas = spec_.sm_count, .threads = 256, .smem_bytes = kIssueSmemBytes},
                    arguments, nullptr);
      if (launch < kLaunches - kLast) continue;
      std::vector<unsigned long long> t(2 * static_cast<size_t>(spec_.sm_count));
      copy_to_host(t.data(), times, t.size() * sizeof(t[0]));
      std::vector<double> clocks;
      std::vector<double> ns;
      for (size_t cta = 0; cta < t.size(); cta += 2) {
        clocks.push_back(static_cast<double>(t[cta]));
        ns.push_back(static_cast<double>(t[cta + 1]));
      }
      rate.push_back(kFlopsARound * kRounds / median(clocks));
      clock.push_back(median(clocks) / median(ns) * 1e9);
    }
    return {median(rate), median(clock)};
  }

  LaunchTimes launch() override {
    constexpr int kThreads = 384;  // as the products' kernels
    constexpr int kLaunches = 50;
    const LaunchShape alone{.ctas = spec_.sm_count, .threads = kThreads};
    const LaunchShape pairs{.ctas = spec_.sm_count / 2 * 2, .threads = kThreads, .cluster_size = 2};
    const auto timed = [&](const LaunchShape& shape) {
      timer_.take();
      for (int i = 0; i < kLaunches; ++i) empty_.launch(shape, nullptr, nullptr);
      return median(durations_us(timer_));
    };
    timed(alone);  // raises the clocks
    LaunchTimes times;
    times.empty_us = timed(alone);
    times.cluster_us = timed(pairs);
    times.first_load_us = cold_load_us(alone);
    return times;
  }

 private:
  void copy(const DeviceBuffer& from, const DeviceBuffer& to) {
    const void* source = from.get();
    void* target = to.get();
    auto count = static_cast<long long>(from.bytes() / kVectorBytes);
    void* arguments[] = {&source, &target, &count};
    const auto ctas = static_cast<int>((count + kCopiedByCta - 1) / kCopiedByCta);
    copy_.launch({.ctas = ctas, .threads = 256}, arguments, nullptr);
  }

  // Between two launches, a copy three times as large as L2 evicts the words.
  double cold_load_us(const LaunchShape& shape) {
    constexpr int kLaunches = 20;
    constexpr long long kStrideWords = 1 << 14;
    const auto flush_bytes = static_cast<size_t>(3 * spec_.l2_bytes);
    const DeviceBuffer from(flush_bytes);
    const DeviceBuffer to(flush_bytes);
    const DeviceBuffer words(static_cast<size_t>(spec_.sm_count) * kStrideWords * sizeof(unsigned));
    const void* data = words.get();
    long long stride = kStrideWords;
    unsigned* sink = sink_.as<unsigned>();
    void* arguments[] = {&data, &stride, &sink};
    std::vector<double> us;
    timer_.take();
    for (int i = 0; i < kLaunches; ++i) {
      copy(from, to);
      first_load_.launch(shape, arguments, nullptr);
      us.push_back(durations_us(timer_).back());
    }
    return median(us);
  }

  DeviceSpec spec_;
  LoadedKernel empty_;
  LoadedKernel first_load_;
  LoadedKernel copy_;
  LoadedKernel read_;
  LoadedKernel time_lines_;
  LoadedKernel chase_;
  LoadedKernel issue_;
  DeviceBuffer sink_{256};
  DeviceBuffer times_{1 << 16};
  ActivityTimer timer_;
};

}  // namespace

std::unique_ptr<DeviceProber> make_cuda_prober(int index, const DeviceSpec& spec,
                                               const CubinCache& cache) {
  if (spec.compute_major != 9) {
    throw environment_error(format(
        "calibrate's probes need compute capability 9.0, and {} has {}.{}: start from its preset",
        spec.name, spec.compute_major, spec.compute_minor));
  }
  TW_CHECK(cudaSetDevice(index));
  TW_CHECK(cudaFree(nullptr));  // creates the context
  const std::string cubin =
      build_cubin({.file = "tools/calibrate.cu", .config_header = ""}, architecture(spec), cache);
  return std::make_unique<CudaProber>(spec, cubin);
}

}  // namespace tilewright
