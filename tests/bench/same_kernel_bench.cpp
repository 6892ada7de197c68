// Tests the coverage of intervals: races a kernel against itself, so that the true ratio is 1, and
// counts the intervals that contain 1; some 95 % of 400 pairs should. Shapes on the command line
// replace its twenty; needs a GPU; prints one line a shape.
#include <cstdio>
#include <string>
#include <vector>

#include "gpu/measure/cuda_runner.hpp"
#include "search/complete.hpp"
#include "search/confirmation.hpp"
#include "search/race.hpp"
#include "stats/sample.hpp"
#include "support/gpu_bench.hpp"
#include "tile/config/config_keys.hpp"

int main(int argc, char** argv) {
  using namespace tilewright;
  constexpr int kPairs = 20;  // a shape
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  int holding = 0;
  int pairs = 0;
  std::vector<std::string> texts(argv + 1, argv + argc);
  if (texts.empty()) {
    texts = {"256x256x256",    "512x512x512",    "64x4096x1024",   "16x8192x8192",
             "1000x1000x1000", "1024x1024x1024", "256x256x65536",  "1536x1536x1536",
             "2048x2048x1024", "4096x512x2048",  "2048x2048x2048", "2304x2304x4096",
             "3000x3000x3000", "4096x4096x1024", "8192x512x4096",  "1024x8192x4096",
             "4096x4096x4096", "6000x4096x2048", "8192x8192x1024", "128x16384x8192"};
  }
  for (const std::string& text : texts) {
    const Problem problem{parse_shape(text)};
    const TileConfig config =
        complete_config(ConfigRequest{}, workload_of(problem), testing::h200());
    runner->prepare(problem);
    runner->build({&config, 1});
    const std::vector<Contender> same = {{"a", config, -1}, {"b", config, -1}};
    Race pilot(*runner, same, 1);
    pilot.warm_up();
    pilot.run(5);
    const int64_t rounds = rounds_for(pilot.round_us());
    int held = 0;
    std::vector<double> half_widths;
    for (int pair = 0; pair < kPairs; ++pair) {
      Race race(*runner, same, 2 + static_cast<uint64_t>(pair));
      race.run(rounds);
      const PairedRatio ratio =
          paired_ratio(race.entries()[0].samples_us, race.entries()[1].samples_us);
      half_widths.push_back((ratio.interval.high - ratio.interval.low) / 2);
      if (ratio.interval.low <= 1 && 1 <= ratio.interval.high) ++held;
    }
    std::printf("%-16s %8.2f us %4lld rounds: %2d of %d hold 1, half-width %.3f %%\n", text.c_str(),
                pilot.round_us() / 2, static_cast<long long>(rounds), held, kPairs,
                100 * median(half_widths));
    holding += held;
    pairs += kPairs;
  }
  std::printf("%d of %d intervals hold 1 (%.1f %%)\n", holding, pairs, 100.0 * holding / pairs);
}
