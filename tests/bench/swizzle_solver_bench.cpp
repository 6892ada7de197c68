// Measures the solver's time: an f16 tile of 128x64 over all swizzles and paddings.
#include <benchmark/benchmark.h>

#include "layout/smem/swizzle_solver.hpp"

namespace tilewright {
namespace {

void solve_f16_128x64(benchmark::State& state) {
  const SwizzleProblem problem{.tile = parse_shared_tile("128x64", "f16"),
                               .vector = 8,
                               .write = parse_tile_pattern("st.v4"),
                               .read = parse_tile_pattern("ldmatrix.x4")};
  for (auto _ : state) benchmark::DoNotOptimize(solve_swizzle(problem));
}
BENCHMARK(solve_f16_128x64)->Unit(benchmark::kMillisecond);

void solve_f32_64x64_columns(benchmark::State& state) {
  const SwizzleProblem problem{.tile = parse_shared_tile("64x64", "f32"),
                               .vector = 1,
                               .write = parse_tile_pattern("st.b32"),
                               .read = parse_tile_pattern("ld.b32@col")};
  for (auto _ : state) benchmark::DoNotOptimize(solve_swizzle(problem));
}
BENCHMARK(solve_f32_64x64_columns)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilewright
