// Random groups and triangles against float64, all of every D: few kernels, and as many groups as
// the options ask for (--trials=N, --seconds=S, --rand-seed=R).
#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/group_bench.hpp"
#include "support/random_configs.hpp"
#include "support/sm90_configs.hpp"
#include "support/trial_count.hpp"

namespace tilewright {
namespace {

// One kernel, and the kind of workload that is drawn for it.
struct Kind {
  std::string name;
  Packing packing = Packing::None;
  MatrixLayout layout = MatrixLayout::TN;
  MatrixOp op = MatrixOp::Gemm;
  Uplo uplo = Uplo::Lower;
  std::string config;
  bool one = false;     // one product instead of a group
  bool direct = false;  // D has rows that TMA cannot store; with alpha and beta
  bool equal = false;   // a batch: products of one size
};

std::vector<Kind> product_kinds() {
  constexpr auto kTn = MatrixLayout::TN;
  const std::vector<Kind> kinds = {
      {"packed rows", Packing::Rows, kTn, {}, {}, "cta=128x128x64,group_schedule=device-only"},
      {"packed rows", Packing::Rows, kTn, {}, {}, "cta=64x96x64,group_schedule=host-precompute"},
      {"packed rows",
       Packing::Rows,
       kTn,
       {},
       {},
       "cta=128x64x64,cluster=1x2,raster=swizzle-merge:2,swap_ab=true,group_schedule=dynamic"},
      {"own sizes", Packing::None, kTn, {}, {}, "cta=128x128x64,group_schedule=device-only"},
      {"own sizes",
       Packing::None,
       MatrixLayout::NN,
       {},
       {},
       "cta=64x64x64,cluster=1x2,raster=hilbert,group_schedule=host-precompute"},
      {"own sizes",
       Packing::None,
       MatrixLayout::TT,
       {},
       {},
       "cta=128x64x64,raster=col,group_schedule=dynamic"},
      {"parts of tiles",
       Packing::None,
       kTn,
       {},
       {},
       "cta=128x128x64,group_schedule=host-precompute,decomposition=split-k:3:serial"},
      {"parts of tiles",
       Packing::None,
       kTn,
       {},
       {},
       "cta=64x96x64,group_schedule=host-precompute,decomposition=split-k:2:atomic"},
      {"parts of packed rows",
       Packing::Rows,
       kTn,
       {},
       {},
       "cta=128x96x64,group_schedule=host-precompute,decomposition=split-k:3:serial"},
      {"parts of packed rows",
       Packing::Rows,
       kTn,
       {},
       {},
       "cta=128x32x64,cluster=1x2,raster=swizzle-merge:2,swap_ab=true,"
       "group_schedule=host-precompute,decomposition=split-k:4:atomic"},
      {"parts of equal products",
       Packing::Rows,
       kTn,
       {},
       {},
       "cta=64x64x64,group_schedule=host-precompute,decomposition=split-k:4:atomic",
       false,
       false,
       true},
      {"parts of equal products",
       Packing::Rows,
       kTn,
       {},
       {},
       "cta=64x32x64,cluster=2x1,group_schedule=host-precompute,decomposition=split-k:2:serial",
       false,
       false,
       true},
      {"parts of shares of K",
       Packing::Depth,
       MatrixLayout::NT,
       {},
       {},
       "cta=64x128x64,group_schedule=host-precompute,decomposition=split-k:2:atomic"},
      {"shares of K",
       Packing::Depth,
       MatrixLayout::NT,
       {},
       {},
       "cta=64x128x64,group_schedule=device-only"},
      {"shares of K",
       Packing::Depth,
       MatrixLayout::NT,
       {},
       {},
       "cta=128x64x64,group_schedule=dynamic"}};
  std::vector<Kind> all;
  for (const Kind& kind : kinds) {
    all.push_back(kind);
    all.push_back(kind);
    all.back().direct = true;
  }
  return all;
}

// For every operation and triangle, a group by each schedule in turn and one update.
std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds = product_kinds();
  const std::vector<std::string> configs = {
      "cta=128x128x64,group_schedule=device-only",
      "cta=128x96x64,raster=swizzle-merge:1,group_schedule=dynamic",
      "cta=64x64x64,group_schedule=host-precompute"};
  size_t turn = 0;
  for (const MatrixOp op : {MatrixOp::Syrk, MatrixOp::Syr2k, MatrixOp::Her2k}) {
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper, Uplo::Full}) {
      Kind kind{"updates", Packing::None, MatrixLayout::TN, op, uplo, configs[turn++ % 3]};
      kinds.push_back(kind);
      kind.config = configs[turn % 3];
      kind.direct = true;
      kinds.push_back(kind);
      kinds.push_back({"one update", Packing::None, MatrixLayout::TN, op, uplo,
                       "cta=64x96x64,raster=swizzle-merge:1", true, turn % 2 == 0});
    }
  }
  return kinds;
}

