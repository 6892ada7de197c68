#include "layout/algebra/nested_layout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr int64_t kMaxPairs = int64_t{1} << 26;
constexpr size_t kMaxRank = 8;

struct Field {
  std::string_view name;
  Extents NestedLayout::*values;
  bool is_tile;
};

constexpr std::array<Field, 7> kFields = {
    {{"subgroup_tile", &NestedLayout::subgroup_tile, true},
     {"batch_tile", &NestedLayout::batch_tile, true},
     {"outer_tile", &NestedLayout::outer_tile, true},
     {"thread_tile", &NestedLayout::thread_tile, true},
     {"element_tile", &NestedLayout::element_tile, true},
     {"subgroup_strides", &NestedLayout::subgroup_strides, false},
     {"thread_strides", &NestedLayout::thread_strides, false}}};

// Splits a text into its fields "name = [1, 2]".
std::vector<std::string_view> split_fields(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t first = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c != ',' || (depth != 0 && i < text.size())) continue;
    parts.push_back(trim(text.substr(first, i - first)));
    first = i + 1;
  }
  return parts;
}

Extents parse_extents(std::string_view name, std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
    throw usage_error(format("nested layout: {} = '{}' is not a list such as [2, 1]", name, text));
  }
  Extents values;
  for (const std::string_view part : split(text.substr(1, text.size() - 2), ',')) {
    const std::optional<int64_t> value = parse_count(trim(part));
    if (!value || *value > kMaxListed) {
      throw usage_error(format("nested layout: {}: '{}' is not a whole number from 0 to {}", name,
                               trim(part), kMaxListed));
    }
    values.push_back(*value);
  }
  return values;
}

// Former names of fields and their current names.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOldNames = {
    {{"subgroups_per_workgroup", "subgroup_tile"},
     {"batches_per_subgroup", "batch_tile"},
     {"outers_per_batch", "outer_tile"},
     {"threads_per_outer", "thread_tile"},
     {"elements_per_thread", "element_tile"}}};

const Field& field_named(std::string_view name) {
  for (const auto& [old_name, now] : kOldNames) {
    if (old_name == name) name = now;
  }
  std::vector<std::string_view> names;
  for (const Field& field : kFields) {
    if (field.name == name) return field;
    names.push_back(field.name);
  }
  if (name == "subgroup_order" || name == "thread_order") {
    throw usage_error(format("nested layout: '{}' is an older spelling: write {}_strides", name,
                             name.substr(0, name.find('_'))));
  }
  throw usage_error(format("nested layout: unknown field '{}'{}", name, did_you_mean(name, names)));
}

// The text between the brackets of "... nested_layout<...> ...", or all of it.
std::string_view field_text(std::string_view text) {
  text = trim(text);
  const size_t open = text.find('<');
  if (open == std::string_view::npos) return text;
  const std::string_view before = trim(text.substr(0, open));
  if (!before.empty() && !before.ends_with("nested_layout")) {
    throw usage_error(format("nested layout: '{}' is not #iree_vector_ext.nested_layout", before));
  }
  const size_t close = text.find('>', open);
  if (close == std::string_view::npos)
    throw usage_error("nested layout: the closing '>' is missing");
  return trim(text.substr(open + 1, close - open - 1));
}

// Throws unless each stride is a multiple of the range of all dimensions with smaller strides.
void verify_radix(const char* what, const Extents& tile, const Extents& strides) {
  std::vector<std::pair<int64_t, size_t>> order;
  for (size_t i = 0; i < tile.size(); ++i) {
    if (strides[i] != 0 && tile[i] > 1) order.emplace_back(strides[i], i);
  }
  std::sort(order.begin(), order.end());
  int64_t reached = 1;
  for (const auto& [stride, dim] : order) {
    if (stride % reached != 0) {
      throw usage_error(
          format("nested layout: {}_strides: dim {}: expected a multiple of {}, the threads that "
                 "the smaller strides cover, actual {}; IREE's compiler cannot compute thread "
                 "coordinates from strides that form no basis either",
                 what, dim, reached, stride));
    }
    if (stride > kMaxListed / tile[dim]) {
      throw usage_error(format("nested layout: {}_strides: dim {}: expected at most {}, actual {}",
                               what, dim, kMaxListed / tile[dim], stride));
    }
    reached = stride * tile[dim];
  }
}

