#include "stats/significance.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace tilewright {

double sign_test(std::span<const double> a, std::span<const double> b, double limit) {
  const size_t count = std::min(a.size(), b.size());
  size_t below = 0;
  for (size_t i = 0; i < count; ++i) below += a[i] / b[i] < limit ? 1 : 0;
  // The tail of a fair coin's throws, by logarithms: thousands of rounds would underflow.
  const auto n = static_cast<double>(count);
  double tail = 0;
  for (size_t heads = below; heads <= count; ++heads) {
    const auto k = static_cast<double>(heads);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                     n * std::log(2.0));
  }
  return std::min(tail, 1.0);
}

std::vector<bool> holm_rejections(std::span<const double> p_values, double level) {
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t i, size_t j) { return p_values[i] < p_values[j]; });
  std::vector<bool> rejected(p_values.size());
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const auto left = static_cast<double>(order.size() - rank);
    // In this form a NaN rejects nothing.
    if (!(p_values[order[rank]] * left <= level)) break;
    rejected[order[rank]] = true;
  }
  return rejected;
}

}  // namespace tilewright
