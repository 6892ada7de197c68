#include "store/device_json.hpp"

#include "base/text.hpp"
#include "store/document.hpp"
#include "store/rate_keys.hpp"

namespace tilewright {

std::string device_json(const DeviceSpec& d, int gpu_index, const std::string& versions,
                        const std::string& why_no_gpu) {
  Document document = {{"name", d.name},
                       {"marketing_name", d.marketing_name},
                       {"preset", gpu_index < 0},
                       {"compute_capability", format("{}.{}", d.compute_major, d.compute_minor)},
                       {"architecture", architecture(d)},
                       {"sm_count", d.sm_count},
                       {"smem_per_cta_bytes", d.smem_per_cta_bytes},
                       {"registers_per_sm", d.registers_per_sm},
                       {"max_cluster_size", d.max_cluster_size},
                       {"l2_bytes", d.l2_bytes},
                       {"l2_effective_bytes", d.l2_effective_bytes},
                       {"memory_bytes", d.memory_bytes},
                       {"tensor_flops_per_clock_per_sm", d.tensor_flops_per_clock_per_sm},
                       {"sustained_clock_hz", d.sustained_clock_hz},
                       {"dram_bytes_per_s", d.dram_bytes_per_s},
                       {"l2_bytes_per_clock", d.l2_bytes_per_clock},
                       {"launch_us", d.launch_us}};
  write_rates(d, document);
  if (gpu_index >= 0) document["gpu_index"] = gpu_index;
  if (!why_no_gpu.empty()) document["why_no_gpu"] = why_no_gpu;
  Document lines = Document::array();
  for (const std::string_view line : split(versions, '\n')) {
    if (!trim(line).empty()) lines.push_back(std::string(trim(line)));
  }
  if (!lines.empty()) document["versions"] = lines;
  return to_json(document);
}

}  // namespace tilewright
