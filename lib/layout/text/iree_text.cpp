#include "layout/text/iree_text.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/nested_conversion.hpp"
#include "layout/algebra/nested_layout.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kNested = "nested_layout<";
constexpr std::string_view kInstruction = "iree_gpu.mma_layout<";
constexpr size_t kMaxRank = 8;

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The numbers of "key = [1, 0]"; nullopt where the text lacks the key.
std::optional<Extents> numbers_of(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = trim(text.substr(at + key.size()));
  const size_t close = rest.find(']');
  const size_t open = rest.find('[');
  if (rest.substr(0, 1) != "=" || open > close || close == std::string_view::npos) {
    throw usage_error(format("IREE layout: '{}' has no list such as [1, 0]", key));
  }
  Extents numbers;
  for (const std::string_view part : split(rest.substr(open + 1, close - open - 1), ',')) {
    const std::optional<int64_t> number = parse_count(trim(part));
    if (!number) {
      throw usage_error(
          format("IREE layout: '{}' of '{}' is not a number that is known here", part, key));
    }
    numbers.push_back(*number);
  }
  return numbers;
}

// The extents of the first "tensor<128x256xf32" in a text.
std::optional<Extents> tensor_shape(std::string_view text) {
  const size_t at = text.find("tensor<");
  if (at == std::string_view::npos) return std::nullopt;
  Extents shape;
  for (const std::string_view part : split_sizes(text.substr(at + 7))) {
    if (part.substr(0, 1) == "?") {
      throw usage_error("IREE layout: '?' is known only at run time: write a number");
    }
    const std::optional<int64_t> extent = parse_count(part);
    if (!extent) break;
    shape.push_back(*extent);
  }
  return shape;
}

/// The tiled dimensions, their tile sizes, and the order of the dimensions outside of the tiles.
struct Packing {
  Extents dims;
  Extents tiles;
  Extents outer;  // empty: the tensor's order
};

void verify(const Packing& p, size_t rank) {
  const auto is_dim = [rank](int64_t dim) { return dim < static_cast<int64_t>(rank); };
  const auto distinct = [](Extents dims) {
    std::sort(dims.begin(), dims.end());
    return std::adjacent_find(dims.begin(), dims.end()) == dims.end();
  };
  if (p.dims.size() != p.tiles.size()) {
    throw usage_error(
        format("IREE layout: {} dimensions have {} inner tiles", p.dims.size(), p.tiles.size()));
  }
  if (!std::all_of(p.dims.begin(), p.dims.end(), is_dim) || !distinct(p.dims)) {
    throw usage_error(format("IREE layout: inner dimensions {} are not distinct dimensions of {}",
                             to_string(p.dims), rank));
  }
  if (!p.outer.empty() && (p.outer.size() != rank || !distinct(p.outer) ||
                           !std::all_of(p.outer.begin(), p.outer.end(), is_dim))) {
    throw usage_error(
        format("IREE layout: {} is not an order of {} dimensions", to_string(p.outer), rank));
  }
  if (std::find(p.tiles.begin(), p.tiles.end(), 0) != p.tiles.end()) {
    throw usage_error("IREE layout: an inner tile is empty");
  }
}

// The packed tensor is row-major: the tiles in the order `outer`, then the elements of one tile.
Layout packed(const Packing& p, const Extents& shape) {
  const size_t rank = shape.size();
  Extents tile(rank, 1);
  for (size_t i = 0; i < p.dims.size(); ++i) tile[static_cast<size_t>(p.dims[i])] = p.tiles[i];
  Extents inner_stride(rank, 0);
  int64_t stride = 1;
  for (size_t i = p.dims.size(); i > 0; --i) {
    inner_stride[static_cast<size_t>(p.dims[i - 1])] = stride;
    stride = checked_mul(stride, p.tiles[i - 1]);
  }
  Extents outer_stride(rank, 0);
  for (size_t i = rank; i > 0; --i) {
    const size_t dim = p.outer.empty() ? i - 1 : static_cast<size_t>(p.outer[i - 1]);
    outer_stride[dim] = stride;
    stride = checked_mul(stride, (shape[dim] + tile[dim] - 1) / tile[dim]);
  }
  std::vector<Layout> modes;
  modes.reserve(rank);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t count = (shape[d] + tile[d] - 1) / tile[d];
    modes.push_back(tile[d] == 1 ? make_layout(IntTuple(count), IntTuple(outer_stride[d]))
                                 : make_layout(IntTuple({tile[d], count}),
                                               IntTuple({inner_stride[d], outer_stride[d]})));
  }
  return join_modes(modes);
}

