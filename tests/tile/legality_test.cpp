#include "tile/plan/legality.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "search/space.hpp"
#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/family/sm80.hpp"
#include "tile/family/sm90.hpp"

using namespace tilewright;

namespace {

DeviceSpec hopper() {
  DeviceSpec device = testing::h200();
  device.name = "test";
  device.compute_major = 9;
  device.sm_count = 132;
  device.smem_per_cta_bytes = 232448;
  device.registers_per_sm = 65536;
  device.max_cluster_size = 8;
  return device;
}

TileConfig legal_config() {
  TileConfig config;
  config.cta = {128, 256, 64};
  config.stages = 3;
  config.raster = parse_raster("swizzle-merge:8");
  return config;
}

const Problem kProblem{.shape = {4096, 4096, 4096}};

std::string rule(const Problem& problem, const TileConfig& config,
                 const DeviceSpec& device = hopper()) {
  const auto rejection = reject_config(problem, config, device);
  if (!rejection) return "";
  CHECK_FALSE(rejection->reason.empty());
  return rejection->rule;
}

}  // namespace

TEST_CASE("a good config is legal") {
  CHECK(rule(kProblem, legal_config()) == "");
}

TEST_CASE("divided tiles are legal where their splits can be reduced, else refused by rule") {
  struct Case {
    const char* decomposition;
    const char* rule;
    TileShape cta = {128, 128, 64};
    ClusterShape cluster = {1, 1};
    KernelSchedule schedule = KernelSchedule::Cooperative;
    GemmShape shape = {512, 512, 4096};
    std::optional<DataType> output = {};
  };
  const KernelSchedule ping_pong = KernelSchedule::PingPong;
  for (const Case& c : {
           Case{"split-k:8", ""},
           Case{"split-k:64:workspace", ""},
           Case{"split-k:1", "decomposition"},
           Case{"split-k:65", "decomposition"},  // more slices than k-steps
           Case{"split-k:2:cluster", ""},
           Case{"split-k:8:cluster", ""},
           Case{"split-k:16:cluster", "reduction"},                 // a cluster has at most 8 CTAs
           Case{"split-k:3:cluster", "reduction"},                  // no even shares of 128 columns
           Case{"split-k:2:cluster", "reduction", {128, 112, 64}},  // 56 is no multiple of 16
           Case{"split-k:2:cluster", "reduction", {128, 128, 64}, {2, 1}},
           Case{"split-k:2:cluster", "reduction", {64, 128, 64}, {1, 1}, ping_pong},
           Case{"split-k:8:reduce-scatter", ""},
           Case{"split-k:8:reduce-scatter", "", {128, 128, 64}, {2, 2}},
           Case{"split-k:32:reduce-scatter", "reduction", {128, 128, 64}, {2, 2}},  // 30 at once
           Case{"split-k:4:in-place", "", {128, 128, 64}, {2, 1}},
           Case{"split-k:4:in-place",
                "reduction",  // needs 16-bit elements
                {128, 128, 64},
                {1, 1},
                KernelSchedule::Cooperative,
                {512, 512, 4096},
                DataType::F32},
           Case{"split-k:4:serial-tma", "", {128, 112, 64}, {2, 1}, ping_pong},
           Case{"split-k:4:serial-tma", "registers", {128, 128, 64}, {2, 1}, ping_pong},
           Case{"split-k:2", "registers", {256, 192, 64}},
           Case{"split-k:2", "", {256, 128, 64}},
           Case{"stream-k", "registers", {256, 128, 64}},
           Case{"stream-k:all:atomic", "", {128, 128, 64}, {1, 2}},
           // Bulk copies need the store buffers, which fp32 results do not have.
           Case{"split-k:4:atomic-tma",
                "reduction",
                {128, 128, 64},
                {1, 1},
                KernelSchedule::Cooperative,
                {512, 512, 4096},
                DataType::F32},
           Case{"split-k:4:atomic",
                "",
                {128, 128, 64},
                {1, 1},
                KernelSchedule::Cooperative,
                {512, 512, 4096},
                DataType::F32},
           Case{"split-k:16:workspace",
                "reduction",  // 4 GiB of partial sums
                {128, 128, 64},
                {1, 1},
                KernelSchedule::Cooperative,
                {8192, 8192, 8192}},
       }) {
    TileConfig config;
    config.cta = c.cta;
    config.cluster = c.cluster;
    config.stages = 3;
    config.schedule = c.schedule;
    config.decomposition = parse_decomposition(c.decomposition);
    CAPTURE(c.decomposition);
    CAPTURE(to_string(config));
    CHECK(rule({.shape = c.shape, .kind = {.epilogue = {.out_dtype = c.output}}}, config) ==
          c.rule);
  }
}

