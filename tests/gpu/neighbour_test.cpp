// A neighbour has multiprocessors of its own, and products beside it are right and timed.
#include "gpu/measure/neighbour.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "gpu/measure/cuda_runner.hpp"
#include "support/error_message.hpp"
#include "support/gpu_bench.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

constexpr int kNeighbours = 8;

std::set<unsigned> multiprocessors_of(const Neighbour& neighbour) {
  std::set<unsigned> all;
  for (const tw::NeighbourProgress& cta : neighbour.progress()) all.insert(cta.sm);
  return all;
}

Problem cube_beside(int64_t extent) {
  Problem problem{{extent, extent, extent}, {DataType::BF16}};
  problem.kind.sms = testing::h200().sm_count - kNeighbours;
  return problem;
}

Contender neighbour_contender(const std::string& decomposition) {
  const TileConfig config =
      config_of(parse_config("family=sm90,cta=128x128x64,stages=4,decomposition=" + decomposition));
  return {.name = to_string(config), .config = config, .reference_algorithm = -1};
}

TEST_CASE("a neighbour has a multiprocessor for each CTA, moves data, and stops, each time") {
  for (const BesideKind kind : {BesideKind::Copy, BesideKind::Collective}) {
    Neighbour neighbour({kind, kNeighbours}, testing::h200(), testing::test_cache());
    for (int turn = 0; turn < 3; ++turn) {
      neighbour.start();
      CHECK(multiprocessors_of(neighbour).size() == kNeighbours);
      neighbour.stop();
      CHECK(cudaDeviceSynchronize() == cudaSuccess);
    }
    const double alone = measure_rate(neighbour, [] {});
    MESSAGE(to_string(neighbour.beside()), ": ", alone, " GB/s");
    CHECK(alone > 50);
    CHECK(alone < 4900);
  }
}

TEST_CASE("products beside a neighbour are right, timed, and leave it a rate") {
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1, Regime::Rotate,
                                       {}, Beside{BesideKind::Copy, kNeighbours});
  runner->prepare(cube_beside(1000));
  std::vector<Contender> round = runner->reference_contenders();
  for (const char* const decomposition : {"data-parallel", "split-k:2", "stream-k"}) {
    round.push_back(neighbour_contender(decomposition));
    const Verification verification = runner->verify_in_round(round);
    CHECK_MESSAGE(verification.ok, verification.detail);
    const std::vector<LaunchTime> times = runner->time_round(round);
    REQUIRE(times.size() == round.size());
    for (const LaunchTime& time : times) CHECK(returned_us(time) > 0);
  }
  const NeighbourRates rates = runner->measure_neighbour(round);
  CHECK(rates.why_not == "");
  REQUIRE(rates.beside_gb_per_s.size() == round.size());
  for (const double rate : rates.beside_gb_per_s) {
    CHECK(rate > 0.1 * rates.alone_gb_per_s);
    CHECK(rate < 1.1 * rates.alone_gb_per_s);
  }
}

TEST_CASE("no CTA of a product runs on the neighbour's multiprocessors") {
  testing::GpuBench bench(cube_beside(2048));
  const LoadedPlan loaded = bench.kernels().load(
      bench.plan_of(*neighbour_contender("data-parallel").config), {.trace = true});
  std::vector<tw::TraceRecord> records(static_cast<size_t>(loaded.launch->trace_record_count()));
  const DeviceBuffer buffer(records.size() * sizeof(tw::TraceRecord));
  copy_to_device(buffer.get(), records.data(), buffer.bytes());
  const auto launch = [&] {
    bench.kernels().launch(loaded,
                           {.operands = bench.operands(), .trace = buffer.as<tw::TraceRecord>()});
  };
  launch();  // loads the kernel
  Neighbour neighbour({BesideKind::Copy, kNeighbours}, testing::h200(), testing::test_cache());
  NeighbourRun run(&neighbour);
  const std::set<unsigned> taken = multiprocessors_of(neighbour);
  launch();
  run.end();
  copy_to_host(records.data(), buffer.get(), buffer.bytes());
  std::set<unsigned> used;
  for (const tw::TraceRecord& record : records) {
    if (record.cta >= 0) used.insert(static_cast<unsigned>(record.sm));
  }
  CHECK(used.size() > 100);
  CHECK(std::ranges::none_of(used, [&taken](unsigned sm) { return taken.contains(sm); }));
}

TEST_CASE("a wait for the whole device ends with the neighbour's time, and is reported") {
  Neighbour neighbour({BesideKind::Copy, kNeighbours}, testing::h200(), testing::test_cache());
  NeighbourRun run(&neighbour);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  const std::string why = testing::error_message_of([&run] { run.end(); }, ExitCode::Environment);
  CHECK(testing::contains(why, "did not end within 10 s"));
  neighbour.start();
  neighbour.stop();
}

}  // namespace
}  // namespace tilewright
