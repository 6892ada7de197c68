// The instruction of one warp's access to shared memory, and its width.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

enum class AccessKind { Load, Store, LoadMatrix, StoreMatrix };

/// ld.* and st.*: `bytes` a lane, 1 to 16. ldmatrix and stmatrix: rows of 16 bytes, 8 rows a
/// matrix, 1, 2 or 4 matrices.
struct AccessOp {
  AccessKind kind = AccessKind::Load;
  int bytes = 4;
  int matrices = 0;         // 0: not a matrix instruction
  bool transposed = false;  // .trans: the same addresses, other registers
  bool operator==(const AccessOp&) const = default;
};

/// "ld.v4", "stmatrix.x4.trans". Throws a usage error with a suggestion for anything else.
AccessOp parse_access_op(std::string_view text);

std::string to_string(const AccessOp& op);

inline bool is_store(const AccessOp& op) {
  return op.kind == AccessKind::Store || op.kind == AccessKind::StoreMatrix;
}

inline bool is_matrix(const AccessOp& op) {
  return op.matrices > 0;
}

/// The number of lanes that supply an address: 32, or one for each row of a matrix instruction.
inline int address_count(const AccessOp& op) {
  return is_matrix(op) ? 8 * op.matrices : 32;
}

}  // namespace tilewright
