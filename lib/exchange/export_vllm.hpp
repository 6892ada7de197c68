// Writes the answers of a harness as files of launch parameters for vLLM, with their evidence.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/vllm_file.hpp"
#include "exchange/vllm_product.hpp"
#include "store/best_table.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

inline constexpr std::string_view kVllmEvidence = "tilewright.vllm-evidence/1";

/// One file, and the text of the evidence beside it.
struct VllmExport {
  VllmFileName name;
  std::vector<VllmRow> rows;
  int64_t defaults = 0;  // rows with the values of the harness's default config
  std::string evidence;  // JSON, schema `tilewright.vllm-evidence/1`
};

/// True where the rounds show that the answer is faster than the default config: all of the ratio's
/// interval is above 1.
bool is_proved_faster(const ForeignEntry& entry);

/// The files that hold these products' answers, by N and K, and the files of experts for groups, by
/// E and N. A row has the values of its answer where is_proved_faster() holds, else those of the
/// default. The evidence has for each row: the medians of row and default, microseconds, with their
/// intervals, the ratio in the same rounds, the date, the driver and the method; for the file the
/// device, the harness's build and the version of Triton. Throws a usage error for a product that
/// such a file is not for, and for answers of two builds in one file; Error with No where an answer
/// or its comparison with a default is missing.
std::vector<VllmExport> export_vllm(const Artefact& artefact, std::span<const Workload> products,
                                    const std::string& source, const ExpertsGroups& groups = {});

}  // namespace tilewright
