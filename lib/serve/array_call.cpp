#include "serve/array_call.hpp"

#include <optional>
#include <string>

#include "base/text.hpp"
#include "serve/matrix_view.hpp"
#include "serve/scale_array.hpp"

namespace tilewright {
namespace {

struct NamedType {
  ArrayType type;
  int32_t code;  // a shipped_type
};
constexpr std::array<NamedType, 5> kNamedTypes = {{
    {{kDlpackBfloat, 16, 1}, SHIPPED_BF16},
    {{kDlpackFloat, 16, 1}, SHIPPED_F16},
    {{kDlpackFloat, 32, 1}, SHIPPED_F32},
    {{kDlpackE4m3, 8, 1}, SHIPPED_E4M3},
    {{kDlpackE5m2, 8, 1}, SHIPPED_E5M2},
}};
constexpr ArrayType kInt32 = {kDlpackInt, 32, 1};
constexpr ArrayType kFloat32 = {kDlpackFloat, 32, 1};

std::string type_text(ArrayType type) {
  const char* const name = type.code == kDlpackInt        ? "int"
                           : type.code == kDlpackUnsigned ? "uint"
                           : type.code == kDlpackFloat    ? "float"
                           : type.code == kDlpackBfloat   ? "bfloat"
                                                          : nullptr;
  if (type == ArrayType{kDlpackE4m3, 8, 1}) return "float8_e4m3fn";
  if (type == ArrayType{kDlpackE5m2, 8, 1}) return "float8_e5m2";
  if (name == nullptr) return format("of DLPack's type {} with {} bits", type.code, type.bits);
  return format("{}{}", name, type.bits);
}

std::optional<int32_t> code_of(ArrayType type) {
  for (const NamedType& known : kNamedTypes) {
    if (known.type == type) return known.code;
  }
  return std::nullopt;
}

int32_t require_operand_type(const Array& array, const char* name) {
  const std::optional<int32_t> code = code_of(array.type);
  if (code && *code != SHIPPED_F32) return *code;
  throw TypeFault(format("{} is {}: operands are bfloat16, float16, float8_e4m3fn or float8_e5m2",
                         name, type_text(array.type)));
}

void require_type(const Array& array, const char* name, ArrayType type) {
  if (array.type == type) return;
  throw TypeFault(
      format("{} is {}, and this function takes {}", name, type_text(array.type), type_text(type)));
}

void require_extent(const char* name, const char* what, int64_t extent, int64_t wanted) {
  if (extent == wanted) return;
  throw usage_error(format("{} has {} {}, and it must have {}", name, extent, what, wanted));
}

ArrayType addend_type_of(ArrayType operand) {
  return operand.bits == 8 ? ArrayType{kDlpackBfloat, 16, 1} : operand;
}

const Array& given_array(const Array* array, const char* name) {
  if (array == nullptr) throw TypeFault(format("{} is missing", name));
  return *array;
}

void begin_call(ArrayCall& made, const Array& a, const ArrayType* out_type) {
  made.call = shipped_default_call();
  made.call.type = require_operand_type(a, "a");
  made.call.a = first_element(a);
  made.device = a.device;
  made.out_type = out_type != nullptr ? *out_type : addend_type_of(a.type);
  const std::optional<int32_t> code = code_of(made.out_type);
  if (!code || made.out_type.bits == 8) {
    throw TypeFault(format("the result cannot be {}: it must be bfloat16, float16 or float32",
                           type_text(made.out_type)));
  }
  made.call.out_type = *code;
  made.read.reserve(6);
  made.read.push_back(&a);
}

int32_t layout_of_operands(bool a_along_k, bool b_along_k) {
  if (a_along_k) return b_along_k ? SHIPPED_TN : SHIPPED_TT;
  return b_along_k ? SHIPPED_NN : SHIPPED_NT;
}

const float* scale_of(ArrayCall& made, const Array* array, const char* name) {
  if (array == nullptr) return nullptr;
  require_type(*array, name, kFloat32);
  made.read.push_back(array);
  return static_cast<const float*>(first_element(*array));
}

void add_vectors(ArrayCall& made, const ProductArrays& arrays, int64_t n) {
  if (arrays.bias != nullptr) {
    const Array& bias = *arrays.bias;
    require_type(bias, "bias", addend_type_of(arrays.a->type));
    require_extent("bias", "dimensions", bias.ndim, 1);
    require_extent("bias", "elements", bias.shape[0], n);
    if (n > 1 && stride_of(bias, 0) != 1) {
      throw usage_error(format("bias: its elements are {} apart, and they must be contiguous",
                               stride_of(bias, 0)));
    }
    made.call.bias = first_element(bias);
    made.read.push_back(&bias);
  }
}

void add_scales(ArrayCall& made, const ProductArrays& arrays, int64_t groups) {
  shipped_call& call = made.call;
  const ScaleForms forms =
      scale_forms({call.m, call.n, call.k, groups}, arrays.scale_a, arrays.scale_b);
  call.scale_a = scale_of(made, arrays.scale_a, "scale_a");
  call.scale_b = scale_of(made, arrays.scale_b, "scale_b");
  call.scale_a_form = forms.a;
  call.scale_b_form = forms.b;
}

ArrayCall begin_product(const ProductArrays& arrays, const ArrayType* out_type, int rank_b) {
  const Array& a = given_array(arrays.a, "a");
  const Array& b = given_array(arrays.b, "b");
  ArrayCall made;
  begin_call(made, a, out_type);
  require_type(b, "b", a.type);
  const MatrixView view_a = matrix_view(a, "a", 2);
  const MatrixView view_b = matrix_view(b, "b", rank_b);
  require_extent("b", "rows", view_b.rows, view_a.columns);
  made.call.layout = layout_of_operands(view_a.rows_are_lines, !view_b.rows_are_lines);
  made.call.m = view_a.rows;
  made.call.n = view_b.columns;
  made.call.k = view_a.columns;
  made.call.lda = view_a.pitch;
  made.call.ldb = view_b.pitch;
  made.call.b = first_element(b);
  made.read.push_back(&b);
  made.shape = {1, view_a.rows, view_b.columns};
  add_vectors(made, arrays, view_b.columns);
  add_scales(made, arrays, rank_b == 3 ? arrays.b->shape[0] : 0);
  return made;
}

void require_form(const char* name, const MatrixView& view, int64_t planes, int64_t rows,
                  int64_t columns) {
  require_extent(name, "planes", view.planes, planes);
  require_extent(name, "rows", view.rows, rows);
  require_extent(name, "columns", view.columns, columns);
}

}  // namespace

ArrayCall product_call(const ProductArrays& arrays, const ArrayType* out_type) {
  return begin_product(arrays, out_type, 2);
}

ArrayCall shared_call(const ProductArrays& arrays, const ArrayShare& share,
                      const ArrayType* out_type) {
  ArrayCall made = begin_product(arrays, out_type, 2);
  shipped_call& call = made.call;
  call.comm = share.comm;
  call.parallel = share.parallel;
  call.gpus = share.gpus;
  const int64_t gpus = share.gpus;
  if (share.parallel == SHIPPED_ALL_GATHER) {
    call.m *= gpus;
    call.n *= gpus;
    made.shape[1] = call.m;
    return made;
  }
  if (call.m % gpus != 0) {
    throw usage_error(format("a has {} rows, no multiple of the {} GPUs", call.m, gpus));
  }
  call.k *= gpus;
  made.shape[1] = call.m / gpus;
  return made;
}

ArrayCall grouped_call(const ProductArrays& arrays, const std::vector<int64_t>* rows,
                       const ArrayType* out_type) {
  ArrayCall made = begin_product(arrays, out_type, 3);
  made.call.groups = arrays.b->shape[0];
  if (rows != nullptr) {
    require_extent("sizes", "groups", static_cast<int64_t>(rows->size()), made.call.groups);
    made.call.group_rows = rows->data();
    return made;
  }
  const Array& ends = given_array(arrays.ends, "offs or sizes");
  require_type(ends, "offs", kInt32);
  require_extent("offs", "dimensions", ends.ndim, 1);
  require_extent("offs", "groups", ends.shape[0], made.call.groups);
  if (ends.shape[0] > 1 && stride_of(ends, 0) != 1) {
    throw usage_error(
        format("offs: its elements are {} apart, and they must be contiguous", stride_of(ends, 0)));
  }
  made.call.group_ends = first_element(ends);
  made.read.push_back(&ends);
  return made;
}

ArrayCall update_call(int32_t op, int32_t uplo, const UpdateArrays& arrays, float alpha, float beta,
                      const ArrayType* out_type) {
  const Array& a = given_array(arrays.a, "a");
  const int ndim = op == SHIPPED_HER2K ? 3 : 2;
  ArrayCall made;
  begin_call(made, a, out_type);
  made.ndim = ndim;
  shipped_call& call = made.call;
  const MatrixView view_a = matrix_view(a, "a", ndim);
  if (op == SHIPPED_HER2K) require_extent("a", "planes", view_a.planes, 2);
  bool b_along_k = view_a.rows_are_lines;
  if (op != SHIPPED_SYRK) {
    const Array& b = given_array(arrays.b, "b");
    require_type(b, "b", a.type);
    const MatrixView view_b = matrix_view(b, "b", ndim);
    require_form("b", view_b, view_a.planes, view_a.rows, view_a.columns);
    b_along_k = view_b.rows_are_lines;
    call.b = first_element(b);
    call.ldb = view_b.pitch;
    made.read.push_back(&b);
  }
  call.op = op;
  call.uplo = uplo;
  call.layout = layout_of_operands(view_a.rows_are_lines, b_along_k);
  call.m = call.n = view_a.rows;
  call.k = view_a.columns;
  call.lda = view_a.pitch;
  call.alpha = alpha;
  call.beta = beta;
  if (arrays.c != nullptr && beta != 0) {
    const Array& c = *arrays.c;
    require_type(c, "c", addend_type_of(a.type));
    const MatrixView view_c = row_matrix_view(c, "c", ndim);
    require_form("c", view_c, view_a.planes, view_a.rows, view_a.rows);
    call.c = first_element(c);
    call.ldc = view_c.pitch;
    made.read.push_back(&c);
  }
  made.shape = {view_a.planes, view_a.rows, view_a.rows};
  return made;
}

void set_out(ArrayCall& made, const Array& out) {
  if (!(out.type == made.out_type)) {
    throw TypeFault(
        format("out is {}, and the result is {}", type_text(out.type), type_text(made.out_type)));
  }
  const MatrixView view = row_matrix_view(out, "out", made.ndim);
  require_form("out", view, made.shape[0], made.shape[1], made.shape[2]);
  if (!(out.device == made.device)) throw usage_error("out and a are on different devices");
  for (const Array* const array : made.read) {
    if (may_overlap(out, *array)) throw usage_error("out overlaps the memory of an operand");
  }
  made.call.d = first_element(out);
  made.call.ldd = view.pitch;
}

void require_on_gpu(const ArrayCall& made) {
  if (made.device.type != kDlpackCuda && made.device.type != kDlpackCudaManaged) {
    throw usage_error("a is not on a CUDA device");
  }
  for (const Array* const array : made.read) {
    if (!(array->device == made.device)) {
      throw usage_error("the arrays of a call are on different devices");
    }
  }
}

}  // namespace tilewright
