// Records what versions of cuBLASLt do at a tuned product, so that a process with one of them can
// call the fastest algorithm.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stats/sample.hpp"
#include "tile/config/tile_config.hpp"

namespace tilewright {

/// The bytes of a cublasLtMatmulAlgo_t; only its own version of the library can use them.
struct AlgorithmBits {
  std::array<uint8_t, 64> bytes = {};
  bool operator==(const AlgorithmBits&) const = default;
};

/// 128 hexadecimal digits, in the order of the bytes.
std::string to_string(const AlgorithmBits& bits);

/// Throws a usage error for any other text.
AlgorithmBits parse_algorithm_bits(std::string_view text);

/// An algorithm of cuBLASLt and the workspace that it needs.
struct LibraryAlgorithm {
  AlgorithmBits bits;
  int64_t workspace_bytes = 0;
  bool operator==(const LibraryAlgorithm&) const = default;
};

/// The algorithms that the heuristic of one version returns for a product, its first choice first.
/// `version` is cublasLtGetVersion()'s, or 0 if unknown.
struct LibraryAlgorithms {
  int64_t version = 0;
  std::vector<LibraryAlgorithm> list = {};
  bool operator==(const LibraryAlgorithms&) const = default;
};

/// "13.1.0" for 130100.
std::string library_version(int64_t version);

/// The fastest algorithm of one version of cuBLASLt at a tuned product, and the first choice of its
/// heuristic. Ratios are times over the tuned config's time in the same rounds: below 1 the library
/// is faster.
struct LibraryPin {
  int64_t version = 0;
  std::string name;  // "cublasLt/3 algo=66 tile=20 cluster=3 splitk=1"
  LibraryAlgorithm algorithm;
  double median_us = 0;
  PairedRatio ratio;
  double first_us = 0;
  PairedRatio first_ratio;
  std::optional<TileConfig> beside = {};  // the tuned config then, if it is another one now
  bool operator==(const LibraryPin&) const = default;
};

/// Whether an algorithm with this share of our time is faster beyond the noise of its rounds.
bool is_faster(const PairedRatio& ratio);

/// `pins`, and from `earlier` those of other versions, timed beside `before`; sorted by version.
std::vector<LibraryPin> join_pins(std::vector<LibraryPin> pins,
                                  const std::vector<LibraryPin>& earlier, const TileConfig& now,
                                  const TileConfig& before);

}  // namespace tilewright
