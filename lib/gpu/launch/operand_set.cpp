#include "gpu/launch/operand_set.hpp"

#include <utility>

#include "base/math.hpp"
#include "tile/workload/scale_layout.hpp"

namespace tilewright {

std::vector<MatrixOffsets> byte_offsets(const Workload& workload) {
  // Products that are not packed begin aligned.
  constexpr int64_t kAlignment = 256;
  const bool aligned = is_group(workload) && packing_of(workload) == Packing::None;
  const int64_t unit = aligned ? kAlignment : 1;
  const tw::OpRecord& op = tw::record_of(workload.op);
  std::vector<MatrixOffsets> places(1);
  for (size_t i = 0; i < workload.shapes.size(); ++i) {
    const Problem p = problem_of(workload, i);
    const GemmShape& s = p.shape;
    const auto behind = [&](int64_t before, int64_t elements, DataType type) {
      return before + round_up(op.planes * elements * bytes_of(type), unit);
    };
    const MatrixOffsets& own = places.back();
    places.push_back({behind(own.a, s.m * s.k, p.kind.dtype),
                      op.takes_b ? behind(own.b, s.n * s.k, p.kind.dtype) : 0,
                      behind(own.c, s.m * s.n, addend_type(p.kind)),
                      behind(own.d, s.m * output_columns(p.kind, s.n), output_type(p.kind))});
  }
  return places;
}

const void* plane_of(const void* matrix, int plane, int64_t elements, DataType type) {
  if (matrix == nullptr) return nullptr;
  return static_cast<const char*>(matrix) + plane * elements * bytes_of(type);
}

tw::EpilogueArgs epilogue_args(const Plan& plan, const OperandSet& operands,
                               const EpilogueScalars* scalars) {
  const Epilogue& epilogue = plan.workload.kind.epilogue;
  tw::EpilogueArgs args;
  args.alpha = scalars != nullptr ? scalars->alpha : epilogue.alpha;
  args.beta = scalars != nullptr ? scalars->beta : epilogue.beta;
  args.c = static_cast<const unsigned short*>(operands.c);
  args.bias = static_cast<const unsigned short*>(operands.bias);
  args.scale_a = operands.scale_a;
  args.scale_b = operands.scale_b;
  if (epilogue_params(epilogue).has_scaling()) {
    args.scaling = operands.scaling;
  } else {
    args.ldc = pitches_of(plan.product, plan.options.places).c;
  }
  return args;
}

tw::OperandScales operand_scales(const Plan& plan, const OperandSet& operands) {
  tw::OperandScales scales{
      .a = scale_args(scale_layout(plan.workload, Operand::A), operands.scale_a),
      .b = scale_args(scale_layout(plan.workload, Operand::B), operands.scale_b)};
  if (plan.config.swap_ab) std::swap(scales.a, scales.b);
  return scales;
}

OperandSet operands_of(const OperandSet& packed, const Workload& group, size_t index) {
  const MatrixOffsets before = byte_offsets(group)[index];
  const auto at = [](const void* base, int64_t bytes) {
    return base == nullptr ? nullptr : static_cast<const char*>(base) + bytes;
  };
  const auto scales_at = [](const float* base, int64_t elements) {
    return base == nullptr ? nullptr : base + elements;
  };
  int64_t rows = 0;
  for (size_t i = 0; i < index; ++i) rows += group.shapes[i].m;
  return {.a = at(packed.a, before.a),
          .b = at(packed.b, before.b),
          .c = at(packed.c, before.c),
          .bias = packed.bias,
          .scale_a = scales_at(packed.scale_a, rows * scale_layout(group, Operand::A).line),
          .scale_b = scales_at(packed.scale_b, static_cast<int64_t>(index) *
                                                   scale_layout(group, Operand::B).problem),
          .scaling = packed.scaling,
          .d = static_cast<char*>(packed.d) + before.d};
}

}  // namespace tilewright
