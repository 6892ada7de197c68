// Made-up answers of a harness for fp8 products with block scales.
#pragma once

#include <string>
#include <vector>

#include "exchange/vllm_file.hpp"
#include "store/best_table.hpp"

namespace tilewright::testing {

inline std::vector<AxisValue> vllm_values(const std::vector<int64_t>& numbers) {
  std::vector<AxisValue> values;
  for (size_t i = 0; i < kVllmKeys.size(); ++i) {
    values.push_back({std::string(kVllmKeys[i]), numbers[i]});
  }
  return values;
}

inline std::vector<AxisValue> vllm_default() {
  return vllm_values({64, 128, 128, 32, 4, 2});
}

inline Workload block_product(int64_t m, int64_t n = 7168, int64_t k = 2048) {
  Problem problem{.shape = {m, n, k}, .kind = {.dtype = DataType::E4M3}};
  problem.kind.epilogue.scale_a = OperandScale::VectorAlongK;
  problem.kind.epilogue.scale_b = OperandScale::Block;
  return workload_of(problem);
}

/// `ratio` is the default's time over the answer's, `half` half of its interval.
inline ForeignEntry block_answer(int64_t m, double ratio, double half,
                                 const std::vector<AxisValue>& values) {
  ForeignEntry entry;
  entry.problem = block_product(m);
  entry.choice = {.harness = "triton_fp8",
                  .file = "triton_fp8.yaml",
                  .build = "0123456789abcdef",
                  .values = values};
  entry.timing = {.median_us = 50, .ci_us = {49.5, 50.5}, .tflops = 100};
  entry.default_beside = DefaultBeside{
      .values = vllm_default(),
      .timing = {.median_us = 50 * ratio, .ci_us = {49 * ratio, 51 * ratio}, .tflops = 90},
      .ratio = {.ratio = ratio, .interval = {ratio - half, ratio + half}}};
  entry.verified = {.ok = true, .rel_error = 1e-3, .detail = {}};
  entry.considered = {.enumerated = 85, .rejected = {}, .measured = 85};
  entry.compiler = "triton 3.9.0";
  entry.date = "2026-11-26";
  entry.origin.software.driver = "580.95.05, CUDA 13.0";
  return entry;
}

inline Artefact block_artefact(const std::vector<ForeignEntry>& foreign) {
  Artefact artefact;
  artefact.tool_version = "1.0";
  artefact.device = {.name = "NVIDIA H200", .compute = "9.0", .sm_count = 132, .l2_bytes = 1};
  artefact.foreign = foreign;
  return artefact;
}

}  // namespace tilewright::testing
