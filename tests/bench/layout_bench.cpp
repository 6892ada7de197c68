// Measures coordinate evaluations per second of a swizzled nested layout on one core.

#include <benchmark/benchmark.h>

#include <vector>

#include "layout/algebra/layout_evaluator.hpp"
#include "layout/text/layout_expression.hpp"

using namespace tilewright;

namespace {

constexpr const char* kPowers = "Sw<3,3,3> o 0 o ((8,16),(64,2),3):((64,512),(1,8192),16384)";
constexpr const char* kOdd = "Sw<3,3,3> o 0 o ((6,20),(48,2),3):((48,288),(1,5760),11520)";

// Indices in a scattered order, which does not follow a mode.
void evaluate_scattered(benchmark::State& state, const char* text) {
  const LayoutEvaluator evaluate(parse_layout(text));
  const int64_t count = evaluate.size();
  int64_t index = 0;
  int64_t sum = 0;
  for (auto _ : state) {
    index += 10007;
    if (index >= count) index -= count;
    sum += evaluate(index);
  }
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(state.iterations());
}

void evaluate_in_order(benchmark::State& state, const char* text) {
  const LayoutEvaluator evaluate(parse_layout(text));
  std::vector<int64_t> offsets(static_cast<size_t>(evaluate.size()));
  for (auto _ : state) {
    evaluate.fill(0, offsets);
    benchmark::DoNotOptimize(offsets.data());
  }
  state.SetItemsProcessed(state.iterations() * evaluate.size());
}

}  // namespace

BENCHMARK_CAPTURE(evaluate_scattered, powers_of_two, kPowers);
BENCHMARK_CAPTURE(evaluate_scattered, odd_extents, kOdd);
BENCHMARK_CAPTURE(evaluate_in_order, powers_of_two, kPowers);
BENCHMARK_CAPTURE(evaluate_in_order, odd_extents, kOdd);