TEST_CASE("8-bit operands are contiguous along k, in rows of 16 bytes and stages of 128 bytes") {
  const Problem problem{{256, 256, 1024}, {DataType::E4M3}};
  TileConfig config = legal_config();
  CHECK(rule(problem, config) == "tile-shape");
  config.cta.k = 128;
  config.raster = {};
  CHECK(rule(problem, config) == "");
  CHECK(rule({.shape = problem.shape, .kind = {.dtype = DataType::BF16}}, config) == "tile-shape");
  for (const MatrixLayout layout : {MatrixLayout::NN, MatrixLayout::NT, MatrixLayout::TT}) {
    CHECK(rule({problem.shape, {DataType::E4M3, layout}}, config) == "operands");
  }
  CHECK(rule({{256, 256, 1032}, {DataType::E4M3}}, config) == "operands");
  CHECK(rule({{256, 256, 1040}, {DataType::E4M3}}, config) == "");
  TileConfig mma = config;
  mma.family = Family::Sm80;
  mma.sm80.warps = {2, 2};
  CHECK(rule(problem, mma) == "operands");
}

// With 4 warpgroups a thread has 128 registers at launch; one wgmma needs half its columns plus 26.
TEST_CASE("registers of three math warpgroups and a producer bound the width of a wgmma") {
  TileConfig config = legal_config();
  config.raster = {};
  config.cluster = {};
  config.schedule = KernelSchedule::Cooperative;
  config.stages = 3;
  config.cta = {192, 200, 64};
  CHECK(rule(kProblem, config) == "");
  config.cta = {192, 208, 64};
  CHECK(rule(kProblem, config) == "registers");
}

TEST_CASE("every rule rejects its own mistake") {
  DeviceSpec ampere = hopper();
  ampere.compute_major = 8;
  CHECK(rule(kProblem, legal_config(), ampere) == "architecture");
  for (const TileShape cta : {TileShape{32, 128, 64},
                              {512, 128, 64},
                              {128, 4, 64},
                              {128, 264, 64},
                              {128, 100, 64},
                              {128, 128, 32},
                              {0, 128, 64}}) {
    TileConfig config = legal_config();
    config.cta = cta;
    CAPTURE(to_string(cta));
    CHECK(rule(kProblem, config) == "tile-shape");
  }
  TileConfig config = legal_config();
  config.stages = 5;
  CHECK(rule(kProblem, config) == "shared-memory");
  config.stages = 1;
  CHECK(rule(kProblem, config) == "shared-memory");
  config = legal_config();
  config.cta = {256, 256, 64};
  config.stages = 2;
  CHECK(rule(kProblem, config) == "registers");
  config = legal_config();
  config.raster = parse_raster("swizzle-merge:33");
  CHECK(rule(kProblem, config) == "raster");
  config.raster = parse_raster("swizzle-merge:17@n");
  CHECK(rule(kProblem, config) == "raster");
  config = legal_config();
  config.cluster = {2, 1};
  CHECK(rule({.shape = {128, 4096, 64}}, config) == "wave");
}

