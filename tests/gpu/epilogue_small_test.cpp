// Every operation of an epilogue in every family, and with every form of scales, once: small enough
// for compute-sanitizer, which runs each case by its name.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/group_bench.hpp"
#include "support/sm90_configs.hpp"
#include "support/trials.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kOperations[] = {
    "",     "bias", "row-bias",         "relu",   "gelu",  "gelu-erf",
    "silu", "c",    "silu(2*ab+0.5*c)", "swiglu", "geglu", "geglu-erf(bias)"};

// Scales of A and B, as options spell them.
constexpr std::pair<std::string_view, std::string_view> kForms[] = {
    {"", ""},
    {"tensor", "tensor"},
    {"row", "column"},
    {"block:1x128@mn", "block:128x128"},
    {"block:1x128@k", "block:128x128@k4"},
    {"block:1x128@mn", "block:1x128@k"},
    {"block:1x128@k", "block:1x128@mn"}};

Epilogue operation_of(std::string_view text) {
  return text.empty() ? Epilogue{} : parse_epilogue(text);
}

// All operations of 16-bit operands, with D of every type and kind of store in turn.
std::vector<ProductKind> plain_kinds() {
  std::vector<ProductKind> kinds;
  for (const std::string_view text : kOperations) {
    kinds.push_back({.epilogue = operation_of(text)});
  }
  kinds.push_back({.epilogue = parse_epilogue("swiglu@stacked(bias)")});
  kinds.push_back({.epilogue = parse_epilogue("gelu(bias)")});
  kinds.back().epilogue.out_dtype = DataType::F32;
  for (const char* const text : {"silu", "swiglu"}) {
    for (const DataType out : {DataType::BF16, DataType::E4M3}) {
      ProductKind kind{.epilogue = parse_epilogue(text)};
      kind.epilogue.out_dtype = out;
      kind.epilogue.scale_d = kind.epilogue.absmax = true;
      kinds.push_back(normalised(kind));
    }
  }
  return kinds;
}

// All operations with one form of scales.
std::vector<ProductKind> scaled_kinds_of(std::string_view a, std::string_view b) {
  std::vector<ProductKind> kinds;
  for (const std::string_view text : kOperations) {
    ProductKind kind{.dtype = DataType::E4M3, .epilogue = operation_of(text)};
    kind.epilogue.out_dtype = DataType::BF16;
    if (!a.empty()) kind.epilogue.scale_a = parse_scale(a, Operand::A);
    if (!b.empty()) kind.epilogue.scale_b = parse_scale(b, Operand::B);
    kinds.push_back(normalised(kind));
  }
  return kinds;
}

// Runs each kind with the configs that it has kernels for, one at least.
void check_kinds(const std::vector<ProductKind>& kinds, const GemmShape& shape,
                 const std::vector<std::string>& configs) {
  std::vector<testing::Trial> trials;
  for (const ProductKind& kind : kinds) {
    testing::Trial trial{{shape, kind}, {}};
    CAPTURE(to_string(trial.problem));
    for (const std::string& text : configs) {
      const TileConfig config = config_of(parse_config(text));
      if (!reject_config(trial.problem, config, testing::h200())) trial.configs.push_back(config);
    }
    CHECK(!trial.configs.empty());
    trials.push_back(trial);
  }
  CHECK(testing::check_trials(trials).refused == 0);
}

void check_scaled(size_t form) {
  const auto& [a, b] = kForms[form];
  check_kinds(scaled_kinds_of(a, b), {72, 144, 400},
              {"family=sm90,cta=64x96x128,stages=3",
               "family=sm90,cta=64x48x128,stages=3,schedule=pingpong,swap_ab=true"});
}

TEST_CASE("small: epilogues of sm90") {
  check_kinds(plain_kinds(), {72, 144, 136},
              {"family=sm90,cta=64x96x64,stages=3",
               "family=sm90,cta=64x32x64,stages=3,schedule=pingpong,swap_ab=true"});
}
TEST_CASE("small: epilogues of divided tiles") {
  check_kinds(plain_kinds(), {72, 144, 200},
              {"family=sm90,cta=64x96x64,stages=3,decomposition=split-k:2:workspace",
               "family=sm90,cta=64x96x64,stages=3,decomposition=split-k:2:serial"});
}
TEST_CASE("small: epilogues of sm80") {
  check_kinds(plain_kinds(), {72, 144, 136},
              {"family=sm80,cta=64x64x32,warps=2x2,stages=3",
               "family=sm80,cta=64x64x32,warps=2x2,stages=3,decomposition=split-k:2:workspace"});
}
TEST_CASE("small: epilogues of skinny") {
  check_kinds(plain_kinds(), {7, 144, 264},
              {"family=skinny,cta=16x16x128,k_warps=4,stages=2",
               "family=skinny,cta=16x32x64,k_warps=2,stages=2,decomposition=split-k:2:workspace"});
}
TEST_CASE("small: operations on unscaled e4m3") {
  check_scaled(0);
}
TEST_CASE("small: operations on scaled tensors") {
  check_scaled(1);
}
TEST_CASE("small: operations on scaled rows and columns") {
  check_scaled(2);
}
TEST_CASE("small: operations on blocks 1x128 and 128x128") {
  check_scaled(3);
}
TEST_CASE("small: operations on blocks 1x128@k and 128x128@k4") {
  check_scaled(4);
}
TEST_CASE("small: operations on blocks 1x128 and 1x128@k") {
  check_scaled(5);
}
TEST_CASE("small: operations on blocks 1x128@k and 1x128") {
  check_scaled(6);
}

TEST_CASE("small: packed groups with scales and operations") {
  for (const auto& [a, b] : kForms) {
    for (const char* const text : {"", "silu", "swiglu"}) {
      Workload group = testing::packed_group({70, 0, 1, 33}, 144, 272);
      ProductKind kind{.dtype = DataType::E4M3, .epilogue = operation_of(text)};
      kind.epilogue.out_dtype = DataType::BF16;
      if (!a.empty()) kind.epilogue.scale_a = parse_scale(a, Operand::A);
      if (!b.empty()) kind.epilogue.scale_b = parse_scale(b, Operand::B);
      group.kind = normalised(kind);
      CAPTURE(full_text(group));
      const TileConfig config = testing::sm90_config("cta=64x96x128,group_schedule=device-only", 3);
      const auto rejection = reject_workload(group, config, testing::h200());
      REQUIRE_MESSAGE(!rejection, rejection->reason);
      testing::GroupBench bench(group);
      const Verification verification = bench.run(config);
      CHECK_MESSAGE(verification.ok, verification.detail);
    }
  }
}

}  // namespace
}  // namespace tilewright
