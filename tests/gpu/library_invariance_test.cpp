// Rows of a product have the same bits at every M under the policy batch_invariant.

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "answer/shipped_choice.hpp"
#include "support/gpu_library.hpp"
#include "tile/plan/sum_order.hpp"

namespace tilewright {
namespace {

using testing::call_on;
using testing::ShippedLibrary;

constexpr uint64_t kSeed = 58;
constexpr int64_t kMaxRows = 4096;

// 64 values: all up to 32, then unevenly up to kMaxRows.
std::vector<int64_t> row_counts() {
  std::vector<int64_t> counts;
  for (int64_t m = 1; m <= 32; ++m) counts.push_back(m);
  for (int64_t m = 33; counts.size() < 63; m += m / 6) counts.push_back(std::min(m, kMaxRows - 1));
  counts.push_back(kMaxRows);
  return counts;
}

// The first `rows` rows of D after a call with as many, as bits.
std::vector<unsigned char> rows_after(const ShippedLibrary& library, shipped_call call,
                                      int64_t rows, DeviceBuffer& workspace) {
  const size_t row_bytes = static_cast<size_t>(call.n) * 2;
  TW_CHECK(cudaMemset(call.d, 0xFF, row_bytes * kMaxRows));
  call.m = rows;
  REQUIRE_MESSAGE(testing::launched(library, call, workspace) == SHIPPED_GOOD, library.error());
  TW_CHECK(cudaDeviceSynchronize());
  std::vector<unsigned char> bits(row_bytes * static_cast<size_t>(rows));
  copy_to_host(bits.data(), call.d, bits.size());
  return bits;
}

TEST_CASE("64 values of M give rows of the same bits, though their configs differ") {
  const AnswerTable answers = testing::published_table({"dense"});
  const ShippedLibrary library(answers, "batch_invariance", testing::compiled);
  REQUIRE(library.function<int(int)>("set_policy")(SHIPPED_BATCH_INVARIANT) == SHIPPED_GOOD);
  std::set<std::string> configs;
  std::set<bool> swapped;
  for (const GemmShape& shape : {GemmShape{kMaxRows, 4096, 4096},
                                 {kMaxRows, 1024, 14336},
                                 {kMaxRows, 1544, 1032},
                                 {kMaxRows, 6144, 520}}) {
    CAPTURE(to_string(shape));
    const Workload workload = workload_of({shape});
    const DeviceKernels kernels(workload.kind.dtype, output_type(workload.kind),
                                architecture(testing::h200()), testing::test_cache());
    Operands operands(workload, 0, kSeed, kernels);
    const OperandSet set = operands.set(0);
    std::vector<int64_t> rows;
    const shipped_call call = call_on(library, workload, set, rows);
    DeviceBuffer workspace;
    const std::vector<unsigned char> all = rows_after(library, call, kMaxRows, workspace);
    for (const int64_t m : row_counts()) {
      CAPTURE(m);
      Workload part = workload;
      part.shapes.front().m = m;
      const auto choice = choose_shipped(answers, part, {}, {.invariant = true});
      REQUIRE(choice.has_value());
      CAPTURE(to_string(choice->config));
      configs.insert(to_string(choice->config));
      swapped.insert(choice->config.swap_ab);
      const std::vector<unsigned char> bits = rows_after(library, call, m, workspace);
      CHECK(std::equal(bits.begin(), bits.end(), all.begin()));
    }
  }
  CHECK(configs.size() > 8);
  CHECK(swapped.size() == 2);
}

}  // namespace
}  // namespace tilewright
