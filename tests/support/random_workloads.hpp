// Random workloads of every kind: products, groups, updates of triangles, scales, epilogues.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "support/random_configs.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright::testing {

/// A size with a uniform logarithm.
inline int64_t random_size(int64_t least, int64_t most, std::mt19937& random) {
  std::uniform_real_distribution<double> exponent(std::log(least), std::log(most));
  return static_cast<int64_t>(std::exp(exponent(random)));
}

/// Two to seven products that differ in their rows, in their depth, or in all sizes; some are
/// empty.
inline std::vector<GemmShape> random_group(std::mt19937& random) {
  std::vector<GemmShape> shapes(2 + random() % 6);
  const GemmShape shared{random_size(1, 600, random), random_size(1, 600, random),
                         random_size(1, 2000, random)};
  const auto differs = random() % 3;
  for (GemmShape& shape : shapes) {
    shape = shared;
    if (differs != 1) shape.m = random() % 4 == 0 ? 0 : random_size(1, 900, random);
    if (differs != 0) shape.k = random() % 4 == 0 ? 0 : random_size(1, 2000, random);
    if (differs == 2) shape.n = random() % 8 == 0 ? 0 : random_size(1, 900, random);
  }
  return shapes;
}

/// Half of the workloads are products; the others are groups or updates. Kernels may lack some.
inline Workload random_workload(std::mt19937& random) {
  constexpr DataType kTypes[] = {DataType::BF16, DataType::F16, DataType::E4M3, DataType::E5M2};
  constexpr MatrixLayout kLayouts[] = {MatrixLayout::TN, MatrixLayout::NN, MatrixLayout::NT,
                                       MatrixLayout::TT};
  constexpr MatrixOp kUpdates[] = {MatrixOp::Syrk, MatrixOp::Syr2k, MatrixOp::Her2k};
  Workload w;
  w.kind = {.dtype = pick(kTypes, random), .layout = pick(kLayouts, random)};
  w.kind.epilogue = random_epilogue(w.kind.dtype, random);
  switch (random() % 4) {
    case 0: w.shapes = random_group(random); break;
    case 1: {
      w.op = pick(kUpdates, random);
      w.uplo = static_cast<Uplo>(random() % 3);
      w.kind.epilogue = {.beta = random() % 2 == 0 ? 1.0F : 0.0F};
      w.kind.dtype = random() % 2 == 0 ? DataType::BF16 : DataType::F16;
      w.shapes.resize(1 + random() % 3);
      for (GemmShape& shape : w.shapes) {
        const int64_t n = random_size(1, 3000, random);
        shape = {n, n, random_size(1, 2000, random)};
      }
      break;
    }
    default:
      w.shapes = {{random_size(1, 4000, random), random_size(1, 4000, random),
                   random_size(1, 8000, random)}};
  }
  // Gates and ups are as many.
  if (tw::record_of(w.kind.epilogue.activation).gated) {
    for (GemmShape& shape : w.shapes) shape.n *= 2;
  }
  return w;
}

}  // namespace tilewright::testing
