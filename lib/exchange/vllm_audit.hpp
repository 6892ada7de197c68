// Finds faults of vLLM's and SGLang's files of launch parameters without running a kernel.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "exchange/vllm_file.hpp"
#include "gate/gate.hpp"
#include "search/foreign_config.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// The numbers of rows M, of experts tokens, for which the stacks' own scripts tune a row.
inline constexpr std::array<int64_t, 18> kVllmBatchSizes = {
    1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 1536, 2048, 3072, 4096};

/// The configs, of kVllmKeys, that vLLM or SGLang launches for `m` rows where no file is; what they
/// leave out is Triton's default. Two where the stacks differ; none for kernels that choose
/// otherwise.
std::vector<std::vector<AxisValue>> stack_defaults(const VllmFileName& name, int64_t m);

/// Bytes of shared memory that Triton's pipeline of the row's tiles takes at least; 0 for operands
/// that this project does not know.
int64_t tile_bytes(const VllmFileName& name, const VllmRow& row, const DeviceSpec& device);

/// Why Triton cannot compile or launch the row's config on the device; empty where nothing speaks
/// against it.
std::string why_illegal(const VllmFileName& name, const VllmRow& row, const DeviceSpec& device);

/// A verdict for each file: a regression where the device cannot run a row, or where the evidence
/// beside the file shows that the default config is faster than a row. Its findings also list the
/// batch sizes without a row, the rows that have the default's values, those that the evidence does
/// not cover, and blocks of rows that differ from those of the layer's other file. Throws a usage
/// error for evidence that cannot be read.
std::vector<CaseVerdict> audit_vllm(const VllmFolder& folder, const DeviceSpec& device);

}  // namespace tilewright