void verify_field(const NestedLayout& layout, const Field& field, size_t rank) {
  const Extents& values = layout.*field.values;
  if (values.size() != rank) {
    throw usage_error(
        format("nested layout: all fields must have the same rank: {}: expected {}, actual {}",
               field.name, rank, values.size()));
  }
  for (size_t dim = 0; dim < rank; ++dim) {
    if (field.is_tile && values[dim] < 1) {
      throw usage_error(format("nested layout: {}: dim {}: expected at least 1, actual {}",
                               field.name, dim, values[dim]));
    }
  }
}

int64_t virtual_id(int64_t id, int64_t stride, int64_t tile) {
  return stride == 0 ? 0 : id / stride % tile;
}

int64_t linear_id(const Extents& ids, const Extents& strides, int64_t count) {
  int64_t id = 0;
  for (size_t i = 0; i < ids.size(); ++i) id += strides[i] * ids[i];
  return id % count;
}

}  // namespace

NestedLayout parse_nested_layout(std::string_view text) {
  NestedLayout layout;
  std::vector<std::string_view> seen;
  for (const std::string_view part : split_fields(field_text(text))) {
    const size_t equals = part.find('=');
    const Field& field = field_named(trim(part.substr(0, equals)));
    const std::string_view name = field.name;
    if (equals == std::string_view::npos) {
      throw usage_error(format("nested layout: {} has no value: write {} = [..]", name, name));
    }
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      throw usage_error(format("nested layout: {} appears twice", name));
    }
    seen.push_back(name);
    layout.*field.values = parse_extents(name, trim(part.substr(equals + 1)));
  }
  for (const Field& field : kFields) {
    if (std::find(seen.begin(), seen.end(), field.name) == seen.end()) {
      throw usage_error(format("nested layout: {} is missing", field.name));
    }
  }
  verify(layout);
  return layout;
}

std::string to_string(const NestedLayout& layout) {
  std::vector<std::string> fields;
  fields.reserve(std::size(kFields));
  for (const Field& field : kFields) {
    fields.push_back(format("{} = {}", field.name, to_string(layout.*field.values)));
  }
  return format("#iree_vector_ext.nested_layout<{}>", join(fields, ", "));
}

void verify(const NestedLayout& layout) {
  const size_t rank = layout.subgroup_tile.size();
  if (rank < 1 || rank > kMaxRank) {
    throw usage_error(format("nested layout: rank {} is not from 1 to {}", rank, kMaxRank));
  }
  for (const Field& field : kFields) verify_field(layout, field, rank);
  int64_t elements = 1;
  for (const Field& field : kFields) {
    if (!field.is_tile) continue;
    for (const int64_t extent : layout.*field.values) {
      if (extent > kMaxListed / elements) {
        throw usage_error(format("nested layout: more than {} elements", kMaxListed));
      }
      elements *= extent;
    }
  }
  verify_radix("subgroup", layout.subgroup_tile, layout.subgroup_strides);
  verify_radix("thread", layout.thread_tile, layout.thread_strides);
}

void require_shape(const NestedLayout& layout, const Extents& shape) {
  const Extents actual = vector_shape(layout);
  if (shape.size() != actual.size()) {
    throw usage_error(format("nested layout: rank: expected {} of the vector, actual {}",
                             shape.size(), actual.size()));
  }
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] != actual[dim]) {
      throw usage_error(
          format("nested layout: dim {}: expected {} of the vector, actual {} = "
                 "{} x {} x {} x {} x {}",
                 dim, shape[dim], actual[dim], layout.subgroup_tile[dim], layout.batch_tile[dim],
                 layout.outer_tile[dim], layout.thread_tile[dim], layout.element_tile[dim]));
    }
  }
}

Extents vector_shape(const NestedLayout& layout) {
  Extents shape = per_thread_shape(layout);
  for (size_t i = 0; i < shape.size(); ++i) {
    shape[i] *= layout.subgroup_tile[i] * layout.thread_tile[i];
  }
  return shape;
}

Extents distributed_shape(const NestedLayout& layout) {
  Extents shape = layout.batch_tile;
  shape.insert(shape.end(), layout.outer_tile.begin(), layout.outer_tile.end());
  shape.insert(shape.end(), layout.element_tile.begin(), layout.element_tile.end());
  return shape;
}

