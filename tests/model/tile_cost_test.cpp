#include "model/tile_cost.hpp"

#include <doctest/doctest.h>

#include "base/text.hpp"
#include "model/coarse_price.hpp"
#include "model/estimate.hpp"
#include "search/complete.hpp"
#include "search/rank.hpp"
#include "store/device_preset.hpp"
#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/family/sm90.hpp"

namespace tilewright {
namespace {

TileConfig config_of_tile(const char* cta, const char* cluster = "1x1", int stages = 4) {
  return {
      .cta = parse_tile(cta), .cluster = parse_cluster(cluster), .stages = stages, .raster = {}};
}

tw::Sm90Params kernel_of(const TileConfig& config, const Problem& problem = {{4096, 4096, 4096}}) {
  return sm90_params(config, problem);
}

tw::Sm90Params kernel_of_tile(const char* cta, const char* cluster = "1x1", int stages = 4) {
  return kernel_of(config_of_tile(cta, cluster, stages));
}

TEST_CASE("a stage takes at least the tensor core's clocks, and little more in large tiles") {
  const DeviceSpec d = testing::h200();
  for (const int m : {64, 128, 192, 256}) {
    for (int n = 64; n <= 256; n += 16) {
      TileConfig c = config_of_tile("128x256x64");
      c.cta = {m, n, 64};
      const double tensor = 2.0 * m * n * 64 / d.tensor_flops_per_clock_per_sm;
      CHECK(stage_clocks(kernel_of(c), d) >= tensor);
      if (m * n >= 128 * 192) CHECK(stage_clocks(kernel_of(c), d) < 1.15 * tensor);
    }
  }
  // 64x64 tiles need 128 bytes per clock and multiprocessor.
  CHECK(stage_clocks(kernel_of_tile("64x64x64"), d) > 1.5 * 128);
}

TEST_CASE("multiplications hide a part of the promotion") {
  const DeviceSpec d = testing::h200();
  const Problem fast{{4096, 4096, 4096}, {.dtype = DataType::E4M3}};
  Problem promoted = fast;
  promoted.kind.accumulation = Accumulation::Promoted;
  for (const char* const cta : {"128x128x128", "128x192x128", "192x128x128"}) {
    CAPTURE(std::string(cta));
    const TileConfig config = config_of_tile(cta);
    const double additions = 1.0 * config.cta.m * config.cta.n / d.sm.fp32_per_clock;
    CHECK(promotion_clocks(kernel_of(config, fast), d) == 0);
    CHECK(promotion_clocks(kernel_of(config, promoted), d) == additions);
    const double added =
        stage_clocks(kernel_of(config, promoted), d) - stage_clocks(kernel_of(config, fast), d);
    CHECK(added > 0.7 * d.tile.promotion_share * additions);
    CHECK(added < 1.1 * d.tile.promotion_share * additions);
  }
}

TEST_CASE("scales of every k-block delay short stages, and those of columns cost instructions") {
  const DeviceSpec d = testing::h200();
  const auto kernel = [](const char* cta, OperandScale a, OperandScale b) {
    const Problem problem{{4096, 4096, 4096},
                          {.dtype = DataType::E4M3, .epilogue = {.scale_a = a, .scale_b = b}}};
    return kernel_of(config_of_tile(cta), problem);
  };
  const auto of_blocks = [&](const char* cta) {
    return kernel(cta, OperandScale::Vector, OperandScale::Block);
  };
  const auto of_lines = [&](const char* cta) {
    return kernel(cta, OperandScale::Vector, OperandScale::Vector);
  };
  CHECK(stage_clocks(of_blocks("64x16x128"), d) >= d.tile.scale_clocks);
  CHECK(stage_clocks(of_lines("64x16x128"), d) >= d.tile.scale_clocks + d.tile.line_scale_clocks);
  // Large tiles multiply for longer than the scales take.
  CHECK(stage_clocks(of_blocks("192x128x128"), d) <
        1.01 * stage_clocks(of_blocks("192x128x128"), [&] {
          DeviceSpec other = d;
          other.tile.scale_clocks = 0;
          return other;
        }()));
  CHECK(promotion_clocks(of_lines("128x128x128"), d) ==
        2 * promotion_clocks(of_blocks("128x128x128"), d) + d.tile.exchange_clocks * 128 * 2);
  // Consumers branch by the places where a block of scales may end inside the tile.
  DeviceSpec straight = d;
  straight.tile.crossing_clocks = 0;
  const auto branches = [&](const char* cta) {
    return stage_clocks(of_blocks(cta), d) - stage_clocks(of_blocks(cta), straight);
  };
  CHECK(branches("128x128x128") == 0);
  CHECK(branches("128x64x128") == 0);
  CHECK(branches("128x112x128") > 0);
  CHECK(branches("128x120x128") > 1.8 * branches("128x112x128"));
  CHECK(branches("256x120x128") > 1.8 * branches("128x120x128"));
}

TEST_CASE("loads of C cost an epilogue time for each element of a thread") {
  const DeviceSpec d = testing::h200();
  TileConfig config = config_of_tile("128x128x64");
  CHECK(addend_clocks(kernel_of(config), d, {512, 1000, 64}) ==
        d.tile.addend_clocks * 128 * 128 / 256);
  // Columns outside D are not loaded, nor a thread's second rows.
  CHECK(addend_clocks(kernel_of(config), d, {8, 1000, 64}) ==
        d.tile.addend_clocks * 128 * 64 / 256);
  CHECK(addend_clocks(kernel_of(config), d, {512, 96, 64}) ==
        d.tile.addend_clocks * 128 * 96 / 256);
  config.schedule = KernelSchedule::PingPong;
  CHECK(addend_clocks(kernel_of(config), d, {512, 1000, 64}) ==
        d.tile.addend_clocks * 128 * 128 / 128);
}

TEST_CASE("C that comes through the store buffers costs time for each piece") {
  const DeviceSpec d = testing::h200();
  const auto pieces = [&](const char* tile, KernelSchedule schedule, bool swapped) {
    TileConfig config = config_of_tile(tile);
    config.schedule = schedule;
    TileKernel kernel = kernel_of(config);
    kernel.epilogue.scaled = true;
    kernel.swap_ab = swapped;
    REQUIRE(kernel.stages_c());
    return addend_clocks(kernel, d, {512, 1000, 64}) / d.tile.addend_piece_clocks;
  };
  for (const bool swapped : {false, true}) {
    CHECK(pieces("128x128x64", KernelSchedule::Cooperative, swapped) == 2);
    CHECK(pieces("128x256x64", KernelSchedule::Cooperative, swapped) == 4);
    CHECK(pieces("256x72x64", KernelSchedule::Cooperative, swapped) == 4);
    CHECK(pieces("128x128x64", KernelSchedule::PingPong, swapped) == 4);
  }
}

TEST_CASE("a mirrored kernel with registers for a piece of C pays for each piece") {
  const DeviceSpec d = testing::h200();
  const auto clocks = [&](const char* tile, int64_t columns, bool swapped) {
    TileKernel kernel = kernel_of(config_of_tile(tile));
    kernel.epilogue.scaled = true;
    kernel.mirrored = true;
    kernel.swap_ab = swapped;
    REQUIRE(kernel.loads_c() == (kernel.accumulator_registers() < 100));
    return addend_clocks(kernel, d, {512, columns, 64});
  };
  CHECK(clocks("128x128x64", 1000, false) == 2 * d.tile.addend_piece_clocks);
  CHECK(clocks("128x128x64", 64, false) == d.tile.addend_piece_clocks);
  CHECK(clocks("128x72x64", 1000, false) == 2 * d.tile.addend_piece_clocks);
  CHECK(clocks("256x64x64", 1000, false) == 2 * d.tile.addend_piece_clocks);
  CHECK(clocks("128x64x64", 1000, true) == 2 * d.tile.addend_piece_clocks);
  CHECK(clocks("128x256x64", 1000, false) == d.tile.addend_clocks * 128);
}

TEST_CASE("more stages never cost time, thin multicast slices do") {
  const DeviceSpec d = testing::h200();
  for (int stages = 2; stages < 8; ++stages) {
    CHECK(stage_clocks(kernel_of_tile("64x128x64", "1x1", stages + 1), d) <=
          stage_clocks(kernel_of_tile("64x128x64", "1x1", stages), d));
  }
  // Halves of 32 rows of A against halves of 128 columns of B.
  CHECK(stage_clocks(kernel_of_tile("64x256x64", "1x2"), d) >
        1.01 * stage_clocks(kernel_of_tile("64x256x64", "2x1"), d));
  CHECK(stage_clocks(kernel_of_tile("128x256x64", "2x1"), d) ==
        stage_clocks(kernel_of_tile("128x256x64", "1x1"), d));
}

TEST_CASE("CTAs that share a multiprocessor share its tensor core, and hide each other's waits") {
  const DeviceSpec d = testing::h200();
  for (const char* const cta : {"64x16x64", "64x64x64", "64x96x64", "64x128x64"}) {
    for (const int stages : {2, 4, 6}) {
      const tw::Sm90Params kernel = kernel_of_tile(cta, "1x1", stages);
      const double alone = stage_clocks(kernel, d);
      for (const int64_t sharers : {2, 3, 4}) {
        CAPTURE(cta);
        CAPTURE(sharers);
        const double tensor = 2.0 * kernel.cta_m * kernel.cta_n * 64 *
                              static_cast<double>(sharers) / d.tensor_flops_per_clock_per_sm;
        const double shared = stage_clocks(kernel, d, {}, sharers);
        CHECK(shared >= tensor);
        CHECK(shared > alone);
        CHECK(shared < static_cast<double>(sharers) * alone);
      }
    }
  }
  CHECK(sharers_of(1, d) == 1);
  CHECK(sharers_of(d.sm_count, d) == 1);
  CHECK(sharers_of(d.sm_count + 1, d) == 2);
}

// How many of `rows` rows, `row_bytes` apart, begin within a sector of 32 bytes.
double misaligned_of(int rows, int64_t row_bytes) {
  double misaligned = 0;
  for (int64_t row = 0; row < rows; ++row) misaligned += row * row_bytes % 32 == 0 ? 0 : 1;
  return misaligned;
}

double misaligned_of(const Problem& problem, const TileConfig& config) {
  return rows_of_stage(make_plan(problem, config, testing::h200())).misaligned;
}

double rows_once_of(const TileConfig& config) {
  return rows_of_stage(make_plan(Problem{{4096, 4096, 4096}}, config, testing::h200())).once;
}

TEST_CASE("rows that begin within a sector are counted, and cost TMA and L2") {
  const TileConfig c = config_of_tile("192x128x64");
  for (const int64_t k : {8, 16, 3000, 4096, 4104, 4112, 4128, 4160, 4224, 8200}) {
    CAPTURE(k);
    CHECK(misaligned_of({{4096, 4096, k}}, c) == misaligned_of(192 + 128, 2 * k));
  }
  const Problem odd{{3000, 3000, 3000}};
  // A cluster halves each CTA's loads of the operand that it shares: 128 of 320 rows.
  const TileConfig pairs = config_of_tile("192x128x64", "2x1");
  CHECK(rows_once_of(c) == 320);
  CHECK(rows_once_of(pairs) == 320 - 64);
  const StageRows of_pair = rows_of_stage(make_plan(odd, pairs, testing::h200()));
  CHECK(of_pair.misaligned * (320 - 64) / of_pair.all ==
        doctest::Approx(misaligned_of(320 - 64, 6000)));
  // Rows of an MN-major operand run along m; operands that TMA cannot address are copied to lines.
  const Problem nn{.shape = {4104, 4096, 4096}, .kind = {.layout = MatrixLayout::NN}};
  CHECK(misaligned_of(nn, c) == misaligned_of(192, 2 * 4104));
  CHECK(misaligned_of({.shape = {4104, 4096, 4096}, .kind = {.layout = MatrixLayout::TN}}, c) == 0);
  CHECK(misaligned_of({{4096, 4096, 4100}}, c) == 0);
  // An odd product is no cheaper than its even neighbours, and a lone CTA waits for TMA.
  for (const char* const tile : {"64x64x64", "128x128x64", "128x256x64"}) {
    CAPTURE(tile);
    const DeviceSpec d = testing::h200();
    const TileConfig config = config_of_tile(tile);
    const double even = estimate({{2048, 2048, 2048}}, config, d).us;
    CHECK(estimate({{2048, 2048, 2040}}, config, d).us > 1.05 * even);
    CHECK(estimate({{2048, 2048, 2032}}, config, d).us <
          estimate({{2048, 2048, 2040}}, config, d).us);
    CHECK(stage_clocks(kernel_of(config), d, {.misaligned_rows = 1000}) >
          1000 * d.tile.misaligned_row_clocks);
  }
}

TEST_CASE("TMA takes longer for rows of D that cross lines, and for none of whole lines") {
  const DeviceSpec d = testing::h200();
  const TileConfig config = config_of_tile("128x192x64");
  const auto clocks = [&](int64_t columns, int64_t k) {
    const Plan plan = make_plan(Problem{{4096, columns, k}}, config, d);
    return unaligned_clocks(plan, kernel_of(config), d);
  };
  for (const int64_t columns : {8192, 8200, 8208, 8216, 8224, 8256, 16304, 2840}) {
    CAPTURE(columns);
    // The rows of three boxes of 64 columns, of a tile in the corner.
    double expected = 0;
    for (int64_t row = 0; row < 128; ++row) {
      const int64_t byte = row * columns * 2;
      const double crossing = columns * 2 % 128 == 0 ? 0 : d.tile.crossing_store_clocks;
      expected += 3 * (byte % 32 != 0 ? d.tile.misaligned_store_clocks : crossing);
    }
    CHECK(clocks(columns, 4096) == doctest::Approx(expected));
    // Each of 11 k-steps loads 320 rows, half of which begin within a sector.
    CHECK(clocks(columns, 680) ==
          doctest::Approx(expected + 11 * 160 * d.tile.misaligned_row_clocks));
  }
}

TEST_CASE("odd rows of D are stored element by element, which ping-pong hides") {
  // Median times of 2047x2049x2048, which `tune` measured on an H100 on 2026-11-26. The rate was
  // fitted to the times of another card.
  struct Row {
    const char* config;
    double us;
  };
  const DeviceSpec d = load_device_preset("h100");
  const std::vector<Row> rows = {
      {"cta=192x176x64,stages=3,schedule=cooperative,raster=swizzle-merge:4@n", 40.2},
      {"cta=128x136x64,stages=6,schedule=pingpong,raster=swizzle-merge:4", 32.8}};
  std::vector<double> predicted;
  for (const Row& row : rows) {
    const TileConfig config = config_of(parse_config(row.config));
    predicted.push_back(estimate({{2047, 2049, 2048}}, config, d).us);
    CHECK(predicted.back() == doctest::Approx(row.us).epsilon(0.2));
    CHECK(estimate({{2047, 2048, 2048}}, config, d).us < 0.95 * predicted.back());
  }
  CHECK(predicted[0] > predicted[1]);
}

TEST_CASE("a short product waits for the rows that TMA moves, fewer of which a cluster loads") {
  // An H100 took 87.1 us without clusters and 68.4 us with them (tests/data/random_h100.csv);
  // another one 56.2 us in clusters of 4x2 (2026-11-26).
  const DeviceSpec d = load_device_preset("h100");
  const Problem p{{3878, 16304, 152}};
  const auto us = [&](const char* cluster) {
    TileConfig config = config_of(parse_config(
        "family=sm90,cta=128x192x64,stages=4,schedule=pingpong,raster=swizzle-merge:3@n"));
    config.cluster = parse_cluster(cluster);
    return estimate(p, config, d).us;
  };
  CHECK(us("1x1") > 1.1 * us("2x1"));
  CHECK(us("2x1") > 1.05 * us("4x2"));
  CHECK(us("1x1") > 70);
}

TEST_CASE("rows that begin within a sector are counted, also where sectors lie across lines") {
  for (const auto layout : {MatrixLayout::NT, MatrixLayout::TT, MatrixLayout::TN}) {
    for (const int columns : {128, 136, 152, 160, 176, 184, 192}) {
      CAPTURE(columns);
      // Tiles up to the point where offsets in a line repeat, with every row of them.
      bool is_within = false;
      bool is_across = false;
      for (int64_t tile = 0; layout != MatrixLayout::TN && tile < 128; ++tile) {
        is_within = is_within || tile * columns * 2 % 32 != 0;
        is_across = is_across || tile * columns * 2 % 128 != 0;
      }
      const Problem problem{.shape = {4096, 4096, 4096}, .kind = {.layout = layout}};
      const StageRows rows = rows_of_stage(make_plan(
          problem, config_of_tile(format("128x{}x64", columns).c_str()), testing::h200()));
      CHECK(rows.misaligned == (is_within ? columns : 0));
      CHECK(rows.crossing_lines == (is_across && !is_within ? columns : 0));
    }
  }
  for (const int64_t k : {4064, 4080, 4096, 4128, 4152, 4160}) {
    const StageRows rows = rows_of_stage(
        make_plan(Problem{{4096, 4096, k}}, config_of_tile("192x128x64"), testing::h200()));
    CHECK(rows.misaligned == misaligned_of(320, 2 * k));
    CHECK(rows.crossing_lines == (k % 16 == 0 && k % 64 != 0 ? 320 : 0));
  }
}

TEST_CASE("rows that begin within a sector cost what was measured on an H200") {
  struct Measured {
    const char* shape;
    MatrixLayout layout;
    const char* config;
    double us;
  };
  // 2026-11-23, tune --dispatch; the rules were derived from these. The last ones cause reads that
  // L2 merges less.
  const Measured all[] = {
      {"4096x6688x4096", MatrixLayout::NT,
       "cta=128x184x64,cluster=1x1,schedule=pingpong,raster=swizzle-merge:16,4", 397.0},
      {"4096x6688x4096", MatrixLayout::TT,
       "cta=128x184x64,cluster=1x1,schedule=pingpong,raster=swizzle-merge:16,4", 389.3},
      {"4096x6688x4096", MatrixLayout::NN,
       "cta=128x184x64,cluster=1x1,schedule=pingpong,raster=swizzle-merge:16,4", 287.5},
      {"4096x6688x4096", MatrixLayout::NT,
       "cta=128x176x64,cluster=2x1,schedule=pingpong,raster=col", 312.9},
      {"1024x1024x2256", MatrixLayout::TN, "cta=64x128x64,cluster=1x1,raster=swizzle-merge:3@n",
       10.6},
      {"1024x1024x4048", MatrixLayout::TN, "cta=64x128x64,cluster=1x1,raster=swizzle-merge:3@n",
       21.2},
      {"1024x1024x12768", MatrixLayout::TN, "cta=64x128x64,cluster=1x1,raster=swizzle-merge:3@n",
       58.0},
  };
  const DeviceSpec d = testing::h200();
  for (const Measured& m : all) {
    const Problem problem{.shape = parse_shape(m.shape), .kind = {.layout = m.layout}};
    const ConfigRequest request = parse_config(std::string(m.config) + ",swap_ab=false");
    const TileConfig config = complete_config(request, workload_of(problem), d);
    CAPTURE(to_string(problem));
    CAPTURE(to_string(config));
    CHECK(estimate(problem, config, d).us == doctest::Approx(m.us).epsilon(0.13));
  }
}

TEST_CASE(
    "ping-pong hides epilogues behind main loops, but the last; odd widths store in more pieces") {
  const DeviceSpec d = testing::h200();
  TileConfig c = config_of_tile("128x192x64");
  constexpr double kLoop = 20000;
  const tw::Sm90Params cooperative = kernel_of(c);
  CHECK(exposed_epilogue_clocks(cooperative, d, 3000, kLoop, false) == 3000);
  c.schedule = KernelSchedule::PingPong;
  const tw::Sm90Params ping_pong = kernel_of(c);
  CHECK(exposed_epilogue_clocks(ping_pong, d, 3000, kLoop, true) == 3000);
  CHECK(exposed_epilogue_clocks(ping_pong, d, 3000, kLoop, false) == d.tile.hand_over_clocks);
  // Two tiles take a main loop and an epilogue together where the epilogue is the longer one.
  CHECK(exposed_epilogue_clocks(ping_pong, d, kLoop + 8000, kLoop, false) == 4000);
  // 200 columns are three stores of 64 and one of 8.
  CHECK(epilogue_clocks(kernel_of_tile("128x200x64"), d) >
        epilogue_clocks(kernel_of_tile("128x192x64"), d) + 100);
}

TEST_CASE("a plan is priced by the constants of its own kernel") {
  const DeviceSpec d = testing::h200();
  // Slabs of 64 lines: 184 columns of an operand along n take as many bytes of a stage as 192.
  const TileConfig narrow = config_of_tile("128x184x64");
  const TileConfig wide = config_of_tile("128x192x64");
  const Problem nt{.shape = {4096, 4096, 4096}, .kind = {.layout = MatrixLayout::NT}};
  const auto of = [&d](const Problem& p, const TileConfig& c) {
    return sm90_constants(make_plan(p, c, d));
  };
  CHECK(of(nt, narrow) == sm90_params(narrow, nt));
  CHECK(of(nt, narrow).stage_bytes() == of(nt, wide).stage_bytes());
  CHECK(of({{4096, 4096, 4096}}, narrow).stage_bytes() < of(nt, narrow).stage_bytes());
  CHECK(stage_clocks(of(nt, narrow), d) > stage_clocks(of({{4096, 4096, 4096}}, narrow), d));
  // A tile that is stored twice takes longer, in the kernel that stores it twice.
  Workload full{.op = MatrixOp::Syrk, .uplo = Uplo::Full, .shapes = {{1024, 1024, 512}}};
  const TileConfig square = config_of_tile("128x128x64");
  const tw::Sm90Params mirrored = sm90_constants(make_plan(full, square, d));
  full.uplo = Uplo::Lower;
  const tw::Sm90Params once = sm90_constants(make_plan(full, square, d));
  CHECK(epilogue_clocks(mirrored, d) > 1.5 * epilogue_clocks(once, d));
}

TEST_CASE("groups and triangles are priced in tiles of every family") {
  const DeviceSpec d = testing::h200();
  for (const char* const config : {"family=sm80,cta=128x128x32,warps=2x2,stages=4",
                                   "family=skinny,cta=16x16x128,k_warps=4,stages=2"}) {
    CAPTURE(config);
    const TileConfig c = config_of(parse_config(config));
    for (const MatrixOp op : {MatrixOp::Gemm, MatrixOp::Syrk}) {
      const Workload group{.op = op, .shapes = {{512, 512, 512}, {256, 256, 1024}}};
      CHECK(estimate(make_plan(group, c, d), d).us > 0);
      CHECK(coarse_us(make_plan(group, c, d), d) > 0);
    }
  }
}

TEST_CASE("multicast costs less than a factor of 2, and nothing without a cluster") {
  const auto overhead = [](const char* cluster, const GemmShape& shape) {
    const TileConfig config = config_of_tile("128x256x64", cluster);
    return multicast_overhead(make_plan(Problem{shape}, config, testing::h200()), testing::h200());
  };
  CHECK(overhead("1x1", {4096, 4096, 4096}) == doctest::Approx(1));
  for (const char* const cluster : {"2x1", "1x2"}) {
    CHECK(overhead(cluster, {4096, 4096, 4096}) > 1);
    CHECK(overhead(cluster, {4096, 4096, 4096}) < 2);
  }
}

TEST_CASE("the first stages of a cluster's CTA hold rows that each CTA loads alone") {
  TileConfig config = config_of_tile("128x128x64", "2x2");
  config.stages = 4;
  const auto rows = [&](const GemmShape& shape) {
    return rows_of_stage(make_plan(Problem{shape}, config, testing::h200()));
  };
  // 16 tiles, one for each CTA: 2 of the k-steps, as a CTA's share is half of its rows.
  CHECK(rows({512, 512, 128}).all == 256);
  CHECK(rows({512, 512, 256}).all == doctest::Approx(128 + 128 * 0.5));
  CHECK(rows({512, 512, 2560}).all == doctest::Approx(128 + 128 * 0.05));
  // Later tiles share all of them.
  CHECK(rows({8192, 8192, 256}).all < 128 + 128 / 30.0);
  CHECK(rows({8192, 8192, 256}).once == 128);
}

TEST_CASE("an activation costs its unit's clocks once for every element of D") {
  const DeviceSpec d = testing::h200();
  for (const tw::ActivationRecord& record : tw::kActivations) {
    Problem problem{{2048, 2048, 512}};
    problem.kind.epilogue.activation = record.activation;
    const auto clocks = [&](const char* tile) {
      return epilogue_clocks(sm90_constants(make_plan(problem, config_of_tile(tile), d)), d);
    };
    // Without the stores: a tile as wide as D's columns stores equally much.
    const auto stored = [&](const char* tile) {
      TileKernel kernel = sm90_constants(make_plan(problem, config_of_tile(tile), d));
      const double all = epilogue_clocks(kernel, d);
      return all - operation_clocks(kernel.epilogue, kernel.cta_m, kernel.cta_n, d);
    };
    const auto plain = [&](const char* tile) {
      return record.gated ? stored(tile) : epilogue_clocks(kernel_of_tile(tile), d);
    };
    const double small = clocks("128x64x64") - plain("128x64x64");
    const double large = clocks("128x256x64") - plain("128x256x64");
    CHECK(large == doctest::Approx(4 * small));
    const double elements = 128.0 * (record.gated ? 32 : 64);
    const double by_special = elements * record.specials / d.sm.specials_per_clock;
    const double by_fp32 = elements * record.operations / d.sm.fp32_per_clock;
    CHECK(small == doctest::Approx(std::max(by_special, by_fp32)));
  }
}

double us_of(const Problem& problem, const char* config, const DeviceSpec& device) {
  return estimate(problem, config_of(parse_config(config)), device).us;
}

TEST_CASE("a bias and an activation each raise the price in every family") {
  const DeviceSpec d = testing::h200();
  for (const char* const config :
       {"family=sm90,cta=128x128x64,cluster=1x1,stages=4",
        "family=sm90,cta=128x192x64,cluster=2x1,stages=4,schedule=pingpong",
        "family=sm90,cta=128x64x64,cluster=1x1,stages=4,swap_ab=true",
        "family=sm80,cta=64x64x32,warps=2x2,stages=3",
        "family=skinny,cta=16x16x128,k_warps=4,stages=2"}) {
    CAPTURE(config);
    for (const char* const shape : {"16x4096x4096", "16x14336x1024", "9x1000x2048"}) {
      CAPTURE(shape);
      Problem problem{parse_shape(shape)};
      const double plain = us_of(problem, config, d);
      problem.kind.epilogue.bias = true;
      const double biased = us_of(problem, config, d);
      CHECK(biased > plain);
      for (const tw::ActivationRecord& record : tw::kActivations) {
        if (record.activation == Activation::None) continue;
        CAPTURE(record.name);
        problem.kind.epilogue = {.activation = record.activation};
        const double activated = us_of(problem, config, d);
        // A gated activation stores less than it computes.
        if (!record.gated) CHECK(activated > plain);
        problem.kind.epilogue.bias = true;
        const double both = us_of(problem, config, d);
        CHECK(both > activated);
        if (!record.gated) CHECK(both > biased);
      }
    }
  }
}

TEST_CASE("a scale of D and its maximum cost instructions for each of its elements") {
  const DeviceSpec d = testing::h200();
  for (const bool gated : {false, true}) {
    const tw::EpilogueParams plain{.activation = gated ? Activation::Swiglu : Activation::None};
    // Beside no special functions the instructions decide.
    DeviceSpec quick = d;
    quick.sm.specials_per_clock = 1e9;
    const auto clocks = [&](const tw::EpilogueParams& epilogue) {
      return operation_clocks(epilogue, 128, 64, quick);
    };
    tw::EpilogueParams scaled = plain;
    scaled.scale_d = true;
    tw::EpilogueParams watched = plain;
    watched.absmax = true;
    tw::EpilogueParams both = scaled;
    both.absmax = true;
    const double elements = 128.0 * 64 / (gated ? 2 : 1);
    CHECK(clocks(scaled) - clocks(plain) == doctest::Approx(elements / d.sm.fp32_per_clock));
    CHECK(clocks(watched) > clocks(scaled));
    CHECK(clocks(both) - clocks(watched) == doctest::Approx(clocks(scaled) - clocks(plain)));
  }
}

TEST_CASE("a bias of rows is read once per row of a tile") {
  const DeviceSpec d = testing::h200();
  for (const double rows : {64.0, 128.0}) {
    for (const double columns : {32.0, 256.0}) {
      CHECK(operation_clocks({.row_bias = true}, rows, columns, d) ==
            doctest::Approx(operation_clocks({.bias = true}, columns, rows, d)));
    }
  }
}

TEST_CASE("a bias is read once per column of a tile and added to every element") {
  const DeviceSpec d = testing::h200();
  const auto added = [&](double rows, double columns) {
    return operation_clocks({.bias = true}, rows, columns, d);
  };
  CHECK(operation_clocks({}, 128, 256, d) == 0);
  for (const double rows : {16.0, 64.0, 256.0}) {
    for (const double columns : {8.0, 128.0, 256.0}) {
      CHECK(added(rows, 2 * columns) == doctest::Approx(2 * added(rows, columns)));
      // Only the bias's bytes do not double with the rows; they take a multiprocessor's share of
      // L2.
      const double bytes = 2 * added(rows, columns) - added(2 * rows, columns);
      CHECK(bytes * d.l2_bytes_per_clock == doctest::Approx(2 * columns * d.sm_count));
    }
  }
}

TEST_CASE("overlapping times are at least the greatest and at most the sum") {
  CHECK(overlapped(0, 0) == 0);
  CHECK(overlapped(5, 0) == doctest::Approx(5));
  CHECK(overlapped(5, 1, 2) >= 5);
  CHECK(overlapped(5, 5, 5) > 5);
  CHECK(overlapped(5, 5, 5) < 7);
}

}  // namespace
}  // namespace tilewright
