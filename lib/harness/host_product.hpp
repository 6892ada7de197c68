// One product in host memory: its operands in two versions, the expected D, and the check of what a
// launch wrote.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "search/runner.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// Multiply-adds of a launch in host memory, at most: they take some seconds in float64.
inline constexpr double kMaxHostMacs = 4e9;

/// Memory between two red zones, at an address with the given alignment.
class ZonedMemory {
 public:
  ZonedMemory() = default;
  ZonedMemory(int64_t bytes, int64_t alignment);

  unsigned char* data() { return memory_.data() + begin_; }
  const unsigned char* data() const { return memory_.data() + begin_; }
  int64_t bytes() const { return bytes_; }
  void lay_red_zones();
  /// Where a byte outside was written, as in "it wrote a byte 1 behind D"; empty where none was.
  std::string stray(const std::string& name) const;

 private:
  std::vector<unsigned char> memory_;
  size_t begin_ = 0;
  int64_t bytes_ = 0;
};

/// A product in host memory with two versions of its operands at the same addresses.
class HostProduct {
 public:
  /// Throws a usage error for a product that takes too long on the host.
  HostProduct(const Problem& problem, uint64_t seed);

  static constexpr int kVersions = 2;
  /// Fills the operands with a version's values, and D with a NaN that no kernel writes.
  void load(int version);

  const void* a() const { return a_.data(); }
  const void* b() const { return b_.data(); }
  const void* c() const { return reads_c() ? c_.data() : nullptr; }
  const void* bias() const { return problem_.kind.epilogue.bias ? bias_.data() : nullptr; }
  const float* scale_a() const { return has(problem_.kind.epilogue.scale_a) ? &scale_a_ : nullptr; }
  const float* scale_b() const { return has(problem_.kind.epilogue.scale_b) ? &scale_b_ : nullptr; }
  void* d() { return d_.data(); }

  /// Compares every element of D with float64, and all other memory with what load() wrote.
  Verification check() const;
  int64_t operand_bytes() const;

 private:
  struct Version {
    std::vector<unsigned char> a, b, c, bias;
    std::vector<double> expected;    // m x n
    std::vector<double> tolerances;  // of each expected value
  };

  static bool has(OperandScale scale) { return scale != OperandScale::None; }
  bool reads_c() const { return problem_.kind.epilogue.beta != 0; }
  Version make_version(uint64_t seed) const;
  void expect(Version& version) const;
  bool is_right(const Version& version, int64_t index) const;
  bool is_other_version() const;
  std::string first_fault() const;
  std::string find_stray() const;

  Problem problem_;
  ZonedMemory a_, b_, c_, bias_, d_;
  float scale_a_ = 0.75F;  // not 1, so that a kernel that omits the scale is wrong
  float scale_b_ = 1.5F;
  std::array<Version, kVersions> versions_;
  int loaded_ = 0;
};

}  // namespace tilewright