TEST_CASE("the cluster rule names exactly the sizes that it accepts") {
  const auto rejection_of = [](ClusterShape cluster) {
    TileConfig config = legal_config();
    config.cluster = cluster;
    return reject_config(kProblem, config, testing::h200());
  };
  constexpr std::string_view kPrefix = "cluster 3x1: ";
  const std::string reason = rejection_of({3, 1})->reason;
  REQUIRE(reason.find(kPrefix) == 0);
  std::string named = reason.substr(kPrefix.size());
  named.resize(named.find(" have kernels"));
  named.replace(named.find(" and "), 5, ", ");
  std::set<std::string> accepted;
  for (int m = 0; m <= 9; ++m) {
    for (int n = 0; n <= 9; ++n) {
      const std::optional<Rejection> rejection = rejection_of({m, n});
      if (rejection && rejection->rule == "cluster") continue;
      CHECK(!rejection);
      accepted.insert(to_string(ClusterShape{m, n}));
    }
  }
  std::set<std::string> expected;
  for (const std::string_view size : split(named, ',')) expected.insert(std::string(trim(size)));
  CHECK(accepted == expected);
  for (const ClusterShape& cluster : sm90_space().clusters) {
    CHECK(accepted.contains(to_string(cluster)));
  }
}

TEST_CASE("raster factors up to the size of their axis are legal") {
  TileConfig config = legal_config();
  config.raster = parse_raster("swizzle-merge:32");
  CHECK(rule(kProblem, config) == "");
  config.raster = parse_raster("swizzle-merge:8,16");
  CHECK(rule(kProblem, config) == "");
  config.raster = parse_raster("swizzle-merge:8,17");
  CHECK(rule(kProblem, config) == "raster");
}

TEST_CASE("rows that TMA cannot address are copied first; a D with such rows is stored directly") {
  for (int64_t size = 1; size <= 40; ++size) {
    const bool addressable = 2 * size % 16 == 0;
    CAPTURE(size);
    const Problem along_k{.shape = {64, 64, size}};
    CHECK(repacked_operands(along_k) == Repacked{!addressable, !addressable});
    Problem along_m{.shape = {size, 64, 64}, .kind = {.layout = MatrixLayout::NN}};
    CHECK(repacked_operands(along_m) == Repacked{!addressable, false});
    Problem along_n{.shape = {64, size, 64}, .kind = {.layout = MatrixLayout::TT}};
    CHECK(repacked_operands(along_n) == Repacked{false, !addressable});
    const TileConfig config = legal_config();
    CHECK(sm90_params(config, along_n).direct_store == !addressable);
    CHECK(rule({.shape = {4096, 4096, 4096 + size}}, config) == "");
  }
}

TEST_CASE("every rule of the sm80 family rejects its own mistake") {
  const auto rule_of = [](const std::string& keys, const char* shape = "4096x4096x4096") {
    return rule({.shape = parse_shape(shape)}, config_of(parse_config("family=sm80," + keys)));
  };
  CHECK(rule_of("cta=128x128x64,warps=2x4,stages=3") == "");
  CHECK(rule_of("cta=128x128x64,warps=2x4,stages=3", "1x1x1") == "");
  CHECK(rule_of("cta=128x128x64,warps=2x4,stages=3", "4097x4095x4097") == "");
  CHECK(rule_of("cta=128x128x48,warps=2x4,stages=3") == "tile-shape");
  CHECK(rule_of("cta=24x128x32,warps=1x4,stages=3") == "tile-shape");
  CHECK(rule_of("cta=64x64x64,warps=2x8,stages=3") == "warps");
  CHECK(rule_of("cta=64x64x64,warps=2x2,stages=3,smem=swizzle:3:2:3") == "smem");
  CHECK(rule_of("cta=64x64x64,warps=2x2,stages=3,smem=swizzle:3:3:2") == "smem");
  CHECK(rule_of("cta=64x64x64,warps=2x2,stages=3,smem=swizzle:4:6:-4") == "smem");
  CHECK(rule_of("cta=64x64x64,warps=2x2,stages=3,smem=pad:4") == "smem");
  CHECK(rule_of("cta=256x256x64,warps=4x4,stages=4") == "shared-memory");
  CHECK(rule_of("cta=64x64x64,warps=2x2,stages=1") == "shared-memory");
  CHECK(rule_of("cta=256x256x32,warps=2x4,stages=2") == "registers");
  CHECK(rule_of("cta=64x64x64,warps=2x2,stages=3,decomposition=split-k:65") == "decomposition");
  CHECK(rule_of("cta=64x64x64,warps=2x2,stages=3,decomposition=split-k:4:cluster") ==
        "decomposition");
  CHECK(rule_of("cta=16x16x64,warps=1x1,stages=3,decomposition=split-k:2") == "decomposition");
  CHECK(rule_of("cta=64x64x64,warps=2x2,stages=3,raster=swizzle-merge:65") == "raster");
  DeviceSpec volta = hopper();
  volta.compute_major = 7;
  CHECK(rule(kProblem, config_of(parse_config("family=sm80,cta=64x64x64,warps=2x2,stages=3")),
             volta) == "architecture");
}

