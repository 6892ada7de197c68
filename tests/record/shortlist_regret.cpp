// shortlist_regret DEVICE SEARCHED.jsonl RACED.jsonl: how much is lost by a race of a short list.
//
// SEARCHED is the store of a `tune`, RACED that of a `tune --race 16` of the same products right
// after it on the same GPU; DEVICE is its preset. For each product: the fastest recorded config's
// time over that of the fastest of the first 1, 2, 4, 8 and 16 of the list; a config that has no
// time, because the compiler refused it or the list was another one, counts as never ready. At last
// the geometric means, the lowest, and how many are below 0.93.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "search/leaders.hpp"
#include "search/predict.hpp"
#include "search/strategy.hpp"
#include "store/device_preset.hpp"
#include "store/record_store.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

constexpr size_t kLengths[] = {1, 2, 4, 8, 16};

// The least time of each config, by product.
using Times = std::map<std::string, std::map<std::string, double>>;

// Adds the times of all runs of a store; returns its products.
std::vector<Workload> add_times(const std::string& path, Times& times) {
  constexpr int64_t kMaxBytes = int64_t{1} << 30;
  const RecordStore store = parse_records(read_file(path, kMaxBytes), path);
  std::vector<Workload> products;
  for (const StoredRun& run : store.runs) {
    const RunLog log = log_of(store, run.head.session, run.head.device_uuid);
    for (const StoredAnswer& answer : run.answers) {
      const std::string name = full_text(answer.entry.problem);
      products.push_back(answer.entry.problem);
      const auto own = log.find(name);
      if (own == log.end()) continue;
      for (const RecordedTime& time : recorded_times(own->second)) {
        const auto at = times[name].emplace(time.config, time.us).first;
        at->second = std::min(at->second, time.us);
      }
    }
  }
  return products;
}

void print_curve(const std::string& device_name, const std::string& searched,
                 const std::string& raced) {
  const DeviceSpec device = load_device_preset(device_name);
  Times times;
  add_times(searched, times);
  std::map<size_t, std::vector<double>> reached;
  for (const Workload& product : add_times(raced, times)) {
    const std::map<std::string, double>& known = times[full_text(product)];
    double fastest = std::numeric_limits<double>::infinity();
    for (const auto& [config, us] : known) fastest = std::min(fastest, us);
    const Ranking ranking = rank_to_tune(product, {}, device);
    const std::vector<RankedConfig> list = shortlisted(ranking.kernels, kLengths[4]);
    std::string line = to_string(product);
    double best = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < list.size(); ++i) {
      const auto at = known.find(to_string(list[i].config));
      if (at != known.end()) best = std::min(best, at->second);
      if (std::find(std::begin(kLengths), std::end(kLengths), i + 1) == std::end(kLengths))
        continue;
      reached[i + 1].push_back(fastest / best);
      line += format(" {:.3f}", fastest / best);
    }
    std::printf("%s\n", line.c_str());
  }
  for (const auto& [length, shares] : reached) {
    double sum = 0;
    for (const double share : shares) sum += std::log(share);
    const auto behind =
        std::count_if(shares.begin(), shares.end(), [](double share) { return share < 0.93; });
    std::printf("first %zu: %zu products, mean %.4f, lowest %.3f, %zd below 0.93\n", length,
                shares.size(), std::exp(sum / static_cast<double>(shares.size())),
                *std::min_element(shares.begin(), shares.end()), behind);
  }
}

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "shortlist_regret DEVICE SEARCHED.jsonl RACED.jsonl\n");
    return 2;
  }
  try {
    tilewright::print_curve(argv[1], argv[2], argv[3]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "shortlist_regret: %s\n", error.what());
    return 2;
  }
}
