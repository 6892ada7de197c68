// Scales and epilogues through the C interface of a shipped library, against float64.

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "answer/shipped_set.hpp"
#include "search/complete.hpp"
#include "support/gpu_library.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

using testing::call_on;
using testing::compiled;
using testing::launched;
using testing::ShippedLibrary;

constexpr uint64_t kFormSeed = 21;

struct Form {
  const char* shapes;
  DataType dtype = DataType::BF16;
  const char* epilogue = "";
  const char* scale_a = "";
  const char* scale_b = "";
  std::optional<DataType> output = {};
  bool scale_d = false;
  bool absmax = false;
  Accumulation accumulation = Accumulation::Fast;
};

constexpr const char* kGroup = "100x520x1168,0x520x1168,257x520x1168,3x520x1168";

const Form kForms[] = {
    {"333x520x1040", DataType::E4M3, "", "row", "column"},
    {"333x520x1168", DataType::E4M3, "", "block:1x128@k", "block:128x128"},
    {"257x520x656", DataType::E4M3, "", "block:1x128", "block:1x128@k"},
    {"1025x712x2000", DataType::E4M3, "gelu(c+bias)", "block:1x128", "block:128x128@k4"},
    {"333x520x1040", DataType::E5M2, "", "block:1x128", "block:128x128"},
    {"333x520x1040", DataType::E5M2, "", "tensor", "tensor"},
    {.shapes = "256x768x4096", .dtype = DataType::E4M3, .accumulation = Accumulation::Promoted},
    {"256x768x1024", DataType::E4M3, "swiglu", "tensor", "tensor", DataType::E4M3, true, true},
    {"333x528x1040", DataType::E4M3, "swiglu@stacked(bias)", "block:1x128", "block:128x128"},
    {"333x528x1040", DataType::E4M3, "geglu@stacked", "row", "column"},
    {.shapes = "300x1504x512", .epilogue = "swiglu@stacked(bias)"},
    {.shapes = "300x1504x512", .epilogue = "gelu-erf(c+row-bias)"},
    {.shapes = "300x1504x512", .epilogue = "geglu", .absmax = true},
    {.shapes = "300x1504x512",
     .epilogue = "relu(row-bias)",
     .output = DataType::E4M3,
     .scale_d = true,
     .absmax = true},
    {kGroup, DataType::E4M3, "", "row", "column"},
    {kGroup, DataType::E4M3, "", "block:1x128", "block:128x128"},
    {kGroup, DataType::E4M3, "swiglu", "block:1x128@k", "block:128x128@k4"},
    {kGroup, DataType::E5M2, "", "block:1x128", "block:128x128@k4"}};

Workload work_of(const Form& form) {
  Workload workload;
  workload.shapes = parse_shapes(form.shapes, MatrixOp::Gemm);
  workload.kind = {.dtype = form.dtype, .accumulation = form.accumulation};
  Epilogue& epilogue = workload.kind.epilogue;
  if (*form.epilogue != 0) epilogue = parse_epilogue(form.epilogue);
  if (*form.scale_a != 0) epilogue.scale_a = parse_scale(form.scale_a, Operand::A);
  if (*form.scale_b != 0) epilogue.scale_b = parse_scale(form.scale_b, Operand::B);
  epilogue.out_dtype = form.output;
  epilogue.scale_d = form.scale_d;
  epilogue.absmax = form.absmax;
  workload.kind = normalised(workload.kind);
  return workload;
}

// The model's choice for each form, and its kernel only.
AnswerTable table_of_forms() {
  AnswerTable table;
  table.device = testing::h200();
  ShippedSet set(table.device);
  for (const Form& form : kForms) {
    const Workload workload = work_of(form);
    // A group's rows may be known only on the device.
    const ConfigRequest request =
        is_group(workload) ? parse_config("group_schedule=device-only") : ConfigRequest{};
    const TileConfig config = complete_config(request, workload, table.device);
    table.rows.push_back(
        {.problem = workload, .choice = config, .predicted_us = 1, .file = "forms.yaml"});
    const std::optional<Plan> plan = set.plan_of(workload, config, {});
    REQUIRE(plan.has_value());
    set.add(*plan);
  }
  table.kernels = set.kernels();
  return table;
}

