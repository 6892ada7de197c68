#include "gpu/contenders/scale_values.hpp"

#include <cmath>
#include <limits>

#include "base/math.hpp"
#include "stats/random.hpp"
#include "tile/workload/scale_layout.hpp"

namespace tilewright {
namespace {

// Scales begin at multiples of 256 bytes; cuBLASLt requires 16.
constexpr int64_t kUnit = 64;

// Scales of whole operands: no powers of two, which show a missing scale less well; D stays in
// range.
constexpr float kOfTensorA = 1.375F;
constexpr float kOfTensorB = 0.625F;

float random_scale(Random& random) {
  constexpr double kMaxExponent = 10;
  return static_cast<float>(std::exp2(kMaxExponent * (2 * random.uniform() - 1)));
}

// Writes one operand's scales from `first` on.
void write_scales(const Workload& workload, Operand operand, Random& random, float* first) {
  const ScaleLayout layout = scale_layout(workload, operand);
  if (layout.line == 0) {
    *first = operand == Operand::A ? kOfTensorA : kOfTensorB;
    return;
  }
  const int64_t problems = layout.problem > 0 ? layout.elements / layout.problem : 1;
  for (int64_t p = 0; p < problems; ++p) {
    for (int64_t i = 0; i < layout.scales_along_lines; ++i) {
      for (int64_t j = 0; j < layout.scales_along_k; ++j) {
        first[i * layout.line + j * layout.k + p * layout.problem] = random_scale(random);
      }
    }
  }
}

}  // namespace

ScaleValues scale_values(const Workload& workload, uint64_t seed) {
  ScaleValues scales;
  const int64_t of_a = scale_layout(workload, Operand::A).elements;
  const int64_t of_b = scale_layout(workload, Operand::B).elements;
  if (of_a + of_b == 0) return scales;
  scales.a_offset = kUnit;
  scales.b_offset = scales.a_offset + round_up(of_a, kUnit) + kUnit;
  const int64_t all = scales.b_offset + round_up(of_b, kUnit) + kUnit;
  scales.values.assign(static_cast<size_t>(all), std::numeric_limits<float>::quiet_NaN());
  Random random(seed);
  if (of_a > 0) write_scales(workload, Operand::A, random, scales.values.data() + scales.a_offset);
  if (of_b > 0) write_scales(workload, Operand::B, random, scales.values.data() + scales.b_offset);
  return scales;
}

}  // namespace tilewright
