#include "model/roofline.hpp"

#include <algorithm>

#include "base/math.hpp"
#include "tile/workload/product_bytes.hpp"

namespace tilewright {

Roofline roofline(const Workload& workload, const DeviceSpec& d) {
  const double flops_per_s = tensor_flops_per_clock(d, workload.kind.dtype) *
                             usable_sms(workload.kind, d.sm_count) * d.sustained_clock_hz;
  return {.tensor_us = flops(workload) / flops_per_s * kMicroseconds,
          .dram_us = operand_bytes(workload) / d.dram_bytes_per_s * kMicroseconds};
}

double least_us(const Roofline& r) {
  return std::max(r.tensor_us, r.dram_us);
}

const char* bound_name(const Roofline& r) {
  return r.tensor_us >= r.dram_us ? "tensor" : "DRAM";
}

}  // namespace tilewright
