// cover DEVICE PRODUCTS KERNELS: the configs of lib/answer/cover_configs.cpp.
//
// Ranks as many random products by the model, and takes from the first configs of each, one after
// the other, the kernel that saves the most of their times by screening_us(). Prints each config,
// after a comment with the geometric mean of the least possible time over that of the kernels so
// far, on the products and on half as many others.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <set>
#include <string>
#include <vector>

#include "answer/answer_table.hpp"
#include "answer/shipped_choice.hpp"
#include "answer/shipped_set.hpp"
#include "search/predict.hpp"
#include "stats/random.hpp"
#include "store/device_preset.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

constexpr double kNever = 1e9;

// Multiples of 8, even in their logarithm.
std::vector<Workload> drawn(uint64_t seed, size_t count) {
  Random random(seed);
  const auto size = [&random](double low) {
    const double drawn_size = low * std::pow(16384 / low, random.uniform());
    return std::max<int64_t>(8, std::llround(drawn_size / 8) * 8);
  };
  std::vector<Workload> products;
  for (size_t i = 0; i < count; ++i)
    products.push_back(workload_of({{size(4), size(48), size(48)}}));
  return products;
}

// The first configs of each ranking, one for each kernel.
std::vector<TileConfig> candidates(const std::vector<Workload>& products,
                                   const DeviceSpec& device) {
  constexpr size_t kOfProduct = 3;
  std::vector<TileConfig> found;
  std::set<std::vector<uint64_t>> known;
  for (const Workload& product : products) {
    const Ranking ranking = rank_to_tune(product, {}, device);
    for (size_t i = 0; i < std::min(kOfProduct, ranking.kernels.size()); ++i) {
      const TileConfig& config = ranking.kernels[i].config;
      if (known.insert(program_ids(make_plan(product, config, device))).second) {
        found.push_back(config);
      }
    }
  }
  return found;
}

// By product, then config.
std::vector<std::vector<double>> times_of(const std::vector<Workload>& products,
                                          const std::vector<TileConfig>& configs,
                                          const DeviceSpec& device) {
  const ShippedSet set(device);
  std::vector<std::vector<double>> times;
  for (const Workload& product : products) {
    std::vector<double>& own = times.emplace_back(configs.size(), kNever);
    for (size_t i = 0; i < configs.size(); ++i) {
      for (const TileConfig& form : forms_of(configs[i])) {
        const auto plan = set.plan_of(product, form, {});
        if (plan) own[i] = screening_us(*plan, device);
        if (plan) break;
      }
    }
  }
  return times;
}

// The mean logarithm of the least time of the kernels over that of all.
double loss(const std::vector<std::vector<double>>& times, const std::vector<double>& now,
            size_t added) {
  double sum = 0;
  for (size_t i = 0; i < times.size(); ++i) {
    const double least = *std::min_element(times[i].begin(), times[i].end());
    sum += std::log(std::min(now[i], times[i][added]) / least);
  }
  return sum / static_cast<double>(times.size());
}

void lower(std::vector<double>& now, const std::vector<std::vector<double>>& times, size_t added) {
  for (size_t i = 0; i < now.size(); ++i) now[i] = std::min(now[i], times[i][added]);
}

void print_cover(const std::string& name, size_t products, size_t kernels) {
  const DeviceSpec device = load_device_preset(name);
  const std::vector<Workload> own = drawn(1, products);
  const std::vector<Workload> others = drawn(2, products / 2);
  const std::vector<TileConfig> configs = candidates(own, device);
  const auto times = times_of(own, configs, device);
  const auto other_times = times_of(others, configs, device);
  std::vector<double> now(own.size(), kNever);
  std::vector<double> other_now(others.size(), kNever);
  for (size_t taken = 0; taken < std::min(kernels, configs.size()); ++taken) {
    size_t best = 0;
    double least = kNever;
    for (size_t i = 0; i < configs.size(); ++i) {
      const double then = loss(times, now, i);
      if (then < least) best = i;
      least = std::min(least, then);
    }
    lower(now, times, best);
    lower(other_now, other_times, best);
    std::printf("// %zu: %.4f, %.4f\n\"%s\",\n", taken + 1, std::exp(-least),
                std::exp(-loss(other_times, other_now, best)), to_string(configs[best]).c_str());
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "cover DEVICE PRODUCTS KERNELS\n");
    return 2;
  }
  try {
    tilewright::print_cover(argv[1], std::stoul(argv[2]), std::stoul(argv[3]));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cover: %s\n", error.what());
    return 2;
  }
}