// A swizzle is legal only where it maps a tile onto itself.
TEST_CASE("a legal arrangement gives every element its own address") {
  const char* const arrangements[] = {"fitted",        "none",           "pad:8",
                                      "swizzle:3:3:3", "swizzle:3:3:-3", "swizzle:2:4:5",
                                      "swizzle:5:3:5", "swizzle:6:3:-6", "swizzle:1:8:9"};
  int legal = 0;
  for (const char* const smem : arrangements) {
    for (const char* const cta : {"64x64x32", "96x64x64", "16x48x64", "192x128x32"}) {
      for (const MatrixLayout layout : {MatrixLayout::TN, MatrixLayout::NT}) {
        const TileConfig config = config_of(parse_config(
            std::string("family=sm80,warps=1x1,stages=2,cta=") + cta + ",smem=" + smem));
        const Problem problem{.shape = {64, 64, 64}, .kind = {.layout = layout}};
        if (rule(problem, config) == "smem") continue;
        ++legal;
        const tw::Sm80Params params = sm80_params(config, problem);
        for (const tw::StageTile& tile : {params.a_tile(), params.b_tile()}) {
          std::set<int> places;
          for (int row = 0; row < tile.rows; ++row) {
            for (int column = 0; column < tile.row_length; ++column) {
              places.insert(tile.offset(row, column));
            }
          }
          CHECK(static_cast<int>(places.size()) == tile.rows * tile.row_length);
          CHECK(*places.begin() == 0);
          CHECK(*places.rbegin() < tile.elements());
        }
      }
    }
  }
  CHECK(legal > 40);
}

TEST_CASE("every rule of the skinny family rejects its own mistake") {
  const auto rule_of = [](const std::string& keys, const char* shape = "8x4096x4096",
                          MatrixLayout layout = MatrixLayout::TN) {
    return rule({.shape = parse_shape(shape), .kind = {.layout = layout}},
                config_of(parse_config("family=skinny," + keys)));
  };
  const std::string good = "cta=8x16x128,k_warps=4,stages=2";
  CHECK(rule_of(good) == "");
  CHECK(rule_of(good, "1x1x8") == "");
  CHECK(rule_of(good, "9x4096x4096") == "tile-shape");
  CHECK(rule_of("cta=8x24x128,k_warps=4,stages=2") == "tile-shape");
  CHECK(rule_of("cta=8x16x128,k_warps=17,stages=2") == "warps");
  CHECK(rule_of("cta=16x32x256,k_warps=4,stages=4") == "registers");
  CHECK(rule_of(good, "8x4096x4096", MatrixLayout::TT) == "layout");
  CHECK(rule_of(good, "8x4096x4100") == "alignment");
  CHECK(rule_of(good + ",decomposition=split-k:2:serial") == "decomposition");
  CHECK(rule_of(good + ",decomposition=split-k:2:workspace") == "");
}

