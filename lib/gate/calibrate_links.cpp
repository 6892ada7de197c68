#include "gate/calibrate_links.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "tile/workload/rate_table.hpp"

namespace tilewright {
namespace {

constexpr std::array<int64_t, 3> kCopyBytes = {int64_t{1} << 20, int64_t{1} << 24,
                                               int64_t{1} << 28};
// The line through a fast link's copies may begin below 0.
constexpr double kMinCopyUs = 0.1;

ProbedFlows probe_flows(LinkProber& prober, std::vector<LinkFlow> flows) {
  throw_if_interrupted();
  ProbedFlows probed;
  probed.vector_store_bytes_per_us = prober.access_bytes_per_us(LinkAccess::VectorStore, flows);
  probed.bulk_store_bytes_per_us = prober.access_bytes_per_us(LinkAccess::BulkStore, flows);
  probed.cta_vector_store_bytes_per_us = prober.cta_bytes_per_us(LinkAccess::VectorStore, flows);
  probed.cta_bulk_store_bytes_per_us = prober.cta_bytes_per_us(LinkAccess::BulkStore, flows);
  probed.add_bytes_per_us = prober.access_bytes_per_us(LinkAccess::BulkAdd, flows);
  probed.load_bytes_per_us = prober.access_bytes_per_us(LinkAccess::VectorLoad, flows);
  std::vector<double> bytes;
  std::vector<double> us;
  for (const int64_t size : kCopyBytes) {
    probed.copies.push_back({size, prober.copy_us(size, flows)});
    bytes.push_back(static_cast<double>(size));
    us.push_back(probed.copies.back().us);
  }
  probed.copy = fit_line(bytes, us);
  probed.flows = std::move(flows);
  return probed;
}

ProbedPair probe_pair(LinkProber& prober, int first, int second) {
  ProbedPair pair;
  pair.one_way = probe_flows(prober, {{first, second}});
  pair.both_ways = probe_flows(prober, {{first, second}, {second, first}});
  pair.flag_us = prober.flag_us({first, second});
  pair.adds = prober.add_at_once({second, first});
  return pair;
}

ProbedFlows probe_ring(LinkProber& prober, const std::vector<int>& gpus) {
  std::vector<LinkFlow> flows;
  for (size_t i = 0; i < gpus.size(); ++i) {
    flows.push_back({gpus[i], gpus[(i + 1) % gpus.size()]});
  }
  return probe_flows(prober, std::move(flows));
}

LinkRates worse_of(const LinkRates& a, const LinkRates& b) {
  return {.store_bytes_per_us = std::min(a.store_bytes_per_us, b.store_bytes_per_us),
          .cta_store_bytes_per_us = std::min(a.cta_store_bytes_per_us, b.cta_store_bytes_per_us),
          .add_bytes_per_us = std::min(a.add_bytes_per_us, b.add_bytes_per_us),
          .load_bytes_per_us = std::min(a.load_bytes_per_us, b.load_bytes_per_us),
          .copy_bytes_per_us = std::min(a.copy_bytes_per_us, b.copy_bytes_per_us),
          .copy_us = std::max(a.copy_us, b.copy_us),
          .flag_us = std::max(a.flag_us, b.flag_us)};
}

LinkRates worst_rates(const LinkCalibration& c) {
  LinkRates worst = link_rates(c.pairs.front().both_ways, c.pairs.front().flag_us);
  for (const ProbedPair& pair : c.pairs) {
    worst = worse_of(worst, link_rates(pair.both_ways, pair.flag_us));
  }
  return c.ring ? worse_of(worst, link_rates(*c.ring, worst.flag_us)) : worst;
}

// The rates of the links become the device's own.
void set_links(DeviceSpec& device, const LinkRates& links, int gpus) {
  device.links = links;
  device.gpus = gpus;
  for (const RateKey& key : rate_keys(device)) {
    if (key.section != "links") continue;
    std::erase(device.file_rates, path_of(key));
    std::erase(device.foreign_rates, path_of(key));
    device.file_rates.push_back(path_of(key));
  }
}

}  // namespace

LinkRates link_rates(const ProbedFlows& p, double flag_us) {
  return {
      .store_bytes_per_us = std::max(p.vector_store_bytes_per_us, p.bulk_store_bytes_per_us),
      .cta_store_bytes_per_us =
          std::max(p.cta_vector_store_bytes_per_us, p.cta_bulk_store_bytes_per_us),
      .add_bytes_per_us = p.add_bytes_per_us,
      .load_bytes_per_us = p.load_bytes_per_us,
      .copy_bytes_per_us = 1 / p.copy.slope,
      .copy_us = std::max(kMinCopyUs, p.copy.intercept),
      .flag_us = flag_us,
  };
}

LinkCalibration calibrate_links(LinkProber& prober, const DeviceSpec& device,
                                const std::vector<int>& gpus, ProgressListener& progress) {
  if (gpus.size() < 2) throw environment_error("links need two GPUs of one host");
  LinkCalibration c{.device = device, .gpus = gpus, .pairs = {}, .ring = {}};
  const auto pair_count = static_cast<int64_t>(gpus.size() * (gpus.size() - 1) / 2);
  progress.begin("links", pair_count + (gpus.size() > 2 ? 1 : 0));
  int64_t done = 0;
  for (size_t i = 0; i < gpus.size(); ++i) {
    for (size_t j = i + 1; j < gpus.size(); ++j) {
      c.pairs.push_back(probe_pair(prober, gpus[i], gpus[j]));
      progress.advance(++done, 0);
    }
  }
  if (gpus.size() > 2) {
    c.ring = probe_ring(prober, gpus);
    progress.advance(++done, 0);
  }
  set_links(c.device, worst_rates(c), static_cast<int>(gpus.size()));
  return c;
}

}  // namespace tilewright