Layout parse_packing(std::string_view text) {
  const bool pack = holds(text, "linalg.pack") || holds(text, "tensor.pack");
  const auto dims = numbers_of(text, pack ? "inner_dims_pos" : "innerDimsPos");
  const auto tiles = numbers_of(text, pack ? "inner_tiles" : "innerTileSizes");
  const auto outer = numbers_of(text, pack ? "outer_dims_perm" : "outerDimsPerm");
  if (!dims || !tiles) throw usage_error("IREE layout: inner dimensions or tiles are missing");
  if (holds(text, "swizzle = {expandShape")) {
    throw usage_error(
        "IREE layout: tilewright does not read an encoding with a swizzle of its tile");
  }
  const Packing packing{*dims, *tiles, outer.value_or(Extents{})};
  std::optional<Extents> shape = tensor_shape(text);
  if (!shape && pack) throw usage_error("IREE layout: a pack needs its type, tensor<128x256xf32>");
  if (!shape) {
    // The layout of one tile.
    const auto most = std::max_element(dims->begin(), dims->end());
    const size_t rank = outer ? outer->size() : static_cast<size_t>(most - dims->begin()) + 1;
    shape = Extents(rank, 1);
    verify(packing, rank);
    for (size_t i = 0; i < dims->size(); ++i) {
      (*shape)[static_cast<size_t>((*dims)[i])] = (*tiles)[i];
    }
  }
  if (shape->empty() || shape->size() > kMaxRank ||
      std::find(shape->begin(), shape->end(), 0) != shape->end()) {
    throw usage_error("IREE layout: the tensor has no shape of 1 to 8 dimensions");
  }
  verify(packing, shape->size());
  return packed(packing, *shape);
}

/// A matrix instruction of one subgroup, such as "MFMA_F32_16x16x16_F16".
struct Instruction {
  std::string_view family;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
};

Instruction instruction_named(std::string_view name) {
  constexpr std::string_view kFamilies[] = {"NV_MMA_SYNC_", "MFMA_", "WMMAR3_", "WMMAR4_", "WMMA_"};
  for (const std::string_view family : kFamilies) {
    if (name.substr(0, family.size()) != family) continue;
    const std::vector<std::string_view> parts = split(name.substr(family.size()), '_');
    if (parts.size() < 3) break;
    const std::vector<std::string_view> shape = split_sizes(parts[1]);
    if (shape.size() != 3 || parts[0] == "F64") break;
    Instruction found{family, parse_count(shape[0]).value_or(0), parse_count(shape[1]).value_or(0),
                      parse_count(shape[2]).value_or(0)};
    const bool nvidia = family == "NV_MMA_SYNC_";
    const bool square =
        found.m == found.n && (found.m == 16 || (found.m == 32 && family == "MFMA_"));
    if (found.k == 0 || found.k % (nvidia ? 16 : 4) != 0) break;
    if (nvidia ? found.m == 16 && found.n == 8 : square) return found;
  }
  throw usage_error(
      format("IREE layout: the layouts of {} are not known, only those of 16x16 and 32x32 "
             "MFMA without blocks, of 16x16 WMMA and of 16x8 NV_MMA_SYNC",
             name));
}