TEST_CASE("activations need a tile's whole sum, and scales need 8-bit operands") {
  const TileConfig whole = config_of(parse_config("family=sm90,cta=128x64x64,stages=4"));
  for (const tw::ActivationRecord& record : tw::kActivations) {
    Problem problem{{1024, 1024, 8192}};
    problem.kind.epilogue = {.bias = true, .activation = record.activation};
    const bool linear = is_linear(problem.kind.epilogue);
    CHECK(rule(problem, whole) == "");
    for (const tw::ReductionRecord& reduction : tw::kReductions) {
      TileConfig config = whole;
      config.decomposition = parse_decomposition(std::string("split-k:2:") + reduction.name);
      CAPTURE(reduction.name);
      const bool in_place =
          tw::partial_storage_of(reduction.reduction) == tw::PartialStorage::Output;
      if (in_place) CHECK(rule(problem, config) == (linear ? "" : "reduction"));
      if (!in_place) CHECK(rule(problem, config) == "");
    }
    Workload update{.op = MatrixOp::Syrk, .kind = {}, .shapes = {{1024, 1024, 1024}}};
    update.kind.epilogue.activation = record.activation;
    CHECK(reject_workload_kind(update).has_value() == !linear);
    Workload group{.kind = update.kind, .shapes = {{64, 64, 64}, {128, 64, 64}}};
    CHECK(!reject_workload_kind(group).has_value());
  }
  for (const DataType dtype : {DataType::BF16, DataType::F16, DataType::E4M3}) {
    for (const bool of_a : {false, true}) {
      Workload scaled{.kind = {.dtype = dtype}, .shapes = {{1024, 1024, 1024}}};
      (of_a ? scaled.kind.epilogue.scale_a : scaled.kind.epilogue.scale_b) = OperandScale::Tensor;
      CHECK(reject_workload_kind(scaled).has_value() == (bytes_of(dtype) != 1));
    }
  }
}

TEST_CASE("scales go together by form, with 8-bit operands, and in groups by packed rows") {
  using Form = tw::ScaleForm;
  const auto goes = [](Form a, Form b) {
    const auto whole = [](Form form) { return form == Form::None || form == Form::Tensor; };
    if (whole(a) && whole(b)) return true;
    if (a == Form::Line && b == Form::Line) return true;
    return a == Form::Vector && (b == Form::Vector || b == Form::Block);
  };
  for (const tw::ScaleRecord& a : tw::kScales) {
    for (const tw::ScaleRecord& b : tw::kScales) {
      Workload scaled{.kind = {.dtype = DataType::E4M3}, .shapes = {{1024, 1024, 1024}}};
      scaled.kind.epilogue.scale_a = a.scale;
      scaled.kind.epilogue.scale_b = b.scale;
      CAPTURE(to_string(scaled));
      CHECK(reject_workload_kind(scaled).has_value() == !goes(a.form, b.form));
      if (!goes(a.form, b.form)) continue;
      Workload group = scaled;
      group.shapes = {{64, 256, 512}, {128, 256, 512}};
      CHECK(!reject_workload_kind(group).has_value());
      group.shapes.back().n = 128;
      const bool by_lines = tw::lines_per_scale(a.form) > 0;
      CHECK(reject_workload_kind(group).has_value() == by_lines);
      scaled.kind.dtype = DataType::BF16;
      const bool none = a.form == Form::None && b.form == Form::None;
      CHECK(reject_workload_kind(scaled).has_value() == !none);
    }
  }
  Workload promoted{.kind = {.dtype = DataType::E4M3}, .shapes = {{1024, 1024, 1024}}};
  promoted.kind.accumulation = Accumulation::Promoted;
  CHECK(!reject_workload_kind(promoted).has_value());
  promoted.kind.dtype = DataType::F16;
  CHECK(reject_workload_kind(promoted).has_value());
}

