// Rank-k and rank-2k updates against float64: both triangles, with the other half left unwritten,
// odd sizes, both planes of Hermitian updates, and the kernel's own trace against the plan.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/group_trials.hpp"
#include "support/random_configs.hpp"
#include "support/sm90_configs.hpp"

namespace tilewright {
namespace {

// The whole walk of macro tiles, or of bands, with tiles of any sides.
const std::vector<std::string> kUpdateConfigs = {
    "cta=128x128x64,raster=row",
    "cta=192x192x64,raster=swizzle-merge:3",
    "cta=128x256x64,cluster=2x1,raster=row",
    "cta=256x128x64,raster=row",
    "cta=128x160x64,cluster=2x1,raster=swizzle-merge:2",
    "cta=64x96x64,cluster=1x2,raster=swizzle-merge:1",
    "cta=128x96x64,schedule=pingpong,raster=swizzle-merge:2",
    "cta=64x64x64,schedule=pingpong,raster=row",
    "cta=128x128x64,cluster=2x2,raster=swizzle-merge:1",
    "cta=64x64x64,cluster=4x2,raster=row",
    "cta=64x24x64,raster=swizzle-merge:2"};

const DeviceSpec kDevice = testing::h200();

Workload update(MatrixOp op, Uplo uplo, int64_t n, int64_t k) {
  Workload workload;
  workload.op = op;
  workload.uplo = uplo;
  workload.shapes = {{n, n, k}};
  return workload;
}

std::vector<TileConfig> legal_updates(const Workload& workload) {
  std::vector<TileConfig> configs;
  for (const std::string& text : kUpdateConfigs) {
    configs.push_back(testing::sm90_config(text, 3));
    if (reject_workload(workload, configs.back(), kDevice)) configs.pop_back();
  }
  return configs;
}

// Every `stride`-th config from `first` on, with every scaling.
testing::GroupTrial update_trial(const Workload& workload, size_t first, size_t stride,
                                 const std::vector<Scaling>& scalings = {Scaling{}}) {
  const std::vector<TileConfig> legal = legal_updates(workload);
  std::vector<TileConfig> configs;
  for (size_t i = first % stride; i < legal.size(); i += stride) configs.push_back(legal[i]);
  return {workload, testing::launches_of(configs, scalings)};
}

const std::vector<MatrixOp> kUpdates = {MatrixOp::Syrk, MatrixOp::Syr2k, MatrixOp::Her2k};

TEST_CASE("both triangles of every update are right at odd sizes, and nothing else is written") {
  std::vector<testing::GroupTrial> trials;
  for (const MatrixOp op : kUpdates) {
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper}) {
      for (const int64_t n : {1, 2, 63, 64, 65, 127, 129, 264, 391, 1000}) {
        const size_t turn = trials.size();
        const int64_t k = n == 65 ? 8 : 72 + 64 * static_cast<int64_t>(turn % 3);
        trials.push_back(update_trial(update(op, uplo, n, k), turn, n < 200 ? 4 : 1));
      }
    }
  }
  CHECK(testing::check_group_trials(trials) > 200);
}

TEST_CASE("updates scale and add C, in bf16, f16 and fp32, along k or along n") {
  std::vector<testing::GroupTrial> trials;
  for (const MatrixOp op : kUpdates) {
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper}) {
      for (const DataType type : {DataType::BF16, DataType::F16}) {
        for (const bool fp32 : {false, true}) {
          const size_t turn = trials.size();
          Workload workload = update(op, uplo, turn % 3 == 0 ? 301 : 328, 136);
          workload.kind.dtype = type;
          if (fp32) workload.kind.epilogue.out_dtype = DataType::F32;
          if (workload.shapes.front().n % 8 == 0) workload.kind.layout = MatrixLayout::NT;
          trials.push_back(update_trial(workload, turn, 2, {Scaling{}, Scaling{-2, 0.5F}}));
        }
      }
    }
  }
  CHECK(testing::check_group_trials(trials) > 100);
}

TEST_CASE("a mirrored result is symmetric bit by bit, whichever store wrote it") {
  std::vector<testing::GroupTrial> trials;
  for (const MatrixOp op : kUpdates) {
    for (const int64_t n : {1, 63, 200, 391, 1000}) {
      for (const bool fp32 : {false, true}) {
        Workload workload = update(op, Uplo::Full, n, 136);
        if (fp32) workload.kind.epilogue.out_dtype = DataType::F32;
        trials.push_back(update_trial(workload, trials.size(), n == 1000 ? 1 : 4,
                                      {Scaling{}, n == 200 ? Scaling{-2, 0.5F} : Scaling{}}));
      }
    }
  }
  CHECK(testing::check_group_trials(trials) > 60);
}

// Elements of a mirrored D that are not those of the computed triangle.
int64_t different_mirrored_elements(const testing::GroupBench& bench) {
  const auto n = static_cast<size_t>(bench.group().shapes.front().n);
  const auto planes = static_cast<size_t>(tw::record_of(bench.group().op).planes);
  std::vector<uint16_t> d(planes * n * n);
  copy_to_host(d.data(), bench.operands().d, d.size() * 2);
  int64_t different = 0;
  for (size_t plane = 0; plane < planes; ++plane) {
    const uint16_t sign = plane > 0 ? 0x8000 : 0;
    for (size_t row = 0; row < n; ++row) {
      for (size_t column = 0; column < row; ++column) {
        const uint16_t own = d[(plane * n + row) * n + column];
        const uint16_t other = d[(plane * n + column) * n + row];
        const bool zeros = (own & 0x7FFF) == 0 && (other & 0x7FFF) == 0;
        if (!zeros && (own ^ sign) != other) ++different;
      }
    }
  }
  return different;
}

TEST_CASE("mirrored elements equal those of the computed triangle") {
  std::vector<testing::GroupTrial> trials;
  for (const MatrixOp op : kUpdates) {
    trials.push_back(update_trial(update(op, Uplo::Full, 328, 200), 0, 1));
  }
  const auto compare = [](testing::GroupBench& bench, const testing::GroupLaunch& launch) {
    CHECK(bench.run(launch.config, launch.scaling).ok);
    CHECK(different_mirrored_elements(bench) == 0);
  };
  CHECK(testing::for_each_launch(trials, {}, compare) > 0);
}

TEST_CASE("random updates are right") {
  std::mt19937 random(27);
  std::vector<testing::GroupTrial> trials;
  for (size_t i = 0; i < 60; ++i) {
    const int64_t n = 1 + static_cast<int64_t>(random() % 1500);
    const int64_t k = 72 + 8 * static_cast<int64_t>(random() % 80);
    const MatrixOp op = testing::pick(kUpdates, random);
    const Uplo uplo = random() % 2 == 0 ? Uplo::Lower : Uplo::Upper;
    trials.push_back(update_trial(update(op, uplo, n, k), i, 3));
  }
  CHECK(testing::check_group_trials(trials) > 120);
}

TEST_CASE("the kernel's trace of a triangle equals the plan") {
  std::mt19937 random(29);
  std::vector<testing::GroupTrial> trials;
  for (size_t i = 0; i < 24; ++i) {
    // Few kernels over many sizes: each is compiled for its trace.
    const Workload workload = update(kUpdates[i % 3], i % 2 == 0 ? Uplo::Lower : Uplo::Upper,
                                     2048 + 8 * static_cast<int64_t>(random() % 300), 136);
    trials.push_back(update_trial(workload, i, 3));
  }
  CHECK(testing::check_group_traces(trials) > 60);
}

}  // namespace
}  // namespace tilewright
