// IREE's nested layouts: which thread of which subgroup holds which element of a vector.
//
//     dimension i =  subgroup | batch | outer | thread | element      slowest to fastest
//     position    = (((s * batch + b) * outer + o) * thread + t) * element + e
//
// s and t are the thread's own, by (id / stride) % tile; b, o and e run over what it holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

using Extents = std::vector<int64_t>;

/// One number a dimension in each field. A stride of 0 leaves that dimension undistributed.
struct NestedLayout {
  Extents subgroup_tile;
  Extents batch_tile;
  Extents outer_tile;
  Extents thread_tile;
  Extents element_tile;
  Extents subgroup_strides;
  Extents thread_strides;
  bool operator==(const NestedLayout&) const = default;
};

/// Parses "#iree_vector_ext.nested_layout<subgroup_tile = [2, 1], ...>", also within text that MLIR
/// prints around it; the name and the angle brackets may be left out. Throws a usage error for
/// unknown, missing or repeated fields, and like verify().
NestedLayout parse_nested_layout(std::string_view text);
/// The whole attribute; parse_nested_layout() reads it back.
std::string to_string(const NestedLayout& layout);

/// Throws a usage error that names the field, the dimension, the expected and the actual value.
/// Requires fields of one rank, tiles of at least 1, strides of at least 0 that form a mixed radix
/// with their tiles, and at most 2^22 elements.
void verify(const NestedLayout& layout);
/// Throws a usage error that names the dimension unless the layout's vector has this `shape`.
void require_shape(const NestedLayout& layout, const Extents& shape);

/// Products of the five tiles, by dimension.
Extents vector_shape(const NestedLayout& layout);
/// batch, outer and element tiles one after the other: the dimensions of a thread's data.
Extents distributed_shape(const NestedLayout& layout);
/// batch x outer x element, by dimension.
Extents per_thread_shape(const NestedLayout& layout);

/// The position of a thread in each dimension.
struct VirtualIds {
  Extents subgroup;
  Extents thread;
  bool operator==(const VirtualIds&) const = default;
};
/// Splits a thread's id in the workgroup as IREE's compiler does: the virtual thread depends on the
/// whole id, even if a subgroup ends within the thread tile.
VirtualIds virtual_ids(const NestedLayout& layout, int64_t thread, int64_t subgroup_size);
/// The inverse: sum of stride * id, modulo the hardware's subgroups, or threads of a subgroup.
int64_t subgroup_id(const NestedLayout& layout, const Extents& virtual_subgroup, int64_t subgroups);
int64_t thread_id(const NestedLayout& layout, const Extents& virtual_thread, int64_t subgroup_size);

/// The smallest power of two that holds the ids of all virtual threads, at least the product of the
/// thread tile.
int64_t default_subgroup_size(const NestedLayout& layout);
/// The largest stride * tile of the subgroups, at least the product of their tile.
int64_t default_subgroups(const NestedLayout& layout);

/// Coordinates of the elements that a thread holds, in the order of the distributed shape.
std::vector<Extents> elements_of_thread(const NestedLayout& layout, int64_t thread,
                                        int64_t subgroup_size);

/// The threads that hold one element.
struct ElementOwners {
  int64_t first = -1;  // the lowest thread; -1: no thread
  int64_t count = 0;
  bool operator==(const ElementOwners&) const = default;
};
/// The owners by row-major position in the vector, for `thread_count` threads. Throws a usage error
/// for more than 2^26 pairs of thread and element.
std::vector<ElementOwners> owners(const NestedLayout& layout, int64_t subgroup_size,
                                  int64_t thread_count);

/// "[2, 4]".
std::string to_string(const Extents& extents);
/// The product; 1 for no extents.
int64_t volume(const Extents& extents);
/// The coordinate of a row-major position.
Extents row_major_coordinate(const Extents& shape, int64_t position);

}  // namespace tilewright