TEST_CASE("promotion holds the sums of one wgmma beside the tile's, and two blocks of columns") {
  Problem problem{{4096, 4096, 4096}, {.dtype = DataType::E4M3}};
  const auto with_tile = [](const char* tile) {
    return config_of(parse_config(std::string("family=sm90,stages=3,cta=") + tile));
  };
  CHECK(rule(problem, with_tile("128x256x128")) == "");
  problem.kind.accumulation = Accumulation::Promoted;
  CHECK(rule(problem, with_tile("128x256x128")) == "registers");
  CHECK(rule(problem, with_tile("128x192x128")) == "");
  CHECK(rule(problem, with_tile("128x200x128")) == "");
  problem.kind.epilogue.scale_a = OperandScale::Vector;
  problem.kind.epilogue.scale_b = OperandScale::Block;
  problem.kind = normalised(problem.kind);
  CHECK(rule(problem, with_tile("128x192x128")) == "");
  CHECK(rule(problem, with_tile("128x184x128")) == "tile-shape");
  CHECK(rule(problem, with_tile("256x128x128")) == "");
  CHECK(rule(problem, with_tile("256x128x128,decomposition=split-k:2:serial")) == "registers");
  CHECK(rule(problem, with_tile("192x128x128")) == "");
  CHECK(rule(problem, with_tile("192x144x128")) == "registers");
  problem.kind.epilogue.activation = Activation::Swiglu;
  CHECK(rule(problem, with_tile("192x64x128,schedule=pingpong")) == "");
  problem.kind.epilogue.stacked = true;
  CHECK(rule(problem, with_tile("192x64x128,schedule=pingpong")) == "registers");
  CHECK(rule(problem, with_tile("192x48x128,schedule=pingpong")) == "");
  CHECK(rule(problem, with_tile("128x96x128,schedule=pingpong")) == "");
  problem.kind.epilogue.activation = Activation::None;
  problem.kind.epilogue.stacked = false;
  for (int n = 8; n <= 192; n += 8) {
    CAPTURE(n);
    // The most blocks that any tile of this width begins and ends in.
    int most = 0;
    for (int first = 0; first < 128 * n; first += n) {
      most = std::max(most, (first + n - 1) / 128 - first / 128 + 1);
    }
    TileConfig config = with_tile("128x64x128");
    config.cta.n = n;
    CHECK((rule(problem, config) == "tile-shape") == (most > 2));
  }
}

TEST_CASE("scales of lines come with the stages where those of a k-block lie together") {
  Problem problem{{1024, 1024, 1024}, {.dtype = DataType::E4M3}};
  problem.kind.epilogue.scale_b = OperandScale::Block;
  for (const bool swapped : {false, true}) {
    TileConfig config = config_of(parse_config("family=sm90,stages=3,cta=128x64x128"));
    config.swap_ab = swapped;
    const auto params = [&](OperandScale of_a) {
      problem.kind.epilogue.scale_a = of_a;
      return sm90_params(config, problem);
    };
    const tw::Sm90Params apart = params(OperandScale::VectorAlongK);
    CHECK(!apart.stages_scales());
    const tw::Sm90Params together = params(OperandScale::Vector);
    CHECK(together.staged_scales_a == !swapped);
    CHECK(together.staged_scales_b == swapped);
    // Four bytes a line, in each stage; the first line may be any of four that share 16 bytes.
    const int lines = swapped ? 64 : 128;
    const int more = together.smem_bytes() - apart.smem_bytes();
    CHECK(more >= 3 * 4 * (lines + 3));
    CHECK(more < 3 * 4 * (lines + 4) + 16);
    CHECK(together.scale_bytes() % 16 == 0);
  }
}

