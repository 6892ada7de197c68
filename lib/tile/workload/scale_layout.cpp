#include "tile/workload/scale_layout.hpp"

#include <algorithm>

#include "base/math.hpp"

namespace tilewright {

ScaleLayout scale_layout(const Workload& w, Operand operand) {
  const bool of_a = operand == Operand::A;
  const Epilogue& e = w.kind.epilogue;
  const tw::ScaleRecord& record = tw::record_of(of_a ? e.scale_a : e.scale_b);
  ScaleLayout layout;
  if (record.form == ScaleForm::None) return layout;
  if (record.form == ScaleForm::Tensor) {
    layout.scales_along_lines = layout.scales_along_k = layout.elements = 1;
    return layout;
  }
  const GemmShape& shape = w.shapes.front();
  const int64_t lines = of_a ? total_rows(w) : shape.n;
  layout.scales_along_lines = ceil_div(lines, int64_t{tw::lines_per_scale(record.form)});
  layout.scales_along_k =
      tw::has_k_blocks(record.form) ? ceil_div(shape.k, int64_t{tw::kScaleBlock}) : 1;
  const int64_t together = round_up(
      record.along_k ? layout.scales_along_k : layout.scales_along_lines, int64_t{record.padding});
  const int64_t others = record.along_k ? layout.scales_along_lines : layout.scales_along_k;
  layout.line = record.along_k ? together : 1;
  if (tw::has_k_blocks(record.form)) layout.k = record.along_k ? 1 : together;
  layout.elements = together * others;
  if (of_a) return layout;
  layout.problem = layout.elements;
  layout.elements *= std::ssize(w.shapes);
  return layout;
}

tw::ScaleArgs scale_args(const ScaleLayout& layout, const float* data) {
  return {.data = data, .line = layout.line, .k = layout.k, .problem = layout.problem};
}

int64_t scale_bytes(const Workload& workload, Operand operand) {
  return scale_layout(workload, operand).elements * int64_t{sizeof(float)};
}

}  // namespace tilewright
