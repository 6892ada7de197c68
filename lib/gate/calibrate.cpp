#include "gate/calibrate.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/estimate.hpp"
#include "search/complete.hpp"
#include "search/rank.hpp"
#include "stats/sample.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

constexpr int kRounds = 15;
constexpr int64_t kDepths[] = {256, 512, 1024, 2048, 3072, 4096};
constexpr double kPercent = 100;
// Smaller products do not depend enough on the clock.
constexpr double kLargeFlops = 1e11;
constexpr double kLowestClockHz = 0.2e9;
constexpr double kHighestClockHz = 4e9;
constexpr double kMinLaunchUs = 0.1;
// The knee of the read rate: this share of L2's rate beyond DRAM's.
constexpr double kOfOwnRate = 0.9;

TimedProduct product(const GemmShape& shape, const char* request, const DeviceSpec& device) {
  const Problem problem{shape};
  ConfigRequest wanted = parse_config(request);
  name_key(wanted, "family", to_string(all_families().front()));
  return {.problem = problem,
          .config = complete_config(wanted, workload_of(problem), device),
          .measured_us = 0,
          .predicted_us = 0};
}

void predict(std::vector<TimedProduct>& products, const DeviceSpec& device) {
  for (TimedProduct& p : products) p.predicted_us = estimate(p.problem, p.config, device).us;
}

LineFit depth_fit(const std::vector<TimedProduct>& depths, bool measured) {
  std::vector<double> k(depths.size());
  std::vector<double> us(depths.size());
  for (size_t i = 0; i < depths.size(); ++i) {
    k[i] = static_cast<double>(depths[i].problem.shape.k);
    us[i] = measured ? depths[i].measured_us : depths[i].predicted_us;
  }
  return fit_line(k, us);
}

// L2 delivers the same bytes per second, so its bytes per clock change.
void set_clock(DeviceSpec& device, double clock_hz) {
  device.l2_bytes_per_clock *= device.sustained_clock_hz / clock_hz;
  device.sustained_clock_hz = clock_hz;
}

// Geometric mean of predicted over measured time at a clock; falls as the clock rises.
double mean_ratio(std::vector<TimedProduct>& large, DeviceSpec device, double clock_hz) {
  set_clock(device, clock_hz);
  predict(large, device);
  std::vector<double> ratios;
  ratios.reserve(large.size());
  for (const TimedProduct& p : large) ratios.push_back(p.predicted_us / p.measured_us);
  return geometric_mean(ratios);
}