// The nested layout of one subgroup; each argument holds an extent of the rows and one of the
// columns.
NestedLayout one_subgroup(Extents outer, Extents thread, Extents strides, Extents element) {
  return {.subgroup_tile = {1, 1},
          .batch_tile = {1, 1},
          .outer_tile = std::move(outer),
          .thread_tile = std::move(thread),
          .element_tile = std::move(element),
          .subgroup_strides = {0, 0},
          .thread_strides = std::move(strides)};
}

NestedLayout transposed(NestedLayout layout) {
  for (Extents* field :
       {&layout.outer_tile, &layout.thread_tile, &layout.element_tile, &layout.thread_strides}) {
    std::swap((*field)[0], (*field)[1]);
  }
  return layout;
}

// Lhs is MxK, rhs KxN, the accumulator MxN.
NestedLayout operand_of(const Instruction& i, int64_t operand) {
  if (i.family == "NV_MMA_SYNC_") {
    const int64_t pair = i.k / 8;
    if (operand == 0) return one_subgroup({2, 2}, {8, 4}, {4, 1}, {1, pair});
    if (operand == 1) return one_subgroup({2, 1}, {4, 8}, {1, 4}, {pair, 1});
    return one_subgroup({2, 1}, {8, 4}, {4, 1}, {1, 2});
  }
  // Lanes run along M or N first; the subgroup's remaining lanes run along the other dimension.
  const int64_t lanes = i.family == "MFMA_" ? 64 : 32;
  const int64_t groups = lanes / i.n;
  const bool replicated = i.family == "WMMAR3_";
  if (operand < 2) {
    const int64_t along_k = replicated ? 1 : groups;
    const NestedLayout lhs =
        one_subgroup({1, 1}, {i.m, along_k}, {1, replicated ? 0 : i.m}, {1, i.k / along_k});
    return operand == 0 ? lhs : transposed(lhs);
  }
  // A thread holds this many consecutive rows of the accumulator.
  const int64_t rows = replicated ? 1 : i.family == "MFMA_" ? 4 : 8;
  return one_subgroup({i.m / (groups * rows), 1}, {groups, i.n}, {i.n, 1}, {rows, 1});
}

Layout parse_instruction(std::string_view text) {
  const size_t begin = text.find(kInstruction) + kInstruction.size();
  const size_t end = std::min(text.find_first_of(",>", begin), text.size());
  const Instruction instruction = instruction_named(trim(text.substr(begin, end - begin)));
  int64_t operand = 2;
  if (const size_t at = text.find("operand_index"); at != std::string_view::npos) {
    const size_t digit = text.find_first_of("0123456789", at);
    operand = digit == std::string_view::npos ? 3 : text[digit] - '0';
    if (operand > 2) throw usage_error("IREE layout: operand_index is 0 (lhs), 1 (rhs) or 2");
  }
  NestedLayout layout = operand_of(instruction, operand);
  if (operand == 2 && holds(text, "col_major = true")) layout = transposed(std::move(layout));
  const int64_t lanes = instruction.family == "MFMA_" ? 64 : 32;
  return thread_value_layout(layout, lanes, 1);
}

Layout parse_nested(std::string_view text) {
  // "#layout = #iree_vector_ext.nested_layout<" may follow other definitions.
  const size_t at = text.rfind(kNested);
  const NestedLayout layout = parse_nested_layout(text.substr(at));
  return thread_value_layout(layout, default_subgroup_size(layout), default_subgroups(layout));
}

}  // namespace

bool is_iree_text(std::string_view text) {
  return holds(text, kNested) || holds(text, kInstruction) || holds(text, "encoding_info") ||
         holds(text, "linalg.pack") || holds(text, "tensor.pack");
}

Layout parse_iree(std::string_view text) {
  if (holds(text, kNested)) return parse_nested(text);
  return holds(text, kInstruction) ? parse_instruction(text) : parse_packing(text);
}

}  // namespace tilewright
