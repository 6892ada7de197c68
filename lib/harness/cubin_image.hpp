// The kernels of a cubin, as its ELF sections describe them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// A kernel's parameter, bytes.
struct CubinParameter {
  int offset = 0;
  int size = 0;
  bool operator==(const CubinParameter&) const = default;
};

/// A kernel that a host may launch.
struct CubinKernel {
  std::string name;                        // the symbol
  std::vector<CubinParameter> parameters;  // in order
  int64_t required_threads = 0;            // of a CTA (.reqntid); 0: any number
  int registers = 0;                       // of a thread; 0: unknown
  int local_bytes = 0;                     // of a thread, outside of registers
  int64_t shared_bytes = 0;                // static, of a CTA
  bool operator==(const CubinKernel&) const = default;
};

/// The kernels of a cubin, in the order of its sections. Throws a usage error for an image that is
/// no cubin. Source of the attributes' layout: the sections .nv.info and .nv.info.NAME that ptxas
/// writes.
std::vector<CubinKernel> kernels_of_cubin(std::string_view image);

}  // namespace tilewright
