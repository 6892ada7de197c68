#include "tile/plan/grid_report.hpp"

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"

namespace tilewright {

GridWaves count_waves(const GridProof& proof, int64_t ctas, ClusterShape cluster) {
  const int64_t size = int64_t{cluster.m} * cluster.n;
  if (ctas < size) {
    throw usage_error(format("{} CTAs at a time do not hold one cluster of {}; ask for at least {}",
                             ctas, to_string(cluster), size));
  }
  GridWaves waves;
  waves.ctas = ctas / size * size;
  waves.waves = ceil_div(proof.slots, waves.ctas);
  waves.efficiency = static_cast<double>(proof.tile_count) /
                     (static_cast<double>(waves.waves) * static_cast<double>(waves.ctas));
  return waves;
}

std::vector<NamedNumber> numbers_of(const GridReport& r) {
  const auto number = [](int64_t value) { return static_cast<double>(value); };
  std::vector<NamedNumber> numbers = {
      {"tile_count", number(r.proof.tile_count)},
      {"slots", number(r.proof.slots)},
      {"overhang", number(r.proof.overhang)},
      {"waste_pct", r.proof.waste_pct},
      {"bijective", r.proof.bijective ? 1.0 : 0.0, true},
      {"missing", number(r.proof.missing_count)},
      {"duplicates", number(r.proof.duplicate_count)},
  };
  if (r.waves) {
    numbers.push_back({"ctas", number(r.waves->ctas)});
    numbers.push_back({"waves", number(r.waves->waves)});
    numbers.push_back({"wave_efficiency", r.waves->efficiency});
  }
  if (r.traffic) {
    numbers.push_back({"dram_read_bytes", r.traffic->dram_read_bytes});
    numbers.push_back({"compulsory_bytes", r.traffic->compulsory_bytes});
    numbers.push_back({"l2_hit_rate", r.traffic->l2_hit_rate});
  }
  return numbers;
}

}  // namespace tilewright
