// Planted faults of operand scales, each of which the verification must find: a launch with the
// scales that a faulty kernel would take, compared as if it had taken its own. Those of epilogues
// are in epilogue_faults_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/math.hpp"
#include "support/gpu_bench.hpp"
#include "support/group_bench.hpp"
#include "support/sm90_configs.hpp"
#include "tile/workload/scale_layout.hpp"

namespace tilewright {
namespace {

ProductKind faulty_kind(const std::string& a, const std::string& b) {
  ProductKind kind{.dtype = DataType::E4M3};
  if (!a.empty()) kind.epilogue.scale_a = parse_scale(a, Operand::A);
  if (!b.empty()) kind.epilogue.scale_b = parse_scale(b, Operand::B);
  kind.epilogue.out_dtype = DataType::BF16;
  return normalised(kind);
}

/// An operand's scales as they lie in memory.
struct Scales {
  ScaleLayout layout;
  std::vector<float> values;

  Scales(const Workload& workload, Operand operand, const float* data)
      : layout(scale_layout(workload, operand)) {
    values.resize(static_cast<size_t>(layout.elements));
    copy_to_host(values.data(), data, values.size() * sizeof(float));
  }
  /// The scale of line (or 128 lines) `i` and k-block `j` of problem `p`.
  float& at(int64_t i, int64_t j, int64_t p = 0) {
    return values[static_cast<size_t>(i * layout.line + j * layout.k + p * layout.problem)];
  }
  /// The value at `index` in memory; 1 in the padding and behind the end.
  float raw(int64_t index) const {
    if (index >= layout.elements) return 1;
    const float value = values[static_cast<size_t>(index)];
    return std::isnan(value) ? 1 : value;
  }
  /// Calls change(scale, i, j) for every scale.
  template <class Change>
  void for_each(const Change& change) {
    for (int64_t i = 0; i < layout.scales_along_lines; ++i) {
      for (int64_t j = 0; j < layout.scales_along_k; ++j) change(at(i, j), i, j);
    }
  }
  DeviceBuffer on_device() const {
    DeviceBuffer buffer(values.size() * sizeof(float));
    copy_to_device(buffer.get(), values.data(), buffer.bytes());
    return buffer;
  }
};

/// Turns right scales into those that a faulty kernel takes.
struct PlantedFault {
  const char* name;
  std::function<void(Scales& a, Scales& b)> plant;
};

/// Takes scale (i, j) of `scales` from index(i, j) in memory.
void read_at(Scales& scales, const std::function<int64_t(int64_t, int64_t)>& index) {
  const Scales right = scales;
  scales.for_each([&](float& scale, int64_t i, int64_t j) { scale = right.raw(index(i, j)); });
}

/// Takes scale (i, j) of `scales` from (i + lines, j + blocks), in turn.
void shift(Scales& scales, int64_t lines, int64_t blocks) {
  Scales right = scales;
  const ScaleLayout& own = scales.layout;
  scales.for_each([&](float& scale, int64_t i, int64_t j) {
    scale = right.at((i + lines) % own.scales_along_lines, (j + blocks) % own.scales_along_k);
  });
}

void multiply_by_nothing(Scales& scales) {
  scales.for_each([](float& scale, int64_t, int64_t) { scale = 1; });
}

// Of 1x128 of A in columns, and 128x128 of B with a padded K.
std::vector<PlantedFault> faults_of_blocks() {
  return {
      {"a row takes its neighbour's scales", [](Scales& a, Scales&) { shift(a, 1, 0); }},
      {"a k-block of A takes the next one's", [](Scales& a, Scales&) { shift(a, 0, 1); }},
      {"a k-block of B takes the next one's", [](Scales&, Scales& b) { shift(b, 0, 1); }},
      {"columns take the next block's", [](Scales&, Scales& b) { shift(b, 1, 0); }},
      {"two k-blocks of one row are exchanged",
       [](Scales& a, Scales&) { std::swap(a.at(64, 0), a.at(64, 1)); }},
      {"A's scales are read transposed",
       [](Scales& a, Scales&) {
         read_at(a, [&](int64_t i, int64_t j) { return i * a.layout.scales_along_k + j; });
       }},
      {"two blocks of B are read transposed",
       [](Scales&, Scales& b) { std::swap(b.at(0, 1), b.at(1, 0)); }},
      {"the padding of B's K is not skipped",
       [](Scales&, Scales& b) {
         read_at(b, [&](int64_t i, int64_t j) { return i * b.layout.scales_along_k + j; });
       }},
      {"the padding of B's K is skipped twice",
       [](Scales&, Scales& b) {
         read_at(b, [&](int64_t i, int64_t j) { return i * (b.layout.line + 4) + j; });
       }},
      {"the last k-block of A has no scale",
       [](Scales& a, Scales&) {
         const int64_t last = a.layout.scales_along_k - 1;
         a.for_each([&](float& scale, int64_t, int64_t j) { scale = j == last ? 1 : scale; });
       }},
      {"the last k-block of B has no scale",
       [](Scales&, Scales& b) {
         const int64_t last = b.layout.scales_along_k - 1;
         b.for_each([&](float& scale, int64_t, int64_t j) { scale = j == last ? 1 : scale; });
       }},
      {"the last block of columns has its neighbour's scales",
       [](Scales&, Scales& b) {
         const int64_t last = b.layout.scales_along_lines - 1;
         b.for_each([&](float& scale, int64_t i, int64_t j) {
           if (i == last) scale = b.at(last - 1, j);
         });
       }},
      {"128 rows share a scale, as columns do",
       [](Scales& a, Scales&) {
         a.for_each([&](float& scale, int64_t i, int64_t j) { scale = a.at(i / 128 * 128, j); });
       }},
      {"operands are divided by their scales",
       [](Scales& a, Scales&) {
         a.for_each([](float& scale, int64_t, int64_t) { scale = 1 / scale; });
       }},
      {"A has no scales", [](Scales& a, Scales&) { multiply_by_nothing(a); }},
      {"B has no scales", [](Scales&, Scales& b) { multiply_by_nothing(b); }},
      {"a scale is read from the padding", [](Scales& a, Scales&) { a.values[3] = std::nanf(""); }},
  };
}

// Of one scale a row of A and a column of B, of which there are equally many.
std::vector<PlantedFault> faults_of_lines() {
  return {
      {"rows have the columns' scales and columns the rows'",
       [](Scales& a, Scales& b) { std::swap(a.values, b.values); }},
      {"a row takes its neighbour's scale", [](Scales& a, Scales&) { shift(a, 1, 0); }},
      {"a column takes its neighbour's scale", [](Scales&, Scales& b) { shift(b, 1, 0); }},
      {"rows have no scales", [](Scales& a, Scales&) { multiply_by_nothing(a); }},
      {"columns have no scales", [](Scales&, Scales& b) { multiply_by_nothing(b); }},
  };
}

std::vector<PlantedFault> faults_of_tensors() {
  return {
      {"A's scale is left out", [](Scales& a, Scales&) { a.values[0] = 1; }},
      {"B's scale is left out", [](Scales&, Scales& b) { b.values[0] = 1; }},
      {"A's scale is B's", [](Scales& a, Scales& b) { a.values[0] = b.values[0]; }},
  };
}

void check_found(const Problem& problem, const std::vector<PlantedFault>& faults) {
  CAPTURE(to_string(problem));
  testing::GpuBench bench(problem);
  const Workload workload = workload_of(problem);
  const OperandSet& set = bench.operands();
  const Scales a(workload, Operand::A, set.scale_a);
  const Scales b(workload, Operand::B, set.scale_b);
  for (const char* const text : {"cta=128x128x128", "cta=128x64x128,swap_ab=true"}) {
    const TileConfig config = testing::sm90_config(text, 3);
    CAPTURE(text);
    const auto run = [&](const Scales& of_a, const Scales& of_b) {
      const DeviceBuffer planted_a = of_a.on_device();
      const DeviceBuffer planted_b = of_b.on_device();
      OperandSet planted = set;
      planted.scale_a = planted_a.as<float>();
      planted.scale_b = planted_b.as<float>();
      bench.verifier().poison();
      bench.kernels().launch(bench.plan_of(config), {.operands = planted}, {});
      TW_CHECK(cudaDeviceSynchronize());
      return bench.verifier().check(problem.kind.epilogue);
    };
    const Verification right = run(a, b);
    CHECK_MESSAGE(right.ok, right.detail);
    for (const PlantedFault& fault : faults) {
      Scales of_a = a;
      Scales of_b = b;
      fault.plant(of_a, of_b);
      CHECK_MESSAGE(!run(of_a, of_b).ok, fault.name);
    }
  }
}

TEST_CASE("planted faults of scales are found, where all of D is compared and where samples are") {
  for (const char* const shape : {"300x520x1040", "1100x1288x4112"}) {
    check_found({parse_shape(shape), faulty_kind("block:1x128@mn", "block:128x128@k4")},
                faults_of_blocks());
  }
  for (const char* const shape : {"264x264x528", "1288x1288x2064"}) {
    check_found({parse_shape(shape), faulty_kind("row", "column")}, faults_of_lines());
    check_found({parse_shape(shape), faulty_kind("tensor", "tensor")}, faults_of_tensors());
  }
}

TEST_CASE("planted faults of a group's scales are found") {
  Workload group = testing::packed_group({70, 0, 129, 33}, 264, 656);
  group.kind = faulty_kind("block:1x128@mn", "block:128x128@k4");
  testing::GroupBench bench(group);
  const TileConfig config = testing::sm90_config("cta=128x64x128,group_schedule=device-only", 3);
  REQUIRE(bench.run(config).detail == "");
  const OperandSet& set = bench.operands();
  const Scales a(group, Operand::A, set.scale_a);
  const Scales b(group, Operand::B, set.scale_b);
  const auto is_found = [&](const Scales& of_a, const Scales& of_b) {
    const DeviceBuffer planted_a = of_a.on_device();
    const DeviceBuffer planted_b = of_b.on_device();
    OperandSet planted = set;
    planted.scale_a = planted_a.as<float>();
    planted.scale_b = planted_b.as<float>();
    return !bench.run_on(planted, config).ok;
  };
  CHECK(!is_found(a, b));
  // Each product takes the scales of B of the first one.
  Scales wrong = b;
  const auto own = static_cast<size_t>(b.layout.problem);
  for (size_t i = own; i < wrong.values.size(); ++i) wrong.values[i] = b.values[i % own];
  CHECK(is_found(a, wrong));
  // Each product's rows take the scales of the first rows.
  wrong = a;
  int64_t first = 0;
  for (const GemmShape& shape : group.shapes) {
    Scales right = a;
    for (int64_t i = 0; i < shape.m; ++i) {
      for (int64_t j = 0; j < a.layout.scales_along_k; ++j) wrong.at(first + i, j) = right.at(i, j);
    }
    first += shape.m;
  }
  CHECK(is_found(wrong, b));
}

TEST_CASE("sums that were not promoted are found") {
  Problem problem{{256, 512, 16384},
                  {.dtype = DataType::E4M3, .epilogue = {.out_dtype = DataType::F32}}};
  problem.kind.accumulation = Accumulation::Promoted;
  testing::GpuBench bench(problem);
  const TileConfig config = testing::sm90_config("cta=128x128x128", 3);
  const Verification promoted = bench.run(config);
  CHECK_MESSAGE(promoted.ok, promoted.detail);
  Problem fast = problem;
  fast.kind.accumulation = Accumulation::Fast;
  bench.verifier().poison();
  bench.kernels().launch(make_plan(fast, config, testing::h200()), {.operands = bench.operands()},
                         {});
  TW_CHECK(cudaDeviceSynchronize());
  const Verification unpromoted = bench.verifier().check(problem.kind.epilogue);
  CHECK(!unpromoted.ok);
  CHECK(unpromoted.rel_error > 3 * promoted.rel_error);
}

}  // namespace
}  // namespace tilewright
