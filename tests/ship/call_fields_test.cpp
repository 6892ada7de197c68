#include "ship/call_fields.hpp"

#include <doctest/doctest.h>

#include "tile/workload/problem.hpp"

using namespace tilewright;

namespace {

std::vector<CallField> fields_of(const ProductKind& kind) {
  return call_fields(workload_of(Problem{{64, 64, 64}, kind}));
}

}  // namespace

TEST_CASE("a plain product sets no further field") {
  CHECK(fields_of({}).empty());
  CHECK(fields_of({.dtype = DataType::E5M2, .epilogue = {.out_dtype = DataType::F32}}).empty());
}

TEST_CASE("the fields of a call and the bytes behind its pointers follow the epilogue") {
  ProductKind kind{.dtype = DataType::E4M3};
  kind.epilogue = parse_epilogue("gelu-erf(0.5*ab+2*c+row-bias)");
  kind.epilogue.scale_a = OperandScale::Vector;
  kind.epilogue.scale_b = OperandScale::BlockPadded;
  kind.epilogue.absmax = true;
  kind.accumulation = Accumulation::Promoted;
  const std::vector<CallField> fields = {{"activation", "3", "GELU_ERF"},
                                         {"c", "", ""},
                                         {"bias", "", ""},
                                         {"alpha", "0.5", ""},
                                         {"beta", "2", ""},
                                         {"scale_a", "", ""},
                                         {"scale_b", "", ""},
                                         {"scale_a_form", "2", "SCALE_1X128"},
                                         {"scale_b_form", "5", "SCALE_128X128_K4"},
                                         {"accumulation", "1", "PROMOTED"},
                                         {"bias_along_m", "1", ""},
                                         {"takes_absmax", "1", ""},
                                         {"scaling", "", ""}};
  CHECK(fields_of(kind) == fields);
  const Workload workload = workload_of(Problem{{333, 300, 640}, kind});
  CHECK(pointed_bytes(workload, "scale_a") == 5 * 336 * 4);
  CHECK(pointed_bytes(workload, "scale_b") == 3 * 8 * 4);
  CHECK(pointed_bytes(workload, "bias") == 333 * 2);
  CHECK(pointed_bytes(workload, "c") == 333 * 300 * 2);
  CHECK(pointed_bytes(workload, "scaling") == 8);
  CHECK(pointed_bytes(workload, "alpha") == 0);
}

TEST_CASE("multiprocessors that a product keeps to are a field") {
  CHECK(fields_of({.sms = 100}) == std::vector<CallField>{{"sms", "100", ""}});
}

TEST_CASE("stacked gates and a factor of D are fields of their own") {
  const std::vector<CallField> fields = {{"activation", "5", "SWIGLU"},
                                         {"stacked", "1", ""},
                                         {"uses_scale_d", "1", ""},
                                         {"scaling", "", ""}};
  CHECK(fields_of(
            {.epilogue = {.activation = Activation::Swiglu, .stacked = true, .scale_d = true}}) ==
        fields);
}

TEST_CASE("a product that GPUs share says how, and how many") {
  Workload workload = workload_of(Problem{{64, 64, 64}, {}});
  workload.parallel = {Collective::AllGather, 4};
  const std::vector<CallField> fields = {{"parallel", "3", "ALL_GATHER"}, {"gpus", "4", ""}};
  CHECK(call_fields(workload) == fields);
}
