#include "model/retention.hpp"

#include <cmath>

namespace tilewright {
namespace {

// Depth, as a share of the capacity, at which a line is gone with this chance.
double depth_of(double chance, int ways) {
  double shallow = 0;
  double deep = 8;
  for (int i = 0; i < 40; ++i) {
    const double middle = (shallow + deep) / 2;
    (miss_chance(middle, 1, ways) < chance ? shallow : deep) = middle;
  }
  return shallow;
}

}  // namespace

double miss_chance(double used_since_bytes, double capacity_bytes, int ways) {
  // A Poisson number of lines has come into the line's own set; `ways` of them evict it.
  const double mean = ways * used_since_bytes / capacity_bytes;
  double term = std::exp(-mean);
  double kept = 0;
  for (int lines = 0; lines < ways; ++lines) {
    kept += term;
    term *= mean / (lines + 1);
  }
  return 1 - kept;
}

Retention retention_of(int64_t capacity_bytes, int ways, int classes) {
  // From one line in a thousand lost to one in a thousand kept.
  constexpr double kFew = 0.001;
  const auto capacity = static_cast<double>(capacity_bytes);
  Retention retention;
  const double shallow = depth_of(kFew, ways);
  const double step = (depth_of(1 - kFew, ways) - shallow) / (classes - 1);
  for (int i = 0; i < classes; ++i) {
    const double bound = shallow + i * step;
    retention.bounds.push_back(std::llround(bound * capacity));
    // Nothing is lost near the top: tiny chances would add up over many uses.
    retention.miss.push_back(i == 0 ? 0 : miss_chance(bound - step / 2, 1, ways));
  }
  retention.miss.push_back(1);
  return retention;
}

}  // namespace tilewright
