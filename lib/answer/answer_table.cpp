#include "answer/answer_table.hpp"

#include <algorithm>
#include <optional>
#include <variant>

#include "base/text.hpp"
#include "search/space.hpp"

namespace tilewright {
namespace {

// The first order of the scales that the same kernels read. Scales of lines come with the stages
// only where those of one k-block lie together.
OperandScale first_order(OperandScale scale) {
  const tw::ScaleRecord& own = tw::record_of(scale);
  for (const tw::ScaleRecord& record : tw::kScales) {
    if (record.form == own.form && record.along_k == own.along_k) return record.scale;
  }
  return scale;
}

// With the order of B's blocks that has padding, if there is none to add.
Workload with_padded_order(Workload workload) {
  constexpr int64_t kUnpadded =
      int64_t{tw::kScaleBlock} * tw::record_of(OperandScale::BlockPadded).padding;
  OperandScale& scale = workload.kind.epilogue.scale_b;
  const bool is_padded =
      std::all_of(workload.shapes.begin(), workload.shapes.end(),
                  [](const GemmShape& shape) { return shape.k % kUnpadded == 0; });
  if (scale == OperandScale::Block && is_padded) scale = OperandScale::BlockPadded;
  return workload;
}

// The part of a workload that its kernels depend on.
Workload without_factors(const Workload& workload) {
  Workload kind = workload;
  kind.kind = normalised(kind.kind);
  kind.kind.epilogue.alpha = 1;
  kind.kind.epilogue.beta = 0;
  kind.kind.epilogue.scale_a = first_order(kind.kind.epilogue.scale_a);
  kind.kind.epilogue.scale_b = first_order(kind.kind.epilogue.scale_b);
  kind.kind.sms = 0;
  kind.shapes.clear();
  return kind;
}

// The value at which the range contains the product, or nothing.
std::optional<int64_t> value_of(const GemmShape& open, const GemmShape& asked) {
  std::optional<int64_t> value;
  for (int64_t GemmShape::*const size : {&GemmShape::m, &GemmShape::n, &GemmShape::k}) {
    if (open.*size > 0) {
      if (open.*size != asked.*size) return std::nullopt;
      continue;
    }
    if (value && *value != asked.*size) return std::nullopt;
    value = asked.*size;
  }
  return value;
}

}  // namespace

void add_config(std::vector<TileConfig>& configs, const TileConfig& config) {
  if (std::find(configs.begin(), configs.end(), config) == configs.end()) {
    configs.push_back(config);
  }
}

bool is_of_product(AnswerSource source) {
  return source != AnswerSource::Range && source != AnswerSource::Model;
}

uint64_t program_id(const KernelSource& source) {
  return hash_number(source.file + "\n" + source.config_header);
}

std::vector<uint64_t> program_ids(const Plan& plan) {
  std::vector<uint64_t> programs;
  for (const KernelSource& source : kernel_sources(plan)) programs.push_back(program_id(source));
  return programs;
}

bool is_shipped(const AnswerTable& table, const Plan& plan) {
  const std::vector<uint64_t> programs = program_ids(plan);
  return std::all_of(programs.begin(), programs.end(), [&table](uint64_t program) {
    return std::any_of(table.kernels.begin(), table.kernels.end(),
                       [program](const ShippedKernel& kernel) {
                         const std::vector<uint64_t>& own = kernel.programs;
                         return std::find(own.begin(), own.end(), program) != own.end();
                       });
  });
}

bool answers_alike(const Workload& a, const Workload& b) {
  if (is_group(a) != is_group(b) || without_factors(a) != without_factors(b)) return false;
  return !is_group(a) || packing_of(a) == packing_of(b);
}

bool is_same_call(const Workload& a, const Workload& b) {
  return with_padded_order(a) == with_padded_order(b);
}

std::vector<TileConfig> configs_alike(const AnswerTable& table, const Workload& workload) {
  std::vector<TileConfig> configs;
  for (const AnswerRow& row : table.rows) {
    if (answers_alike(row.problem, workload)) add_config(configs, row.choice);
  }
  for (const ShippedKernel& kernel : table.kernels) {
    if (answers_alike(kernel.workload, workload)) add_config(configs, kernel.config);
  }
  return configs;
}

std::vector<TileConfig> forms_of(const TileConfig& config) {
  std::vector<TileConfig> forms = {config};
  if (tw::family_of(config.raster) != tw::RasterFamily::Plain) return forms;
  TileConfig form = config;
  form.raster = {};
  add_config(forms, form);
  // For a triangle with CTA tiles in which neither side divides the other.
  form.raster = {.kind = tw::RasterKind::SwizzleMerge, .factor_count = 1, .factors = {1}};
  add_config(forms, form);
  return forms;
}

std::vector<TileConfig> other_parts(const TileConfig& config, const Workload& product,
                                    const DeviceSpec& device) {
  std::vector<TileConfig> others;
  if (!is_product(product) || !std::holds_alternative<SplitK>(config.decomposition)) return others;
  const Reduction reduction = reduction_of(config.decomposition);
  for (const Decomposition& division : divisions_for(product, config, device)) {
    if (reduction_of(division) != reduction || division == config.decomposition) continue;
    others.push_back(config);
    others.back().decomposition = division;
  }
  return others;
}

const AnswerRange* find_answer_range(std::span<const AnswerRange> ranges,
                                     const Workload& workload) {
  if (is_group(workload)) return nullptr;
  for (const AnswerRange& range : ranges) {
    const std::optional<int64_t> value = value_of(range.shape, workload.shapes.front());
    if (!value || *value < range.low || *value > range.high) continue;
    if ((*value - range.low) % range.step == 0 && same_kind(range.kind, workload)) return &range;
  }
  return nullptr;
}

}  // namespace tilewright
