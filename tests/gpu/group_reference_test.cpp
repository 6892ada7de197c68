// The libraries' ways to compute a group, checked against float64 like our own kernels.
#include "gpu/contenders/group_reference.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/measure/cuda_runner.hpp"
#include "search/runner.hpp"
#include "support/group_bench.hpp"

namespace tilewright {
namespace {

// Compares every reference of the group with float64.
void check_references(Runner& runner, const Workload& group) {
  CAPTURE(to_string(group));
  runner.prepare(group);
  const std::vector<Contender> references = runner.reference_contenders();
  CHECK(std::any_of(references.begin(), references.end(), [](const Contender& reference) {
    return reference.name.starts_with("cublasLt/strided batch/0 algo=");
  }));
  for (const Contender& reference : references) {
    CAPTURE(reference.name);
    const Verification verification = runner.verify(reference);
    CHECK_MESSAGE(verification.ok, verification.detail);
  }
}

// In layouts that are not packed, the products begin at multiples of 256 bytes.
TEST_CASE("strided batches are right in every layout, type of D and with C") {
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  for (const MatrixLayout layout :
       {MatrixLayout::TN, MatrixLayout::NN, MatrixLayout::NT, MatrixLayout::TT}) {
    for (const bool fp32 : {false, true}) {
      Workload batch{.kind = {.layout = layout},
                     .shapes = std::vector<GemmShape>(7, {72, 40, 264})};
      if (fp32) batch.kind.epilogue.out_dtype = DataType::F32;
      check_references(*runner, batch);
      if (fp32) continue;  // cuBLASLt's C has the type of D, and ours that of A
      batch.kind.epilogue.alpha = -2;
      batch.kind.epilogue.beta = 0.5F;
      check_references(*runner, batch);
    }
  }
  check_references(*runner, {.kind = {.dtype = DataType::E4M3},
                             .shapes = std::vector<GemmShape>(3, {64, 48, 512})});
}

TEST_CASE("every library method computes a group, also with uneven and empty products") {
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  for (const std::vector<int64_t>& rows : std::vector<std::vector<int64_t>>{
           {512, 512, 512}, {0, 700, 1, 0, 64, 64, 333, 9, 17, 128}}) {
    for (const DataType type : {DataType::BF16, DataType::F16}) {
      Workload group = testing::packed_group(rows, 1024, 512);
      group.kind.dtype = type;
      CAPTURE(to_string(group));
      runner->prepare(group);
      const std::vector<Contender> references = runner->reference_contenders();
      const auto in_batches =
          std::count_if(references.begin(), references.end(), [](const Contender& reference) {
            return reference.name.starts_with("cublasLt/strided batch/");
          });
      CHECK(std::ssize(references) == 5 + in_batches);
      CHECK((in_batches > 0) == is_batch(group));
      for (const Contender& reference : references) {
        CAPTURE(reference.name);
        const Verification verification = runner->verify(reference);
        CHECK_MESSAGE(verification.ok, verification.detail);
      }
      // Twice, because a graph is built only once.
      for (int round = 0; round < 2; ++round) {
        for (const LaunchTime& time : runner->time_round(references)) CHECK(returned_us(time) > 0);
      }
      for (const Contender& reference : references) CHECK(runner->verify(reference).ok);
    }
  }
}

}  // namespace
}  // namespace tilewright
