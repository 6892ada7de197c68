// A shipped library is as fast as a bench: the same rows by its C interface and by the bench's
// launches, interleaved in one process.

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "gpu/measure/activity_timer.hpp"
#include "gpu/measure/prepared_launches.hpp"
#include "stats/sample.hpp"
#include "support/compiled_programs.hpp"
#include "support/gpu_bench.hpp"
#include "support/shipped_library.hpp"

namespace tilewright {
namespace {

using testing::compiled;
using testing::ShippedLibrary;

// Rows above 20 us, spread as evenly over the table as it allows.
std::vector<const AnswerRow*> slow_rows(const AnswerTable& table, size_t count) {
  constexpr double kSlowUs = 20;
  std::vector<const AnswerRow*> slow;
  for (const AnswerRow& row : table.rows) {
    if (row.median_us > kSlowUs && !has_per_problem_shapes(row.problem)) slow.push_back(&row);
  }
  REQUIRE(slow.size() >= count);
  std::vector<const AnswerRow*> taken;
  for (size_t i = 0; i < count; ++i) taken.push_back(slow[i * slow.size() / count]);
  return taken;
}

// Two ways to launch one product, on rotating operands.
using Launches = std::vector<std::function<void(const OperandSet&)>>;

// Microseconds of each way in each round. The order alternates, and untimed launches before a round
// raise the clocks.
std::vector<std::vector<double>> paired_times(const Launches& ways, Operands& operands,
                                              double expected_us) {
  constexpr int kRounds = 200;
  constexpr double kLeadInUs = 500;
  const int lead_in = static_cast<int>(std::ceil(kLeadInUs / expected_us));
  ActivityTimer timer;
  std::vector<size_t> kernels;
  for (const auto& way : ways) {
    way(operands.next());
    kernels.push_back(timer.take().size());
  }
  std::vector<std::vector<double>> times(ways.size());
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < lead_in; ++i) ways.front()(operands.next());
    std::vector<size_t> order;
    for (size_t i = 0; i < ways.size(); ++i) {
      order.push_back(round % 2 == 0 ? i : ways.size() - 1 - i);
    }
    for (const size_t way : order) ways[way](operands.next());
    const std::vector<KernelActivity> all = timer.take();
    size_t at = static_cast<size_t>(lead_in) * kernels.front();
    for (const size_t way : order) {
      REQUIRE(at + kernels[way] <= all.size());
      times[way].push_back(span_us(std::span(all).subspan(at, kernels[way])));
      at += kernels[way];
    }
  }
  return times;
}

TEST_CASE("ten rows take as long through the C interface as in bench") {
  constexpr uint64_t kSeed = 5;
  constexpr size_t kRows = 10;
  constexpr int64_t kRotatedBytes = int64_t{192} << 20;
  const AnswerTable& table = testing::shipped_table();
  const ShippedLibrary library(table, "pace_test", compiled);
  REQUIRE(library.prepare(0) == SHIPPED_GOOD);
  KernelStore kernels(architecture(testing::h200()), testing::test_cache());
  for (const AnswerRow* const row : slow_rows(table, kRows)) {
    const Workload& workload = row->problem;
    const DeviceKernels device(workload.kind.dtype, output_type(workload.kind),
                               architecture(testing::h200()), testing::test_cache());
    Operands operands(workload, kRotatedBytes, kSeed, device);
    std::vector<int64_t> rows;
    shipped_call call = testing::call_of(library, workload, rows);
    call.offsets = operands.set(0).offsets;
    call.a = operands.set(0).a;
    call.b = operands.set(0).b;
    call.d = operands.set(0).d;
    uint64_t bytes = 0;
    uint64_t alignment = 0;
    REQUIRE_MESSAGE(library.workspace(call, bytes, alignment) == SHIPPED_GOOD, library.error());
    const DeviceBuffer workspace(std::max<uint64_t>(bytes, 1));
    call.workspace = workspace.get();
    call.workspace_bytes = bytes;
    const LoadedPlan loaded = kernels.load(make_plan(workload, row->choice, testing::h200()));
    const auto shipped = [&](const OperandSet& set) {
      call.a = set.a;
      call.b = set.b;
      call.c = set.c;
      call.d = set.d;
      call.bias = set.bias;
      call.scale_a = set.scale_a;
      call.scale_b = set.scale_b;
      call.offsets = set.offsets;
      REQUIRE_MESSAGE(library.launch(call) == SHIPPED_GOOD, library.error());
    };
    const auto benched = [&](const OperandSet& set) { kernels.launch(loaded, {.operands = set}); };
    const auto times = paired_times({shipped, benched}, operands, row->median_us);
    const PairedRatio ratio = paired_ratio(times[0], times[1]);
    MESSAGE(to_string(workload), ": ", median(times[0]), " us shipped, ", median(times[1]),
            " us in a bench, ratio ", ratio.ratio, " (", ratio.interval.low, " to ",
            ratio.interval.high, ")");
    const bool holds_one = ratio.interval.low <= 1 && 1 <= ratio.interval.high;
    constexpr double kSame = 0.01;
    CHECK((holds_one || std::abs(ratio.ratio - 1) < kSame));
  }
}

}  // namespace
}  // namespace tilewright
