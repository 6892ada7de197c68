// The program of a kernel, as input for the compiler.
#pragma once

#include <string>

namespace tilewright {

/// A file of kernels/ and the header that configures it.
struct KernelSource {
  std::string file;           // "sm90/gemm_sm90.cu"
  std::string config_header;  // text of "config.cuh"; empty when the file includes none
  bool operator==(const KernelSource&) const = default;
};

/// Additions to a kernel that are not part of its workload.
struct KernelExtras {
  bool trace = false;         // record which CTA computed which tile when
  bool delays = false;        // for tests: sleep at random where CTAs wait for each other
  bool long_offsets = false;  // read the offsets of packed rows as 64 bits
  bool operator==(const KernelExtras&) const = default;
};

}  // namespace tilewright
