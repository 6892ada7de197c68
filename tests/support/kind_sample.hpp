// Draws the sample by which the prices of block scales and epilogues are judged: shapes and legal
// configs of the sm_90a family, from a seed. Rates may be fitted to the first half of each kind's
// shapes; published figures use the other half.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "support/model_sample.hpp"
#include "tile/workload/product_kind.hpp"

namespace tilewright::testing {

inline constexpr uint64_t kKindSeed = 20261140;
inline constexpr size_t kConfigsOfKind = 10;  // a shape's

/// A kind of product, as bench takes it.
struct RecordedKind {
  std::string_view name;
  std::string_view epilogue;  // --epilogue
  std::string_view scale_a;   // --scale-a, of e4m3; empty: bf16 without scales
  std::string_view scale_b;
  size_t shapes = 0;  // the first half to fit, the other held out
};

inline constexpr std::array<RecordedKind, 6> kRecordedKinds = {
    RecordedKind{"block scales", "", "block:1x128", "block:128x128", 12},
    RecordedKind{"vector scales", "", "block:1x128", "block:1x128", 4},
    RecordedKind{"swiglu", "swiglu", "", "", 4},
    RecordedKind{"gelu of bias", "gelu(bias)", "", "", 4},
    RecordedKind{"silu", "silu", "", "", 4},
    RecordedKind{"residual", "c", "", "", 4}};

inline ProductKind kind_of(const RecordedKind& kind) {
  ProductKind product{.dtype = kind.scale_a.empty() ? DataType::BF16 : DataType::E4M3};
  if (!kind.epilogue.empty()) product.epilogue = parse_epilogue(kind.epilogue);
  if (!kind.scale_a.empty()) {
    product.epilogue.scale_a = parse_scale(kind.scale_a, Operand::A);
    product.epilogue.scale_b = parse_scale(kind.scale_b, Operand::B);
    product.epilogue.out_dtype = DataType::BF16;
  }
  return normalised(product);
}

/// The recorded kind of this name, of kRecordedKinds.
inline const RecordedKind& recorded_kind(std::string_view name) {
  for (const RecordedKind& kind : kRecordedKinds) {
    if (kind.name == name) return kind;
  }
  throw usage_error(format("no recorded kind '{}'", name));
}

/// The options of bench for the kind.
inline std::string flags_of(const RecordedKind& kind) {
  std::string flags;
  const auto add = [&flags](std::string_view option, std::string_view value) {
    if (value.empty()) return;
    if (!flags.empty()) flags += ' ';
    flags += std::string(option) + ' ' + std::string(value);
  };
  if (!kind.scale_a.empty()) add("--dtype", "e4m3");
  add("--scale-a", kind.scale_a);
  add("--scale-b", kind.scale_b);
  add("--epilogue", kind.epilogue);
  return flags;
}

struct KindShape {
  const RecordedKind* kind = nullptr;
  Problem problem;
  bool held_out = false;
  std::vector<TileConfig> configs;
};

/// The shapes in the order of their kinds, many and few rows in turn.
inline std::vector<KindShape> kind_sample(uint64_t seed = kKindSeed) {
  std::vector<KindShape> all;
  for (const RecordedKind& kind : kRecordedKinds) {
    // A kind's own sequence: what is legal for one does not move the others' draws.
    ModelSample sample(seed++);
    for (size_t i = 0; i < kind.shapes; ++i) {
      const GemmShape shape = sample.shape_of(i % 2 == 0 ? "prefill" : "decode");
      KindShape one{&kind, {shape, kind_of(kind)}, i >= kind.shapes / 2, {}};
      one.configs = sample.configs(one.problem, kConfigsOfKind);
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace tilewright::testing
