#include "tile/workload/product_bytes.hpp"

#include "tile/workload/scale_layout.hpp"

namespace tilewright {
namespace {

double addend_bytes(const Workload& w, const GemmShape& s) {
  const Epilogue& e = w.kind.epilogue;
  const double elements = (e.beta != 0 ? computed_elements(w, s) : 0) +
                          static_cast<double>((e.bias ? s.n : 0) + (e.row_bias ? s.m : 0));
  return bytes_of(addend_type(w.kind)) * elements + (e.scale_d ? sizeof(float) : 0);
}

// Elements of A and of B: rank-k updates have one matrix for both.
double matrix_elements(const Workload& w, const GemmShape& s) {
  const tw::OpRecord& op = tw::record_of(w.op);
  const int64_t lines = s.m + (op.takes_b ? s.n : 0);
  return static_cast<double>(lines) * static_cast<double>(s.k) * op.planes;
}

double output_bytes(const Workload& w, const GemmShape& s) {
  return bytes_of(output_type(w.kind)) * stored_elements(w, s) +
         (w.kind.epilogue.absmax ? sizeof(float) : 0);
}

}  // namespace

ProductBytes product_bytes(const Workload& workload, size_t index) {
  const GemmShape& shape = workload.shapes[index];
  if (shape.m == 0 || shape.n == 0) return {};
  const Workload one{
      .op = workload.op, .uplo = workload.uplo, .kind = workload.kind, .shapes = {shape}};
  const Epilogue& e = one.kind.epilogue;
  ProductBytes bytes{.operands = bytes_of(one.kind.dtype) * matrix_elements(one, shape),
                     .addends = addend_bytes(one, shape),
                     .output = output_bytes(one, shape)};
  for (const Operand operand : {Operand::A, Operand::B}) {
    const ScaleForm form = tw::form_of(operand == Operand::A ? e.scale_a : e.scale_b);
    (tw::has_k_blocks(form) ? bytes.operands : bytes.addends) +=
        static_cast<double>(scale_bytes(one, operand));
  }
  return bytes;
}

double operand_bytes(const Problem& problem) {
  return operand_bytes(workload_of(problem));
}

double operand_bytes(const Workload& workload) {
  double sum = 0;
  for (size_t i = 0; i < workload.shapes.size(); ++i) {
    const ProductBytes bytes = product_bytes(workload, i);
    sum += bytes.operands + bytes.addends + bytes.output;
  }
  return sum;
}

}  // namespace tilewright
