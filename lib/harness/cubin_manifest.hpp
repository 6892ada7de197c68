// A manifest of cubins: how a host launches kernels that another compiler made.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/expression.hpp"
#include "search/harness_space.hpp"
#include "tile/workload/product_kind.hpp"

namespace tilewright {

/// A whole number: an expression over the problem's sizes, its leading dimensions, the parameters
/// and the definitions before it.
struct ManifestNumber {
  Expression value;
  std::string place;  // "gemm.yaml:12"
  bool operator==(const ManifestNumber&) const = default;
};

/// A name for a number.
struct ManifestDefinition {
  std::string name;
  ManifestNumber number;
  bool operator==(const ManifestDefinition&) const = default;
};

/// Extents along x, y and z.
using ManifestExtents = std::array<ManifestNumber, 3>;

/// What a kernel gets as an argument, or as a field of a struct.
enum class ArgumentType { Pointer, TensorMap, U8, U16, I32, U32, I64, U64, F32 };

/// The names of ArgumentType in manifests, in its order.
inline constexpr std::array<std::string_view, 9> kArgumentTypes = {
    "pointer", "tensor_map", "u8", "u16", "i32", "u32", "i64", "u64", "f32"};

/// Bytes of a value of each type.
int bytes_of(ArgumentType type);

/// Bytes of which the place of a value in a parameter is a multiple.
int alignment_of(ArgumentType type);

/// A TMA descriptor (cuTensorMapEncodeTiled). Lists begin with the innermost dimension.
struct TensorMapRecipe {
  DataType element = DataType::BF16;
  std::vector<ManifestNumber> extents;  // elements, 1 to 5 dimensions
  std::vector<ManifestNumber> strides;  // bytes, of every dimension but the innermost
  std::vector<ManifestNumber> box;      // elements
  int swizzle_bytes = 0;                // 0: none; 32, 64, 128
  int l2_promotion_bytes = 0;           // 0: none; 64, 128, 256
  bool operator==(const TensorMapRecipe&) const = default;
};

/// A value that a kernel gets: all of a parameter, or a field of one that is a struct. `operand`
/// names the memory of a pointer or a tensor map: one of kOperandNames or a scratch.
struct ManifestArgument {
  ArgumentType type = ArgumentType::Pointer;
  int parameter = 0;  // its index
  int at = 0;         // bytes from the parameter's start
  std::string operand;
  ManifestNumber value;      // of an integer
  std::string scalar;        // of F32: "alpha", "beta" or a number
  int64_t divisible_by = 1;  // what the cubin takes for granted of the address or the integer
  TensorMapRecipe map;
  std::string place;
  bool operator==(const ManifestArgument&) const = default;
};

inline constexpr std::array<std::string_view, 7> kOperandNames = {"a",    "b",       "c",      "d",
                                                                  "bias", "scale_a", "scale_b"};

/// A parameter of a kernel. Those of its bytes that no argument sets are 0.
struct ManifestParameter {
  std::string type;  // one of kArgumentTypes or "struct"
  int bytes = 0;
  std::string place;
  bool operator==(const ManifestParameter&) const = default;
};

/// Extents that a kernel may have in place of its launch's.
struct ManifestShape {
  std::optional<ManifestExtents> grid = {};          // CTAs
  std::optional<ManifestExtents> block = {};         // threads of a CTA
  std::optional<ManifestExtents> cluster = {};       // CTAs of a cluster
  std::optional<ManifestNumber> shared_memory = {};  // dynamic, bytes
  bool operator==(const ManifestShape&) const = default;
};

/// One compiled kernel, and when a launch takes it.
struct ManifestKernel {
  std::optional<ManifestNumber> when;  // absent: always
  std::string cubin;                   // path
  std::string entry;
  std::vector<ManifestNumber> conditions;  // what the cubin takes for granted
  ManifestShape shape;
  int64_t required_threads = 0;  // of the cubin; 0: any number
  int registers = 0;             // of a thread, in the cubin
  int local_bytes = 0;           // of a thread, in the cubin
  int64_t static_shared = 0;     // bytes, in the cubin
  std::string place;
  bool operator==(const ManifestKernel&) const = default;
};

/// One of the kernels that compute a product, one after the other.
struct ManifestLaunch {
  std::vector<ManifestKernel> kernels;  // the first whose `when` holds runs
  ManifestShape shape;
  bool cooperative = false;
  bool programmatic = false;  // may start before its predecessor in the stream ends
  std::vector<ManifestParameter> parameters;
  std::vector<ManifestArgument> arguments;  // in the order of the parameters
  std::string place;
  bool operator==(const ManifestLaunch&) const = default;
};

/// What lies in scratch memory before a launch: anything; zeros before the first launch; or zeros
/// before each. The values are those of TILEWRIGHT_HARNESS_INIT_*.
enum class ScratchInit { None, ZeroOnce, ZeroEach };

/// The names of ScratchInit in manifests, in its order.
inline constexpr std::array<std::string_view, 3> kScratchInits = {"none", "zero-once", "zero-each"};

/// Memory beside the operands.
struct ManifestScratch {
  std::string name;
  ManifestNumber bytes;
  int64_t alignment = 256;  // bytes, a power of two
  ScratchInit init = ScratchInit::None;
  bool operator==(const ManifestScratch&) const = default;
};

/// The tile of a slot: `m` and `n` are expressions over `slot`, too.
struct ManifestMapping {
  ManifestNumber tile_m;  // elements
  ManifestNumber tile_n;
  ManifestNumber slots;
  ManifestNumber m;
  ManifestNumber n;
  bool operator==(const ManifestMapping&) const = default;
};

struct CubinManifest {
  HarnessDescription description;
  std::vector<ManifestDefinition> definitions;
  std::vector<ManifestNumber> conditions;  // of every launch
  std::vector<ManifestScratch> scratch;
  std::vector<ManifestLaunch> launches;
  std::optional<ManifestMapping> mapping;
  bool operator==(const CubinManifest&) const = default;
};

}  // namespace tilewright
