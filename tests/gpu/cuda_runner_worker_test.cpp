// Kernels that hang or fault on a GPU lose their own results only; other kernels are still timed.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "gpu/contenders/device_kernels.hpp"
#include "gpu/measure/cuda_runner.hpp"
#include "support/error_message.hpp"
#include "support/gpu_bench.hpp"
#include "tile/config/config_keys.hpp"
#include "worker/serve_runner.hpp"
#include "worker/worker_runner.hpp"

namespace tilewright {
namespace {

// A runner on the first GPU. Before it launches a config of two stages it occupies the device for
// minutes; before one of three stages it writes to unmapped memory.
class FaultyRunner : public Runner {
 public:
  FaultyRunner()
      : runner_(make_cuda_runner(0, testing::h200(), testing::test_cache(), 1)),
        kernels_(DataType::BF16, DataType::BF16, "sm_90a", testing::test_cache()) {}

  const DeviceSpec& device() const override { return runner_->device(); }
  void prepare(const Workload& workload) override { runner_->prepare(workload); }
  MeasuringMethod method() const override { return runner_->method(); }
  std::vector<BuildResult> build(std::span<const TileConfig> configs) override {
    return runner_->build(configs);
  }
  std::vector<Contender> reference_contenders() override { return runner_->reference_contenders(); }
  Verification verify(const Contender& contender) override {
    misbehave(contender);
    return runner_->verify(contender);
  }
  std::vector<LaunchTime> time_round(std::span<const Contender> contenders) override {
    for (const Contender& contender : contenders) misbehave(contender);
    return runner_->time_round(contenders);
  }
  using Runner::count;
  std::vector<CounterReading> count(std::span<const Contender> contenders) override {
    return runner_->count(contenders);
  }
  KernelTrace trace(const Contender& contender) override { return runner_->trace(contender); }
  std::string timer_check() override { return runner_->timer_check(); }
  bool is_usable() override { return runner_->is_usable(); }

 private:
  void misbehave(const Contender& contender) {
    constexpr uint64_t kMinutesNs = 200'000'000'000;
    constexpr int64_t kElements = 1 << 20;
    const int stages = contender.config ? contender.config->stages : 0;
    if (stages == 2) kernels_.delay(kMinutesNs);
    if (stages == 3) kernels_.fill_operand(nullptr, kElements, 1);
  }

  std::unique_ptr<Runner> runner_;
  DeviceKernels kernels_;
};

// Starts this test program again; its main function then serves.
std::unique_ptr<Runner> faulty_worker() {
  return make_worker_runner({"/proc/self/exe", "faulty-worker"}, testing::h200(),
                            {.launch_s = 5, .other_s = 300});
}

std::vector<Contender> contenders_of(Runner& runner, const std::vector<int>& stages) {
  std::vector<TileConfig> configs;
  std::vector<Contender> contenders;
  for (const int depth : stages) {
    configs.push_back({.cta = {128, 128, 64}, .cluster = {}, .stages = depth, .raster = {}});
    contenders.push_back(
        {.name = to_string(configs.back()), .config = configs.back(), .reference_algorithm = -1});
  }
  for (const BuildResult& built : runner.build(configs)) REQUIRE(built.ok());
  return contenders;
}

TEST_CASE("a kernel that hangs or faults is lost; the others are verified and timed") {
  const std::unique_ptr<Runner> runner = faulty_worker();
  runner->prepare(Problem{{2048, 2048, 2048}});
  std::vector<Contender> contenders = contenders_of(*runner, {2, 3, 4, 5});
  const Verification hung = runner->verify(contenders[0]);
  CHECK(!hung.ok);
  CHECK_MESSAGE(testing::contains(hung.detail, "gave no answer"), hung.detail);
  const Verification faulted = runner->verify(contenders[1]);
  CHECK(!faulted.ok);
  CHECK_MESSAGE(testing::contains(faulted.detail, "illegal"), faulted.detail);
  CHECK(runner->verify(contenders[2]).ok);
  CHECK(runner->verify(contenders[3]).ok);
  for (const Contender& reference : runner->reference_contenders()) {
    contenders.push_back(reference);
  }
  const std::vector<LaunchTime> times = runner->time_round(contenders);
  for (size_t i = 0; i < times.size(); ++i) CHECK(times[i].failure.empty() == (i >= 2));
}

TEST_CASE("a round in which kernels fault is timed without them") {
  const std::unique_ptr<Runner> runner = faulty_worker();
  runner->prepare(Problem{{2048, 2048, 2048}});
  const std::vector<Contender> contenders = contenders_of(*runner, {4, 3, 5, 2});
  for (int round = 0; round < 3; ++round) {
    const std::vector<LaunchTime> times = runner->time_round(contenders);
    REQUIRE(times.size() == 4);
    CHECK(returned_us(times[0]) > 10);
    CHECK(returned_us(times[2]) > 10);
    CHECK(!times[1].failure.empty());
    CHECK(!times[3].failure.empty());
  }
}

}  // namespace

namespace testing {

void serve_faulty_worker() {
  serve_runner([] { return std::make_unique<FaultyRunner>(); });
}

}  // namespace testing
}  // namespace tilewright
