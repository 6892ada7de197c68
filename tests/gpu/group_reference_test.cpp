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
      CHECK(references.size() == 5);
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
