#include "harness/cubin_manifest.hpp"

namespace tilewright {

int bytes_of(ArgumentType type) {
  constexpr int kTensorMapBytes = 128;
  switch (type) {
    case ArgumentType::TensorMap: return kTensorMapBytes;
    case ArgumentType::U8: return 1;
    case ArgumentType::U16: return 2;
    case ArgumentType::I32:
    case ArgumentType::U32:
    case ArgumentType::F32: return 4;
    case ArgumentType::Pointer:
    case ArgumentType::I64:
    case ArgumentType::U64: return 8;
  }
  return 0;
}

int alignment_of(ArgumentType type) {
  constexpr int kTensorMapAlignment = 64;
  return type == ArgumentType::TensorMap ? kTensorMapAlignment : bytes_of(type);
}

}  // namespace tilewright
