#include "tile/plan/legality.hpp"

#include <algorithm>
#include <limits>
#include <variant>

#include "base/math.hpp"
#include "base/text.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/operand_places.hpp"

namespace tilewright {
namespace {

bool has_elements(const GemmShape& shape) {
  return shape.m > 0 && shape.n > 0;
}

// Limit of the lines of packed operands.
constexpr int64_t kMaxLines = std::numeric_limits<int32_t>::max() / 4;

std::string why_no_maps(const Workload& w) {
  for (size_t i = 0; i < w.shapes.size(); ++i) {
    const Problem product = problem_of(w, i);
    const GemmShape& s = product.shape;
    if (!has_elements(s) || s.k == 0 || repacked_operands(product) == Repacked{}) continue;
    return format(
        "{}: TMA addresses rows that are a multiple of 16 bytes, and a group's operands are not "
        "copied: pad them with zeros",
        to_string(product));
  }
  return "";
}

std::string why_not_group(const Workload& w) {
  if (std::none_of(w.shapes.begin(), w.shapes.end(), has_elements)) {
    return "no product of the group has an element";
  }
  const Epilogue& e = w.kind.epilogue;
  if (e.bias || e.row_bias) return "kernels run groups without a bias";
  if (e.absmax) return "kernels run groups without absmax, which is of one D";
  if (e.stacked) {
    return format("{}: kernels run groups whose gates and ups take turns, without @stacked",
                  to_string(e));
  }
  if (std::string why = why_no_maps(w); !why.empty() || packing_of(w) != Packing::Rows) return why;
  const int64_t lines =
      std::max(total_rows(w), static_cast<int64_t>(w.shapes.size()) * w.shapes.front().n);
  if (lines > kMaxLines) {
    return format("{} packed rows are more than the kernel counts", lines);
  }
  return "";
}

// A gated D has half the columns of the sums, and a C would have all of them.
std::string why_no_epilogue(const Workload& w) {
  const Epilogue& e = w.kind.epilogue;
  if (e.bias && e.row_bias) return format("{}: a product has one bias", to_string(e));
  if (!tw::record_of(e.activation).gated) {
    return e.stacked ? "only a gated activation is stacked" : "";
  }
  if (e.beta != 0) return format("{}: a gated activation takes no C", to_string(e));
  for (const GemmShape& shape : w.shapes) {
    if (shape.n % 2 == 0) continue;
    return format("N = {}: gate and up of {} alternate, so N must be even", shape.n, to_string(e));
  }
  return "";
}

// The scales of A and of B that go together, by form.
struct ScalePair {
  ScaleForm a;
  ScaleForm b;
};

constexpr ScalePair kScalePairs[] = {
    {ScaleForm::None, ScaleForm::None},     {ScaleForm::Tensor, ScaleForm::None},
    {ScaleForm::None, ScaleForm::Tensor},   {ScaleForm::Tensor, ScaleForm::Tensor},
    {ScaleForm::Line, ScaleForm::Line},     {ScaleForm::Vector, ScaleForm::Block},
    {ScaleForm::Vector, ScaleForm::Vector},
};

std::string why_not_scaled(const Workload& w) {
  const Epilogue& e = w.kind.epilogue;
  const ScalePair forms{tw::form_of(e.scale_a), tw::form_of(e.scale_b)};
  const bool scaled = forms.a != ScaleForm::None || forms.b != ScaleForm::None;
  const std::string type = to_string(w.kind.dtype);
  if (bytes_of(w.kind.dtype) != 1) {
    if (scaled) return format("operands of {} have no scale; those of 8 bits have", type);
    return w.kind.accumulation == Accumulation::Fast
               ? ""
               : format("sums of {} have the accuracy of fp32; 8-bit operands are promoted", type);
  }
  const bool known =
      std::any_of(std::begin(kScalePairs), std::end(kScalePairs),
                  [&](const ScalePair& pair) { return pair.a == forms.a && pair.b == forms.b; });
  if (!known) {
    const auto name = [](OperandScale scale, Operand operand) {
      return scale == OperandScale::None ? "none" : scale_name(scale, operand);
    };
    return format(
        "scales {} of A and {} of B cannot be combined: use tensor with tensor, row with column, "
        "or "
        "block:1x128 with block:128x128 or block:1x128",
        name(e.scale_a, Operand::A), name(e.scale_b, Operand::B));
  }
  const bool of_lines = scaled && tw::lines_per_scale(forms.a) > 0;
  if (!of_lines || !has_per_problem_shapes(w)) return "";
  return "scales by rows, columns or blocks in a group are of products that share N and K";
}

Problem largest_product(const Workload& w) {
  Problem largest = problem_of(w, 0);
  GemmShape& most = largest.shape;
  most = {0, 0, 0};
  for (const GemmShape& shape : w.shapes) {
    if (!is_triangular(w) && !has_elements(shape)) continue;
    most = {std::max(most.m, shape.m), std::max(most.n, shape.n), std::max(most.k, shape.k)};
  }
  return largest;
}

std::optional<Rejection> reject_updates(const Workload& w) {
  const std::string op = to_string(w.op);
  const auto refuse = [](std::string why) { return Rejection{"operation", std::move(why)}; };
  if (w.kind.layout != MatrixLayout::TN && w.kind.layout != MatrixLayout::NT) {
    return refuse(format("layout {}: the factors of {} need operands of the same layout, tn or nt",
                         to_string(w.kind.layout), op));
  }
  const Epilogue& e = w.kind.epilogue;
  if (e.bias || e.row_bias || !is_linear(e)) {
    const std::string type = e.out_dtype == DataType::E4M3 ? " D of e4m3" : "";
    return refuse(format("{} has no {}", op, trim(to_string(e) + scales_text(e) + type)));
  }
  if (bytes_of(w.kind.dtype) != 2) {
    return refuse(
        format("kernels of {} take operands of 16 bits, not {}", op, to_string(w.kind.dtype)));
  }
  const bool along_k = is_k_major_a(w.kind.layout);
  const auto fits = [&](const GemmShape& s) {
    return s.n == 0 || s.k == 0 || tma_rows(along_k ? s.k : s.n, w.kind.dtype);
  };
  const auto other = std::find_if_not(w.shapes.begin(), w.shapes.end(), fits);
  if (other == w.shapes.end()) {
    if (largest_product(w).shape.n > 0) return {};
    return refuse("no product of the group has an element");
  }
  const int64_t extent = along_k ? other->k : other->n;
  return refuse(
      format("{} = {}: TMA addresses rows that are a multiple of 16 bytes; {} = {} "
             "(padded with zeros) works",
             along_k ? "K" : "N", extent, along_k ? "K" : "N",
             round_up(extent, int64_t{16} / bytes_of(w.kind.dtype))));
}

// The names of the families that have these rules.
std::string families_with(RejectWorkload FamilyRecord::*rules) {
  std::vector<std::string> names;
  for (const Family family : all_families()) {
    if (record_of(family).*rules != nullptr) names.push_back(to_string(family));
  }
  return join(names, ", ");
}

// Why the device cannot run the workload with any config, if so.
std::optional<Rejection> reject_device(const Workload& w, const DeviceSpec& d) {
  if (auto rejection = reject_workload_kind(w)) return rejection;
  if (w.kind.sms <= d.sm_count) return {};
  return Rejection{"sms", format("{} has {} multiprocessors, and {} are asked for", d.name,
                                 d.sm_count, w.kind.sms)};
}

// CTAs of a launch that is not persistent, and of kernels that add parts later, do not keep to a
// number of multiprocessors.
std::optional<Rejection> reject_sms(const Workload& w, const TileConfig& c) {
  const int sms = w.kind.sms;
  if (sms == 0) return {};
  if (launch_cluster_size(c) > sms) {
    return Rejection{"sms", format("a cluster of {} CTAs is larger than {} multiprocessors",
                                   launch_cluster_size(c), sms)};
  }
  const bool divided = !std::holds_alternative<DataParallel>(c.decomposition);
  if (divided && reduction_of(c.decomposition) == Reduction::Workspace) {
    return Rejection{"sms", "the second kernel of reduction workspace runs on all multiprocessors"};
  }
  if (record_of(c.family).persistent || is_group(w)) return {};
  const PlannedProblem problem = count_problem(w, w.shapes.front(), c);
  const int64_t ctas = problem.work.slots * problem.work.slices;
  if (ctas <= sms) return {};
  return Rejection{"sms", format("the {} family launches a CTA for each of {} units, more than {} "
                                 "multiprocessors",
                                 record_of(c.family).name, ctas, sms)};
}

// The family's own rules.
std::optional<Rejection> reject_by_family(const Workload& w, const Problem& largest,
                                          const TileConfig& config, const DeviceSpec& device) {
  const FamilyRecord& family = record_of(config.family);
  if (is_product(w)) return family.reject(problem_of(w, 0), config, device);
  const bool updates = is_triangular(w);
  const RejectWorkload rules = updates ? family.reject_update : family.reject_group;
  if (rules != nullptr) return rules(w, largest, config, device);
  if (updates) {
    const std::string op = to_string(w.op);
    return Rejection{"operation", format("the {} family has no {}; {} has", family.name, op,
                                         families_with(&FamilyRecord::reject_update))};
  }
  return Rejection{"group", format("the {} family runs one product a launch; {} runs groups",
                                   family.name, families_with(&FamilyRecord::reject_group))};
}

}  // namespace

std::string not_runnable_text(const std::string& reason) {
  return format("none of our kernels runs this tile: {}", reason);
}

int max_stages(TileConfig config, const Problem& problem, const DeviceSpec& device) {
  const FamilyRecord& family = record_of(config.family);
  const Workload workload = workload_of(problem);
  config.stages = 8;
  while (config.stages > 2 && family.dynamic_smem_bytes(family.params(workload, config, {})) >
                                  device.smem_per_cta_bytes) {
    --config.stages;
  }
  return config.stages;
}

std::optional<Rejection> reject_config(const Problem& problem, const TileConfig& config,
                                       const DeviceSpec& device) {
  if (auto rejection = record_of(config.family).reject(problem, config, device)) return rejection;
  return reject_sms(workload_of(problem), config);
}

std::optional<Rejection> reject_plan(const Plan& plan, const DeviceSpec& device) {
  if (plan.options.emulation != Emulation::None) {
    return Rejection{"emulation", "another library's scheduler, of which only the order is known"};
  }
  return reject_workload(plan.workload, plan.config, device);
}

std::optional<Rejection> reject_workload_kind(const Workload& workload) {
  if (const std::string why = why_no_epilogue(workload); !why.empty()) {
    return Rejection{"epilogue", why};
  }
  if (const std::string why = why_not_scaled(workload); !why.empty()) {
    return Rejection{"operands", why};
  }
  if (is_triangular(workload)) return reject_updates(workload);
  if (!is_group(workload)) return {};
  const std::string reason = why_not_group(workload);
  if (!reason.empty()) return Rejection{"group", reason};
  return {};
}

WorkloadRules::WorkloadRules(const Workload& workload, const DeviceSpec& device)
    : workload_(workload),
      device_(device),
      always_(reject_device(workload, device)),
      largest_(largest_product(workload)) {}

std::optional<Rejection> WorkloadRules::reject(const TileConfig& config) const {
  if (always_) return always_;
  if (is_across_gpus(workload_)) {
    if (auto rejection = reject_across_gpus(workload_, config, device_)) return rejection;
  }
  if (auto rejection = reject_by_family(workload_, largest_, config, device_)) return rejection;
  return reject_sms(workload_, config);
}

std::optional<Rejection> reject_workload(const Workload& workload, const TileConfig& config,
                                         const DeviceSpec& device) {
  return WorkloadRules(workload, device).reject(config);
}

}  // namespace tilewright
