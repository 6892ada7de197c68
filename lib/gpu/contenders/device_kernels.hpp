// DeviceKernels: kernels for random data, the float64 reference, the comparison and delays.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/compile/cubin_cache.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "tile/config/kernel_source.hpp"
#include "tile/workload/problem.hpp"
#include "tools/verify_args.cuh"

namespace tilewright {

/// The program of the kernels for random data, the reference and the comparison.
KernelSource verification_source(DataType dtype, DataType output);

/// One object per pair of operand and output type. Launches go to the default stream.
class DeviceKernels {
 public:
  DeviceKernels(DataType dtype, DataType output, const std::string& architecture,
                const CubinCache& cache);

  /// Fills `count` elements of the operand type, uniform in [-1, 1), the same for the same seed.
  void fill_operand(void* data, int64_t count, uint64_t seed) const;
  /// The same for the type of C and of the bias.
  void fill_addend(void* data, int64_t count, uint64_t seed) const;
  void reference_lines(const tw::ReferenceArgs& args) const;
  void compare_lines(const tw::CompareArgs& args) const;
  void compare_samples(const tw::SampleArgs& args) const;
  void line_norms(const tw::NormArgs& args) const;
  void signed_columns(const tw::SignedColumnsArgs& args) const;
  void expected_sums(const tw::ExpectedSumsArgs& args) const;
  void check_sums(const tw::CheckSumsArgs& args) const;
  /// Adds the checksum of the data to `sum`, which lies on the device.
  void checksum(const void* data, int64_t count, unsigned long long* sum) const;
  void count_poison(const tw::PoisonArgs& args) const;
  /// Writes the largest absolute value of D into the result.
  void largest_element(const tw::PoisonArgs& args) const;
  /// Rounds the absolute maximum before D's scale like an element of D: bits of an fp32 value.
  void round_maximum(const tw::OutputScaling* scaling, bool scaled, unsigned* rounded) const;
  /// Occupies the stream for a while.
  void delay(uint64_t nanoseconds, cudaStream_t stream = nullptr) const;
  /// Occupies the default stream until the host writes to `released`, which the device can read,
  /// and for `most_ns` at most.
  void hold(const unsigned* released, uint64_t most_ns) const;

 private:
  DeviceKernels(const std::string& verify_cubin, const std::string& delay_cubin);

  LoadedKernel fill_operand_;
  LoadedKernel fill_addend_;
  LoadedKernel reference_;
  LoadedKernel compare_;
  LoadedKernel samples_;
  LoadedKernel norms_;
  LoadedKernel columns_;
  LoadedKernel expected_;
  LoadedKernel sums_;
  LoadedKernel checksum_;
  LoadedKernel poison_;
  LoadedKernel largest_;
  LoadedKernel round_;
  LoadedKernel delay_;
  LoadedKernel hold_;
};

}  // namespace tilewright