Extents per_thread_shape(const NestedLayout& layout) {
  Extents shape = layout.batch_tile;
  for (size_t i = 0; i < shape.size(); ++i)
    shape[i] *= layout.outer_tile[i] * layout.element_tile[i];
  return shape;
}

VirtualIds virtual_ids(const NestedLayout& layout, int64_t thread, int64_t subgroup_size) {
  VirtualIds ids;
  for (size_t i = 0; i < layout.thread_tile.size(); ++i) {
    ids.subgroup.push_back(
        virtual_id(thread / subgroup_size, layout.subgroup_strides[i], layout.subgroup_tile[i]));
    ids.thread.push_back(virtual_id(thread, layout.thread_strides[i], layout.thread_tile[i]));
  }
  return ids;
}

int64_t subgroup_id(const NestedLayout& layout, const Extents& virtual_subgroup,
                    int64_t subgroups) {
  return linear_id(virtual_subgroup, layout.subgroup_strides, subgroups);
}

int64_t thread_id(const NestedLayout& layout, const Extents& virtual_thread,
                  int64_t subgroup_size) {
  return linear_id(virtual_thread, layout.thread_strides, subgroup_size);
}

int64_t default_subgroup_size(const NestedLayout& layout) {
  int64_t last = 0;
  for (size_t i = 0; i < layout.thread_tile.size(); ++i) {
    last += layout.thread_strides[i] * (layout.thread_tile[i] - 1);
  }
  const int64_t least = std::max(volume(layout.thread_tile), last + 1);
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(least)));
}

int64_t default_subgroups(const NestedLayout& layout) {
  int64_t least = volume(layout.subgroup_tile);
  for (size_t i = 0; i < layout.subgroup_tile.size(); ++i) {
    const int64_t tile = layout.subgroup_tile[i];
    if (tile > 1) least = std::max(least, layout.subgroup_strides[i] * tile);
  }
  return least;
}

std::vector<Extents> elements_of_thread(const NestedLayout& layout, int64_t thread,
                                        int64_t subgroup_size) {
  const VirtualIds ids = virtual_ids(layout, thread, subgroup_size);
  const Extents held = distributed_shape(layout);
  const size_t rank = ids.thread.size();
  std::vector<Extents> elements;
  for (int64_t i = 0; i < volume(held); ++i) {
    const Extents at = row_major_coordinate(held, i);
    Extents element(rank);
    for (size_t d = 0; d < rank; ++d) {
      int64_t position = ids.subgroup[d] * layout.batch_tile[d] + at[d];
      position = position * layout.outer_tile[d] + at[rank + d];
      position = position * layout.thread_tile[d] + ids.thread[d];
      element[d] = position * layout.element_tile[d] + at[2 * rank + d];
    }
    elements.push_back(std::move(element));
  }
  return elements;
}

std::vector<ElementOwners> owners(const NestedLayout& layout, int64_t subgroup_size,
                                  int64_t thread_count) {
  const int64_t held = volume(distributed_shape(layout));
  if (thread_count > kMaxPairs / held) {
    throw usage_error(
        format("{} threads of {} elements each are more than can be listed", thread_count, held));
  }
  const Extents shape = vector_shape(layout);
  std::vector<ElementOwners> all(static_cast<size_t>(volume(shape)));
  for (int64_t thread = 0; thread < thread_count; ++thread) {
    for (const Extents& element : elements_of_thread(layout, thread, subgroup_size)) {
      int64_t position = 0;
      for (size_t d = 0; d < shape.size(); ++d) position = position * shape[d] + element[d];
      ElementOwners& owner = all[static_cast<size_t>(position)];
      if (owner.count++ == 0) owner.first = thread;
    }
  }
  return all;
}

std::string to_string(const Extents& extents) {
  std::vector<std::string> parts;
  for (const int64_t extent : extents) parts.push_back(format("{}", extent));
  return format("[{}]", join(parts, ", "));
}

int64_t volume(const Extents& extents) {
  int64_t product = 1;
  for (const int64_t extent : extents) product *= extent;
  return product;
}

Extents row_major_coordinate(const Extents& shape, int64_t position) {
  Extents coordinate(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    coordinate[d] = position % shape[d];
    position /= shape[d];
  }
  return coordinate;
}

}  // namespace tilewright
