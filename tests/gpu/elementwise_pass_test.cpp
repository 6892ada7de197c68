// The reference for epilogues that cuBLASLt lacks: right against float64, and as fast as a copy.
#include "gpu/contenders/elementwise_pass.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/launch/check.hpp"
#include "gpu/measure/cuda_runner.hpp"
#include "stats/sample.hpp"
#include "support/gpu_bench.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {
namespace {

Workload workload_with(const char* shapes, const char* epilogue, Epilogue others = {}) {
  Workload workload{.shapes = parse_shapes(shapes, MatrixOp::Gemm)};
  Epilogue& e = workload.kind.epilogue;
  e = parse_epilogue(epilogue);
  e.out_dtype = others.out_dtype;
  e.scale_d = others.scale_d;
  e.absmax = others.absmax;
  return workload;
}

TEST_CASE("the library's product and one kernel compute what the library lacks") {
  std::vector<Workload> workloads;
  for (const char* const shapes : {"392x512x520", "16x1000x264", "72x136x4096", "2304x2112x512"}) {
    for (const char* const epilogue :
         {"silu", "silu(c)", "silu(0.5*c+bias)", "gelu-erf(bias)", "swiglu", "swiglu(2*ab+bias)",
          "geglu@stacked(bias)", "swiglu@stacked", "relu(row-bias)", "c+row-bias"}) {
      for (const DataType out : {DataType::BF16, DataType::F32, DataType::E4M3, DataType::F16}) {
        const bool scaled = out == DataType::E4M3;
        // cuBLASLt adds no C and no bias of bf16 to sums of f32.
        const Epilogue e = parse_epilogue(epilogue);
        const bool wide = out == DataType::F32 || out == DataType::F16;
        if (wide && (e.beta != 0 || e.bias)) continue;
        workloads.push_back(workload_with(shapes, epilogue,
                                          {.out_dtype = out, .scale_d = scaled, .absmax = scaled}));
        workloads.back().kind = normalised(workloads.back().kind);
      }
    }
  }
  workloads.push_back(workload_with("300x264x200,0x264x200,8x264x200", "swiglu"));
  workloads.push_back(workload_with("300x264x200,16x264x200", "silu"));
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  for (const Workload& workload : workloads) {
    CAPTURE(to_string(workload));
    runner->prepare(workload);
    const std::vector<Contender> references = runner->reference_contenders();
    REQUIRE(!references.empty());
    CHECK(references.front().name.ends_with(" + elementwise"));
    CHECK(runner->library_algorithms().list.empty());
    CHECK(runner->verify(references.front()).detail == "");
  }
}

/// Median microseconds of `launch` by events, over launches with different operands.
template <class Launch>
double median_us(const Launch& launch) {
  constexpr int kLaunches = 15;
  std::vector<double> times;
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  TW_CHECK(cudaEventCreate(&start));
  TW_CHECK(cudaEventCreate(&stop));
  for (int i = 0; i < kLaunches; ++i) {
    launch(i);  // the next one starts right behind it
    TW_CHECK(cudaEventRecord(start));
    launch(i + 1);
    TW_CHECK(cudaEventRecord(stop));
    TW_CHECK(cudaEventSynchronize(stop));
    float milliseconds = 0;
    TW_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    times.push_back(1e3 * static_cast<double>(milliseconds));
  }
  TW_CHECK(cudaEventDestroy(start));
  TW_CHECK(cudaEventDestroy(stop));
  return median(times);
}

TEST_CASE("the elementwise kernel reaches nine tenths of a copy's speed") {
  for (const char* const epilogue :
       {"swiglu", "swiglu@stacked", "silu", "relu(row-bias)", "geglu"}) {
    const Workload workload = workload_with("4096x28672x64", epilogue);
    CAPTURE(epilogue);
    const std::optional<Workload> product = library_part(workload);
    REQUIRE(product);
    const DeviceKernels kernels(DataType::BF16, DataType::BF16, "sm_90a", testing::test_cache());
    Operands operands(workload, int64_t{1} << 30, 7, kernels);
    const ElementwisePass pass(workload, *product, "sm_90a", testing::test_cache());
    const auto count = static_cast<int>(operands.set_count());
    const double us = median_us(
        [&](int i) { pass.launch(operands.set(static_cast<size_t>(i % count)), nullptr); });
    const auto half = static_cast<size_t>(pass.bytes() / 2);  // a copy reads and writes its bytes
    const DeviceBuffer from(2 * half);
    const DeviceBuffer to(2 * half);
    const double copy_us = median_us([&](int i) {
      const size_t at = i % 2 == 0 ? 0 : half;
      TW_CHECK(cudaMemcpyAsync(to.as<char>() + at, from.as<char>() + at, half,
                               cudaMemcpyDeviceToDevice));
    });
    MESSAGE(epilogue, ": ", us, " us for ", pass.bytes(), " bytes, a copy takes ", copy_us,
            " us: ", copy_us / us, " of its speed, ", static_cast<double>(pass.bytes()) / us * 1e-6,
            " TB/s");
    CHECK(copy_us / us >= 0.9);
  }
}

}  // namespace
}  // namespace tilewright