double solve_clock(const std::vector<TimedProduct>& products, const DeviceSpec& device) {
  std::vector<TimedProduct> large;
  for (const TimedProduct& p : products) {
    if (flops(p.problem) >= kLargeFlops) large.push_back(p);
  }
  if (large.empty()) return device.sustained_clock_hz;
  double low = kLowestClockHz;
  double high = kHighestClockHz;
  while (high / low > 1.0001) {
    const double middle = std::sqrt(low * high);
    (mean_ratio(large, device, middle) > 1 ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

}  // namespace

double residual_pct(const TimedProduct& p) {
  return (p.predicted_us / p.measured_us - 1) * kPercent;
}

ProbedRates probe_rates(DeviceProber& prober, const DeviceSpec& device,
                        ProgressListener& progress) {
  // Fractions of L2: below, around and beyond what it may hold.
  constexpr double kFractions[] = {0.125, 0.25,  0.375, 0.5,  0.5625, 0.625, 0.6875,
                                   0.75,  0.875, 1.0,   1.25, 1.5,    2.0};
  constexpr int kLines = 2048;
  constexpr int kL2Bits = 16;    // 8 MiB
  constexpr int kDramBits = 24;  // 2 GiB
  constexpr int64_t kFarBeyondL2 = 64;
  constexpr int64_t kPage = 2 << 20;
  ProbedRates rates;
  int64_t done = 0;
  progress.begin("probe", std::ssize(kFractions) + 7);
  const int64_t large = std::min(kFarBeyondL2 * device.l2_bytes, device.memory_bytes / 8);
  rates.dram_copy_bytes_per_s = prober.copy_bytes_per_s(large);
  progress.advance(++done, 0);
  rates.dram_read_bytes_per_s = prober.read(large, 1).bytes_per_s;
  progress.advance(++done, 0);
  for (const double fraction : kFractions) {
    const auto bytes = static_cast<int64_t>(fraction * static_cast<double>(device.l2_bytes));
    const int64_t pages = std::max<int64_t>(1, bytes / kPage);
    const ReadRate rate = prober.read(pages * kPage, 1);
    rates.working_sets.push_back({pages * kPage, rate.bytes_per_s / rate.clock_hz});
    rates.read_clock_hz = std::max(rates.read_clock_hz, rate.clock_hz);
    progress.advance(++done, 0);
  }
  // A wave is about as many tiles high as wide.
  const int sharing = std::max(1, static_cast<int>(std::sqrt(device.sm_count)));
  rates.shared_l2_bytes_per_s =
      prober.read(device.l2_bytes / 8 / kPage * kPage, sharing).bytes_per_s;
  progress.advance(++done, 0);
  rates.l2_clocks = two_levels(prober.line_clocks(kLines));
  rates.l2_latency = prober.chase(kL2Bits);
  progress.advance(++done, 0);
  rates.dram_latency = prober.chase(kDramBits);
  progress.advance(++done, 0);
  rates.tensor = prober.issue_tensor();
  progress.advance(++done, 0);
  rates.launch = prober.launch();
  progress.advance(++done, 0);
  return rates;
}

std::vector<TimedProduct> depth_products(const DeviceSpec& device) {
  // The rectangle of 128x256 tiles that comes nearest to one full wave.
  const int rows = static_cast<int>(std::sqrt(static_cast<double>(device.sm_count)));
  const int columns = device.sm_count / rows;
  std::vector<TimedProduct> products;
  products.reserve(std::size(kDepths));
  for (const int64_t k : kDepths) {
    products.push_back(product({int64_t{128} * rows, int64_t{256} * columns, k},
                               "cta=128x256x64,cluster=1x1,schedule=cooperative,raster=row",
                               device));
  }
  return products;
}

std::vector<TimedProduct> sample_products(const DeviceSpec& device) {
  std::vector<TimedProduct> products;
  struct Sample {
    GemmShape shape;
    const char* request;  // a tile that fits: ranking all of them takes seconds per shape
  };
  for (const Sample& s :
       {Sample{{8192, 8192, 8192}, "cta=128x256x64,cluster=2x1,schedule=cooperative"},
        Sample{{4096, 4096, 4096}, "cta=128x256x64,cluster=1x1,schedule=cooperative"},
        Sample{{4096, 14336, 4096}, "cta=128x192x64,cluster=2x1,schedule=pingpong"},
        Sample{{8192, 1280, 8192}, "cta=256x160x64,cluster=1x1,schedule=cooperative"},
        Sample{{3000, 3000, 3000}, "cta=192x192x64,cluster=1x2,schedule=cooperative"},
        Sample{{2048, 2048, 2048}, "cta=128x256x64,cluster=1x1,schedule=cooperative"},
        Sample{{1024, 1024, 1024}, "cta=64x128x64,cluster=1x1,schedule=cooperative"},
        Sample{{512, 512, 512}, "cta=64x64x64,cluster=1x1,schedule=cooperative"},
        Sample{{128, 7168, 16384}, "cta=64x112x64,cluster=1x1,schedule=cooperative"},
        Sample{{16384, 8192, 256}, "cta=128x256x64,cluster=1x1,schedule=cooperative"}}) {
    products.push_back(product(s.shape, s.request, device));
  }
  return products;
}

void time_products(std::vector<TimedProduct>& products, Runner& runner,
                   ProgressListener& progress) {
  progress.begin("time", std::ssize(products));
  for (size_t i = 0; i < products.size(); ++i) {
    TimedProduct& p = products[i];
    runner.prepare(p.problem);
    const std::vector<BuildResult> built = runner.build({&p.config, 1});
    if (!built.front().ok()) {
      throw environment_error(
          format("{} does not build: {}", to_string(p.config), built.front().reason));
    }
    const Contender contender{
        .name = to_string(p.config), .config = p.config, .reference_algorithm = -1};
    std::vector<double> us;
    us.reserve(kRounds);
    for (int round = 0; round < kRounds; ++round) {
      us.push_back(returned_us(runner.time_round({&contender, 1}).front()));
    }
    p.measured_us = median(us);
    progress.advance(static_cast<int64_t>(i) + 1, 0);
  }
}

Calibration solve_rates(const DeviceSpec& device, const ProbedRates& probed,
                        std::vector<TimedProduct> depths, std::vector<TimedProduct> products) {
  Calibration c;
  c.device = device;
  c.probed = probed;
  c.device.file_rates.clear();  // nothing here measures the finer rates
  c.device.calibrated = true;
  c.device.tensor_flops_per_clock_per_sm = probed.tensor.flops_per_clock_per_sm;
  c.device.dram_bytes_per_s = probed.dram_copy_bytes_per_s;
  std::vector<double> bytes;
  std::vector<double> rates;
  for (const WorkingSetRate& w : probed.working_sets) {
    bytes.push_back(static_cast<double>(w.bytes));
    rates.push_back(w.bytes_per_clock);
  }
  c.device.l2_bytes_per_clock = probed.shared_l2_bytes_per_s / device.sustained_clock_hz;
  bytes.push_back(bytes.back() * 2);
  rates.push_back(probed.dram_read_bytes_per_s / probed.read_clock_hz);
  c.read_knee_bytes =
      std::min(device.l2_bytes, static_cast<int64_t>(std::llround(knee(bytes, rates, kOfOwnRate))));
  // The replay itself accounts for lines that both partitions hold.
  c.device.l2_effective_bytes = device.l2_bytes;
  // Clock and launch depend on each other a little: large products contain a launch, and small ones
  // compute.
  for (int round = 0; round < 4; ++round) {
    set_clock(c.device, solve_clock(products, c.device));
    predict(depths, c.device);
    const double late = depth_fit(depths, true).intercept - depth_fit(depths, false).intercept;
    c.device.launch_us = std::max(kMinLaunchUs, c.device.launch_us + late);
  }
  predict(depths, c.device);
  predict(products, c.device);
  c.depth = depth_fit(depths, true);
  c.depths = std::move(depths);
  c.products = std::move(products);
  return c;
}

}  // namespace tilewright