// Sizes of 0, 1 or up to some hundred; contiguous ones in multiples of 16 bytes.
GemmShape random_shape(const Kind& kind, std::mt19937& random) {
  const auto extent = [&](bool whole) -> int64_t {
    const auto size = static_cast<int64_t>(random() % 6 == 0 ? random() % 2 : random() % 300);
    return whole ? (size + 7) / 8 * 8 : size;
  };
  const bool a = is_k_major_a(kind.layout);
  const bool b = is_k_major_b(kind.layout);
  GemmShape shape{extent(!a), extent(!b || !kind.direct), extent(a || b)};
  if (tw::record_of(kind.op).triangular) shape.m = shape.n;
  if (kind.one) shape.m = shape.n = shape.n + 8;
  if (kind.one) shape.k += 8;
  return shape;
}

Workload random_workload(const Kind& kind, std::mt19937& random) {
  Workload group{.op = kind.op, .uplo = kind.uplo, .kind = {.layout = kind.layout}, .shapes = {}};
  const GemmShape shared = random_shape(kind, random);
  const size_t count = kind.one ? 1 : random() % 12 == 0 ? 33 + random() % 40 : 2 + random() % 6;
  while (group.shapes.size() < count) {
    GemmShape shape = random_shape(kind, random);
    if (kind.equal) shape = shared;
    if (kind.packing == Packing::Rows) shape = {shape.m, shared.n, shared.k};
    if (kind.packing == Packing::Depth) shape = {shared.m, shared.n, shape.k};
    group.shapes.push_back(shape);
  }
  return group;
}

TileConfig random_config(const Kind& kind, std::mt19937& random) {
  TileConfig config = testing::sm90_config(kind.config, 3);
  const bool sorts =
      kind.packing != Packing::Rows || config.group_schedule == GroupSchedule::HostPrecompute;
  const std::vector<ProblemOrder> orders = {ProblemOrder::Given, ProblemOrder::KDescending,
                                            ProblemOrder::Lpt};
  if (sorts && !kind.one) config.problem_order = testing::pick(orders, random);
  return config;
}

TEST_CASE("many random groups and triangles are right") {
  const std::vector<Kind> kinds = all_kinds();
  testing::TrialCount trials(3 * kinds.size());
  const unsigned seed = doctest::getContextOptions()->rand_seed;
  std::mt19937 random(seed);
  std::shared_ptr<testing::GroupKernels> shared;
  std::map<std::string, int> checked;
  // Concurrent processes with successive seeds compile different kernels first.
  constexpr size_t kApart = 11;
  for (size_t i = seed * kApart; trials.more(); ++i) {
    const Kind& kind = kinds[i % kinds.size()];
    const Workload group = random_workload(kind, random);
    const TileConfig config = random_config(kind, random);
    if (packing_of(group) != kind.packing) continue;
    if (reject_workload(group, config, testing::h200())) continue;
    CAPTURE(kind.name);
    CAPTURE(to_string(group.op));
    CAPTURE(to_string(group.uplo));
    CAPTURE(shapes_text(group));
    CAPTURE(to_string(config));
    if (!shared) shared = std::make_shared<testing::GroupKernels>(group);
    testing::GroupBench bench(group, shared);
    const Verification verification =
        bench.run(config, kind.direct ? Scaling{-2, 0.5F} : Scaling{});
    CHECK_MESSAGE(verification.ok, verification.detail);
    ++checked[kind.name];
    ++trials.count;
  }
  std::string counts;
  for (const auto& [name, of_kind] : checked) counts += format(", {} {}", of_kind, name);
  MESSAGE(format("verified {}{}", trials.count, counts));
  CHECK(trials.count > 0);
}

}  // namespace
}  // namespace tilewright