ShippedLibrary& shipped_forms() {
  static ShippedLibrary library(table_of_forms(), "forms_test", compiled);
  return library;
}

// One form's operands and reference.
class FormBench {
 public:
  explicit FormBench(const Workload& workload)
      : workload_(workload),
        device_(workload.kind.dtype, output_type(workload.kind), architecture(testing::h200()),
                testing::test_cache()),
        operands_(workload, 0, kFormSeed, device_),
        verifier_(workload, operands_.set(0), kFormSeed, device_) {}

  const OperandSet& set() const { return operands_.set(0); }

  // Poisons D, launches the call and compares with float64.
  Verification run(const shipped_call& call) {
    verifier_.poison();
    DeviceBuffer workspace;
    REQUIRE_MESSAGE(launched(shipped_forms(), call, workspace) == SHIPPED_GOOD,
                    shipped_forms().error());
    TW_CHECK(cudaDeviceSynchronize());
    return verifier_.check(workload_.kind.epilogue);
  }

 private:
  Workload workload_;
  DeviceKernels device_;
  Operands operands_;
  WorkloadVerifier verifier_;
};

TEST_CASE("every form of scales and epilogues is right through the C interface") {
  for (const Form& form : kForms) {
    const Workload workload = work_of(form);
    CAPTURE(full_text(workload));
    FormBench bench(workload);
    std::vector<int64_t> rows;
    shipped_call call = call_on(shipped_forms(), workload, bench.set(), rows);
    const Verification verification = bench.run(call);
    CHECK_MESSAGE(verification.ok, verification.detail);
    if (!is_group(workload)) continue;
    // Again, with rows that only the device has.
    call.group_rows = nullptr;
    const Verification unknown = bench.run(call);
    CHECK_MESSAGE(unknown.ok, unknown.detail);
  }
}

TEST_CASE("a call with another form than its operands gives no right result") {
  const Workload workload = work_of(kForms[1]);
  FormBench bench(workload);
  std::vector<int64_t> rows;
  const shipped_call right = call_on(shipped_forms(), workload, bench.set(), rows);
  REQUIRE(bench.run(right).ok);
  shipped_call wrong = right;
  ++wrong.scale_a;  // each scale is its neighbour's
  CHECK(!bench.run(wrong).ok);
  wrong = right;
  wrong.scale_b += 1;
  CHECK(!bench.run(wrong).ok);
  wrong = right;
  wrong.scale_b_form = SHIPPED_SCALE_128X128_K4;
  CHECK(!bench.run(wrong).ok);
  wrong.scale_a = wrong.scale_b = nullptr;
  wrong.scale_a_form = wrong.scale_b_form = SHIPPED_SCALE_TENSOR;
  CHECK(shipped_forms().why(wrong).find("is shipped") != std::string::npos);
}

TEST_CASE("a kernel that was tuned for scales without padding reads those with it, and back") {
  for (const char* const of_b : {"block:128x128", "block:128x128@k4"}) {
    Form form = kForms[1];
    form.scale_b = of_b;
    const Workload workload = work_of(form);
    CAPTURE(full_text(workload));
    FormBench bench(workload);
    std::vector<int64_t> rows;
    const Verification verification =
        bench.run(call_on(shipped_forms(), workload, bench.set(), rows));
    CHECK_MESSAGE(verification.ok, verification.detail);
  }
}

TEST_CASE("a scaled product without depth is zero") {
  const Workload workload = work_of(kForms[1]);
  FormBench bench(workload);
  std::vector<int64_t> rows;
  shipped_call call = call_on(shipped_forms(), workload, bench.set(), rows);
  call.k = 0;
  DeviceBuffer workspace;
  REQUIRE_MESSAGE(launched(shipped_forms(), call, workspace) == SHIPPED_GOOD,
                  shipped_forms().error());
  TW_CHECK(cudaDeviceSynchronize());
  std::vector<uint16_t> d(static_cast<size_t>(call.m * call.n));
  copy_to_host(d.data(), bench.set().d, d.size() * sizeof(uint16_t));
  CHECK(std::all_of(d.begin(), d.end(), [](uint16_t bits) { return bits == 0; }));
}

}  // namespace
}  // namespace tilewright
