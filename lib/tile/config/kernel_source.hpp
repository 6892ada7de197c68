// The program of a kernel: what a compiler is given.
#pragma once

#include <string>

namespace tilewright {

/// A file of kernels/ and the header that configures it.
struct KernelSource {
  std::string file;           // "sm90/gemm_sm90.cu"
  std::string config_header;  // text of "config.cuh"; empty when the file includes none
  bool operator==(const KernelSource&) const = default;
};

/// What a kernel does beside the product of its workload.
struct KernelExtras {
  bool trace = false;         // records who computed which tile when
  bool delays = false;        // for tests: sleeps at random where CTAs wait for each other
  bool long_offsets = false;  // reads offsets of packed rows in 64 bits
  bool operator==(const KernelExtras&) const = default;
};

}  // namespace tilewright
