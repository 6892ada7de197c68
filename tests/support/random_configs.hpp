// Random problems, and random legal configs of a space.
#pragma once

#include <cmath>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include "search/enumerate.hpp"
#include "support/devices.hpp"

namespace tilewright::testing {

template <class List>
const auto& pick(const List& list, std::mt19937& random) {
  return list[random() % std::size(list)];
}

/// `count` random legal configs, with kernels, rasters and L2 requests drawn uniformly; none if no
/// config is legal.
inline std::vector<TileConfig> random_legal_configs(const Problem& problem,
                                                    const SearchSpace& space, size_t count,
                                                    std::mt19937& random) {
  const std::vector<LegalKernel> kernels = enumerate(workload_of(problem), {space}, h200()).kernels;
  std::vector<TileConfig> configs;
  while (!kernels.empty() && configs.size() < count) {
    const LegalKernel& kernel = pick(kernels, random);
    TileConfig config = kernel.config;
    config.raster = pick(kernel.rasters, random);
    config.l2_promotion_bytes = pick(space.l2_promotion_bytes, random);
    config.evict_first = pick(space.evict_first, random);
    configs.push_back(config);
  }
  return configs;
}

/// A random epilogue: any sum, activation, scale of D and type of D, and scales of every form for
/// 8-bit operands.
inline Epilogue random_epilogue(DataType dtype, std::mt19937& random) {
  Epilogue epilogue{.bias = random() % 2 == 0};
  if (random() % 3 == 0) epilogue.alpha = -1.5F;
  if (random() % 3 == 0) epilogue.beta = 0.5F;
  const tw::ActivationRecord& activation = pick(tw::kActivations, random);
  epilogue.activation = activation.activation;
  if (activation.gated) {
    epilogue.beta = 0;
    epilogue.stacked = random() % 2 == 0;
  }
  epilogue.row_bias = !epilogue.bias && random() % 2 == 0;
  epilogue.scale_d = random() % 4 == 0;
  epilogue.absmax = random() % 4 == 0;
  if (bytes_of(dtype) == 1) {
    using Scale = OperandScale;
    constexpr std::pair<Scale, Scale> kScales[] = {{Scale::None, Scale::None},
                                                   {Scale::Tensor, Scale::None},
                                                   {Scale::None, Scale::Tensor},
                                                   {Scale::Tensor, Scale::Tensor},
                                                   {Scale::Line, Scale::Line},
                                                   {Scale::Vector, Scale::Block},
                                                   {Scale::VectorAlongK, Scale::BlockPadded},
                                                   {Scale::Vector, Scale::VectorAlongK},
                                                   {Scale::VectorAlongK, Scale::Vector}};
    const auto& scales = pick(kScales, random);
    epilogue.scale_a = scales.first;
    epilogue.scale_b = scales.second;
  }
  constexpr DataType kOutputs[] = {DataType::F32, DataType::F32, DataType::E4M3, DataType::F16,
                                   DataType::BF16};
  if (random() % 2 == 0) epilogue.out_dtype = pick(kOutputs, random);
  return epilogue;
}

/// A random problem: any layout, types and bias; sizes from 1 to `most`, evenly distributed by
/// logarithm, half of them multiples of 8.
inline Problem random_problem(int most, std::mt19937& random) {
  const auto extent = [&] {
    std::uniform_real_distribution<double> exponent(0, std::log(most));
    const auto size = static_cast<int64_t>(std::exp(exponent(random)));
    return random() % 2 == 0 ? (size + 7) / 8 * 8 : size;
  };
  constexpr MatrixLayout kLayouts[] = {MatrixLayout::TN, MatrixLayout::NN, MatrixLayout::NT,
                                       MatrixLayout::TT};
  Problem problem{.shape = {extent(), extent(), extent()},
                  .kind = {.dtype = random() % 2 == 0 ? DataType::BF16 : DataType::F16,
                           .layout = kLayouts[random() % 4],
                           .epilogue = {.bias = random() % 2 == 0}}};
  if (random() % 2 == 0) problem.kind.epilogue.out_dtype = DataType::F32;
  return problem;
}

}  // namespace tilewright::testing