TEST_CASE("gated activations need pairs of columns and no C") {
  const TileConfig whole = config_of(parse_config("family=sm90,cta=128x64x64,stages=4"));
  for (const tw::ActivationRecord& record : tw::kActivations) {
    Problem problem{{1024, 1026, 512}};
    problem.kind.epilogue.activation = record.activation;
    CHECK(rule(problem, whole) == "");
    TileConfig narrow = whole;
    narrow.cta.n = 72;
    CHECK(rule(problem, narrow) == (record.gated ? "tile-shape" : ""));
    TileConfig swapped = whole;
    swapped.swap_ab = true;
    CHECK(rule(problem, swapped) == "");
    swapped.decomposition = parse_decomposition("split-k:2:reduce-scatter");
    CHECK(rule(problem, swapped) == (record.gated ? "reduction" : ""));
    problem.kind.epilogue.beta = 1;
    CHECK(reject_workload_kind(workload_of(problem)).has_value() == record.gated);
    problem.kind.epilogue.beta = 0;
    problem.shape.n = 1025;
    CHECK(reject_workload_kind(workload_of(problem)).has_value() == record.gated);
  }
}

TEST_CASE("a bias of rows, stacked gates, a scale of D and its maximum have their rules") {
  const auto refused = [](const Workload& workload) {
    const auto rejection = reject_workload_kind(workload);
    return rejection ? rejection->rule + ": " + rejection->reason : std::string();
  };
  const auto with = [](MatrixOp op, std::vector<GemmShape> shapes, Epilogue epilogue) {
    return Workload{.op = op, .kind = {.epilogue = epilogue}, .shapes = std::move(shapes)};
  };
  const std::vector<GemmShape> one = {{1024, 1024, 512}};
  const std::vector<GemmShape> group = {{64, 64, 64}, {128, 64, 64}};
  const Epilogue stacked{.activation = Activation::Swiglu, .stacked = true};
  const Epilogue finished{.out_dtype = DataType::E4M3, .scale_d = true, .absmax = true};
  for (const Epilogue& epilogue : {stacked, finished, Epilogue{.row_bias = true}}) {
    CAPTURE(to_string(ProductKind{.epilogue = epilogue}));
    CHECK(refused(with(MatrixOp::Gemm, one, epilogue)) == "");
    CHECK(refused(with(MatrixOp::Gemm, group, epilogue)).starts_with("group: "));
    CHECK(refused(with(MatrixOp::Syrk, one, epilogue)).starts_with("operation: "));
  }
  CHECK(refused(with(MatrixOp::Gemm, group, {.out_dtype = DataType::E4M3, .scale_d = true})) == "");
  CHECK(refused(with(MatrixOp::Gemm, one, {.bias = true, .row_bias = true}))
            .starts_with("epilogue: "));
  for (const Epilogue& only : {Epilogue{.scale_d = true}, Epilogue{.absmax = true},
                               Epilogue{.out_dtype = DataType::E4M3}}) {
    const std::string why = refused(with(MatrixOp::Syr2k, one, only));
    CHECK(why.starts_with("operation: syr2k has no "));
    CHECK(why.size() > std::string("operation: syr2k has no ").size());
  }
}

TEST_CASE("gates and ups are taken in turn only where B's k is contiguous") {
  for (const char* const text :
       {"family=sm90,cta=128x64x64,stages=4", "family=sm90,cta=128x64x64,stages=4,swap_ab=true",
        "family=sm80,cta=64x64x32,warps=2x2,stages=3"}) {
    const TileConfig config = config_of(parse_config(text));
    for (const MatrixLayout layout :
         {MatrixLayout::TN, MatrixLayout::NN, MatrixLayout::NT, MatrixLayout::TT}) {
      Problem problem{{1024, 1024, 512}, {.layout = layout}};
      problem.kind.epilogue = parse_epilogue("swiglu");
      CHECK(rule(problem, config) == "");
      problem.kind.epilogue = parse_epilogue("swiglu@stacked");
      CHECK(rule(problem, config) == (is_k_major_b(layout) ? "" : "operands"));
    }
  }
}

TEST_CASE("the slots of the largest problems are counted without overflow") {
  TileConfig config = legal_config();
  config.cta = {64, 64, 64};
  CHECK(rule({.shape = {2147483647, 2147483640, 64}}, config) == "wave");
}
