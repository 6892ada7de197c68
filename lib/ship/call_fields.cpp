#include "ship/call_fields.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

#include "base/text.hpp"
#include "tile/workload/scale_layout.hpp"

namespace tilewright {
namespace {

// "GELU_ERF" of "gelu-erf".
std::string constant_of(std::string_view name) {
  std::string text(name);
  for (char& letter : text) {
    letter =
        letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return text;
}

// Constants of shipped_scale, in their order.
constexpr std::string_view kScaleConstants[] = {"SCALE_TENSOR",  "SCALE_LINE",
                                                "SCALE_1X128",   "SCALE_1X128_K",
                                                "SCALE_128X128", "SCALE_128X128_K4"};

// All of kScales but None.
static_assert(std::size(kScaleConstants) + 1 == std::size(tw::kScales));

class FieldList {
 public:
  void add(const char* name, std::string value, std::string_view constant = {}) {
    fields_.push_back({name, std::move(value), std::string(constant)});
  }
  void add_if(bool is_set, const char* name) {
    if (is_set) add(name, "1");
  }
  void add_pointer(bool is_set, const char* name) {
    if (is_set) add(name, "");
  }
  void add_form(OperandScale scale, const char* name) {
    if (scale == OperandScale::None || scale == OperandScale::Tensor) return;
    const int form = static_cast<int>(scale) - static_cast<int>(OperandScale::Tensor);
    add(name, format("{}", form), kScaleConstants[form]);
  }
  std::vector<CallField> take() { return std::move(fields_); }

 private:
  std::vector<CallField> fields_;
};

}  // namespace

std::vector<CallField> call_fields(const Workload& workload) {
  const ProductKind& kind = workload.kind;
  const Epilogue& e = kind.epilogue;
  FieldList list;
  if (e.activation != Activation::None) {
    list.add("activation", format("{}", static_cast<int>(e.activation)),
             constant_of(tw::record_of(e.activation).name));
  }
  list.add_pointer(e.beta != 0, "c");
  list.add_pointer(e.bias || e.row_bias, "bias");
  if (e.alpha != 1) list.add("alpha", format("{}", e.alpha));
  if (e.beta != 0) list.add("beta", format("{}", e.beta));
  list.add_pointer(e.scale_a != OperandScale::None, "scale_a");
  list.add_pointer(e.scale_b != OperandScale::None, "scale_b");
  list.add_form(e.scale_a, "scale_a_form");
  list.add_form(e.scale_b, "scale_b_form");
  if (kind.accumulation == Accumulation::Promoted) list.add("accumulation", "1", "PROMOTED");
  list.add_if(e.row_bias, "bias_along_m");
  list.add_if(e.stacked, "stacked");
  list.add_if(e.scale_d, "uses_scale_d");
  list.add_if(e.absmax, "takes_absmax");
  list.add_pointer(e.scale_d || e.absmax, "scaling");
  if (kind.sms > 0) list.add("sms", format("{}", kind.sms));
  if (is_across_gpus(workload)) {
    const Parallel& parallel = workload.parallel;
    list.add("parallel", format("{}", static_cast<int>(parallel.collective)),
             constant_of(to_string(parallel.collective)));
    list.add("gpus", format("{}", parallel.gpus));
  }
  return list.take();
}

int64_t pointed_bytes(const Workload& workload, const std::string& field) {
  constexpr int64_t kFloatBytes = sizeof(float);
  if (field == "scale_a") return scale_layout(workload, Operand::A).elements * kFloatBytes;
  if (field == "scale_b") return scale_layout(workload, Operand::B).elements * kFloatBytes;
  if (field == "scaling") return 2 * kFloatBytes;
  if (field != "bias" && field != "c") return 0;
  const int64_t rows = total_rows(workload);
  const int64_t columns = workload.shapes.front().n;
  const int64_t elements = field == "c"                      ? rows * columns
                           : workload.kind.epilogue.row_bias ? rows
                                                             : columns;
  return elements * bytes_of(addend_type(workload.kind));
}

}  // namespace tilewright
