#include "layout/text/triton_dialect.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/text/triton_attribute.hpp"

namespace tilewright {
namespace {

using Sizes = std::vector<int64_t>;

constexpr int64_t kMostTensor = int64_t{1} << 40;

Error bad_key(const TritonAttribute& a, std::string_view key, const std::string& problem) {
  return usage_error(format("Triton's {}: {} {}", a.name, key, problem));
}

const IntTuple& require_key(const TritonAttribute& a, const std::string& key) {
  const auto found = a.keys.find(key);
  if (found == a.keys.end()) throw bad_key(a, key, "is missing");
  return found->second;
}

void require_power(const TritonAttribute& a, std::string_view key, int64_t value) {
  if (value > 0 && value <= kMostTensor && std::has_single_bit(static_cast<uint64_t>(value)))
    return;
  throw bad_key(a, key,
                format("holds {}, which is no power of two; linear layouts have no others", value));
}

int64_t integer_key(const TritonAttribute& a, const std::string& key) {
  const IntTuple& value = require_key(a, key);
  if (value.is_tuple()) throw bad_key(a, key, "is no integer");
  return value.value();
}

int64_t power_key(const TritonAttribute& a, const std::string& key) {
  require_power(a, key, integer_key(a, key));
  return integer_key(a, key);
}

Sizes integers_of(const TritonAttribute& a, const std::string& key, const IntTuple& list) {
  Sizes values;
  if (!list.is_tuple()) throw bad_key(a, key, "is no list");
  for (const IntTuple& item : list.items()) {
    if (item.is_tuple()) throw bad_key(a, key, "is no list of integers");
    values.push_back(item.value());
  }
  return values;
}

Sizes powers_key(const TritonAttribute& a, const std::string& key) {
  Sizes values = integers_of(a, key, require_key(a, key));
  for (const int64_t value : values) require_power(a, key, value);
  return values;
}

std::vector<size_t> order_key(const TritonAttribute& a, const std::string& key) {
  const Sizes values = integers_of(a, key, require_key(a, key));
  std::vector<size_t> order;
  for (const int64_t value : values) order.push_back(static_cast<size_t>(value));
  std::vector<size_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != i) throw bad_key(a, key, "is no order of the dimensions");
  }
  return order;
}

/// Grows a layout dimension by dimension, as Triton does: sizes multiply.
struct Builder {
  explicit Builder(std::vector<std::string> names, size_t dims) : sizes(dims, 1) {
    for (std::string& name : names) inputs.push_back({std::move(name), {}});
  }

  LinearInput& input(std::string_view name) {
    return *std::find_if(inputs.begin(), inputs.end(),
                         [&](const LinearInput& one) { return one.name == name; });
  }

  void extend(std::string_view name, int64_t factor, size_t dim) {
    for (int64_t step = 1; step < factor; step *= 2) {
      std::vector<int64_t> basis(sizes.size());
      basis[dim] = sizes[dim];
      input(name).bases.push_back(std::move(basis));
      sizes[dim] *= 2;
    }
  }

  // The largest steps of a dimension that is too large become copies.
  void shrink(size_t dim, int64_t size) {
    for (LinearInput& one : inputs) {
      for (std::vector<int64_t>& basis : one.bases) {
        if (basis[dim] >= size) std::fill(basis.begin(), basis.end(), 0);
      }
    }
    sizes[dim] = std::min(sizes[dim], size);
  }

  std::vector<LinearInput> inputs;
  Sizes sizes;
};

LinearLayout finish(Builder builder) {
  LinearLayout linear{std::move(builder.inputs), {}};
  for (size_t i = 0; i < builder.sizes.size(); ++i) {
    linear.outputs.push_back({format("dim{}", i), builder.sizes[i]});
  }
  return linear;
}

/// How the blocks of a cluster share a tensor; all ones where the attribute says nothing.
struct Blocks {
  Sizes count;
  Sizes split;
  std::vector<size_t> order;  // fastest dimension first
};

Blocks blocks_of(const TritonAttribute& a, size_t dims) {
  if (a.keys.count("CGALayout") == 1) {
    throw bad_key(a, "CGALayout", "is not read; CTAsPerCGA, CTASplitNum and CTAOrder are");
  }
  Blocks blocks{Sizes(dims, 1), Sizes(dims, 1), {}};
  for (size_t i = dims; i > 0; --i) blocks.order.push_back(i - 1);
  if (a.keys.count("CTAsPerCGA") == 0) return blocks;
  blocks = {powers_key(a, "CTAsPerCGA"), powers_key(a, "CTASplitNum"), order_key(a, "CTAOrder")};
  const bool same = blocks.count.size() == dims && blocks.split.size() == dims;
  if (!same || blocks.order.size() != dims) {
    throw bad_key(a, "CTAsPerCGA", "or its companions have another rank than the layout");
  }
  for (size_t i = 0; i < dims; ++i) {
    if (blocks.count[i] % blocks.split[i] != 0) throw bad_key(a, "CTASplitNum", "divides nothing");
  }
  return blocks;
}

// Repeats or cuts one block's layout until the blocks together are the tensor.
LinearLayout fit_tensor(const TritonAttribute& a, Builder one, const std::vector<size_t>& order,
                        const std::string& repeat) {
  const size_t dims = one.sizes.size();
  const Blocks blocks = blocks_of(a, dims);
  Sizes shape = a.shape;
  for (size_t i = 0; shape.size() < dims; ++i) shape.push_back(one.sizes[i] * blocks.split[i]);
  if (shape.size() != dims) {
    throw usage_error(format("Triton's {}: the layout has {} dimensions and the tensor {}", a.name,
                             dims, shape.size()));
  }
  for (const int64_t extent : shape) require_power(a, "the tensor's shape", extent);
  for (const size_t dim : order) {
    const int64_t split = std::min(blocks.split[dim], shape[dim]);
    const int64_t own = shape[dim] / split;
    if (one.sizes[dim] < own) one.extend(repeat, own / one.sizes[dim], dim);
    one.shrink(dim, own);
  }
  for (const size_t dim : blocks.order) {
    const int64_t split = std::min(blocks.split[dim], shape[dim]);
    one.extend("block", split, dim);
    for (int64_t copies = blocks.count[dim] / split; copies > 1; copies /= 2) {
      one.input("block").bases.emplace_back(dims);
    }
  }
  return finish(std::move(one));
}

Builder distributed(size_t dims) {
  return Builder({"register", "lane", "warp", "block"}, dims);
}

LinearLayout blocked(const TritonAttribute& a) {
  const Sizes registers = powers_key(a, "sizePerThread");
  const Sizes lanes = powers_key(a, "threadsPerWarp");
  const Sizes warps = powers_key(a, "warpsPerCTA");
  const std::vector<size_t> order = order_key(a, "order");
  const size_t dims = order.size();
  if (registers.size() != dims || lanes.size() != dims || warps.size() != dims) {
    throw bad_key(a, "order", "and the sizes have different ranks");
  }
  Builder one = distributed(dims);
  for (const size_t dim : order) one.extend("register", registers[dim], dim);
  for (const size_t dim : order) one.extend("lane", lanes[dim], dim);
  for (const size_t dim : order) one.extend("warp", warps[dim], dim);
  return fit_tensor(a, std::move(one), order, "register");
}

// The accumulator of mma.m16n8 (version 2) and wgmma (version 3): a thread holds pairs along n.
LinearLayout nvidia_mma(const TritonAttribute& a) {
  const int64_t version = integer_key(a, "versionMajor");
  if (version != 2 && version != 3) {
    throw bad_key(a, "versionMajor", format("is {}; 2 and 3 are read", version));
  }
  const Sizes warps = powers_key(a, "warpsPerCTA");
  Sizes shape = powers_key(a, "instrShape");
  const size_t dims = warps.size();
  if (version == 2 && shape.size() == 3 && dims == 2) shape.erase(shape.begin());
  const size_t batch = version == 2 && shape.size() == 3 ? 1 : 0;
  if (dims < 2 || shape.size() < 2 + batch)
    throw bad_key(a, "instrShape", "has too few dimensions");
  const size_t m = dims - 2;
  const size_t n = dims - 1;
  const int64_t tile_m = shape[batch];
  const int64_t tile_n = shape[batch + 1];
  if (tile_m != 16 || tile_n < 8) throw bad_key(a, "instrShape", "is not 16 by 8 or wider");
  Builder one = distributed(dims);
  one.extend("register", 2, n);
  one.extend("lane", 4, n);
  one.extend("lane", 8, m);
  one.extend("register", 2, m);
  one.extend("register", tile_n / 8, n);
  std::vector<size_t> fastest_last(dims);
  std::iota(fastest_last.begin(), fastest_last.end(), size_t{0});
  const std::vector<size_t> order(fastest_last.rbegin(), fastest_last.rend());
  // Version 3 hands whole warp groups out along m first.
  for (const size_t dim : version == 2 ? order : fastest_last) one.extend("warp", warps[dim], dim);
  return fit_tensor(a, std::move(one), order, "register");
}

LinearLayout swizzled_shared(const TritonAttribute& a) {
  const int64_t vec = power_key(a, "vec");
  const int64_t per_phase = power_key(a, "perPhase");
  const int64_t max_phase = power_key(a, "maxPhase");
  const std::vector<size_t> order = order_key(a, "order");
  const size_t dims = order.size();
  if (a.shape.size() != dims) {
    throw usage_error(
        format("Triton's {} needs a tensor of {} dimensions around it, such as "
               "tensor<64x64xf16, #ttg.{}<{{...}}>>",
               a.name, dims, a.name));
  }
  for (const int64_t extent : a.shape) require_power(a, "the tensor's shape", extent);
  Builder one({"offset", "block"}, dims);
  for (const size_t dim : order) one.extend("offset", a.shape[dim], dim);
  if (dims < 2) return fit_tensor(a, std::move(one), order, "offset");
  const int64_t columns = a.shape[order[0]];
  for (std::vector<int64_t>& basis : one.input("offset").bases) {
    const int64_t row = basis[order[1]];
    if (row != 0) basis[order[0]] = (vec * ((row / per_phase) % max_phase)) % columns;
  }
  return fit_tensor(a, std::move(one), order, "offset");
}

LinearInput written_input(const TritonAttribute& a, const std::string& name) {
  LinearInput input{name, {}};
  const auto found = a.keys.find(name);
  if (found == a.keys.end()) return input;
  for (const IntTuple& basis : found->second.items()) {
    input.bases.push_back(integers_of(a, name, basis));
  }
  return input;
}

// The power of two above everything that the inputs reach in a dimension.
int64_t reached_size(const TritonAttribute& a, const LinearLayout& linear, size_t dim) {
  uint64_t all = 0;
  for (const LinearInput& input : linear.inputs) {
    for (const std::vector<int64_t>& basis : input.bases) all |= static_cast<uint64_t>(basis[dim]);
  }
  if (all >= static_cast<uint64_t>(kMostTensor)) throw bad_key(a, "a basis", "is too large");
  return static_cast<int64_t>(std::bit_ceil(all + 1));
}

// "register = [[0, 1], [8, 0]], lane = ...": the bases as they are.
LinearLayout written_out(const TritonAttribute& a, const std::vector<std::string>& names) {
  LinearLayout linear;
  size_t dims = a.shape.size();
  for (const std::string& name : names) {
    linear.inputs.push_back(written_input(a, name));
    for (const std::vector<int64_t>& basis : linear.inputs.back().bases) {
      if (dims == 0) dims = basis.size();
      if (basis.size() != dims) throw bad_key(a, name, "mixes ranks");
    }
  }
  if (dims == 0) throw bad_key(a, names[0], "is missing");
  for (size_t i = 0; i < dims; ++i) {
    const int64_t reached = reached_size(a, linear, i);
    const int64_t extent = a.shape.empty() ? reached : a.shape[i];
    require_power(a, "the tensor's shape", extent);
    if (reached > extent) throw bad_key(a, names[0], "reaches beyond the tensor");
    linear.outputs.push_back({format("dim{}", i), extent});
  }
  return linear;
}

std::string bases_text(const LinearInput& input) {
  std::vector<std::string> vectors;
  for (const std::vector<int64_t>& basis : input.bases) {
    std::vector<std::string> numbers;
    numbers.reserve(basis.size());
    for (const int64_t value : basis) numbers.push_back(format("{}", value));
    vectors.push_back(format("[{}]", join(numbers, ", ")));
  }
  return format("{} = [{}]", input.name, join(vectors, ", "));
}

std::string sizes_text(const LinearLayout& linear) {
  std::string text;
  for (const LinearOutput& output : linear.outputs) text += format("{}x", output.size);
  return text;
}

std::optional<std::string> as_swizzled_shared(const LinearLayout& offsets) {
  if (offsets.outputs.size() != 2) return std::nullopt;
  for (const char* order : {"[1, 0]", "[0, 1]"}) {
    const int64_t columns = offsets.outputs[order[1] == '1' ? 1 : 0].size;
    for (int64_t max_phase = 1; max_phase <= columns; max_phase *= 2) {
      for (int64_t per_phase = 1; per_phase <= (max_phase == 1 ? 1 : 64); per_phase *= 2) {
        for (int64_t vec = 1; vec * max_phase <= columns && (vec == 1 || max_phase > 1); vec *= 2) {
          const std::string text = format(
              "tensor<{}f16, #ttg.swizzled_shared<{{vec = {}, perPhase = {}, maxPhase = {}, "
              "order = {}}}>>",
              sizes_text(offsets), vec, per_phase, max_phase, order);
          if (parse_triton(text).linear.inputs[0] == offsets.inputs[0]) return text;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_triton_text(std::string_view text) {
  return text.find("#ttg.") != std::string_view::npos ||
         text.find("#triton_gpu.") != std::string_view::npos;
}

TritonLayout parse_triton(std::string_view text) {
  const TritonAttribute a = parse_triton_attribute(text);
  if (a.shape.size() > 8) throw usage_error("a Triton tensor has at most 8 dimensions");
  if (a.name == "blocked") return {blocked(a), false};
  if (a.name == "nvidia_mma" || a.name == "mma") return {nvidia_mma(a), false};
  if (a.name == "swizzled_shared" || a.name == "shared") return {swizzled_shared(a), true};
  if (a.name == "linear") return {written_out(a, {"register", "lane", "warp", "block"}), false};
  if (a.name == "shared_linear") return {written_out(a, {"offset", "block"}), true};
  constexpr std::string_view kNames[] = {"blocked", "linear", "nvidia_mma", "shared_linear",
                                         "swizzled_shared"};
  throw usage_error(
      format("Triton's {} is not read{}; blocked, linear, nvidia_mma, shared_linear and "
             "swizzled_shared are",
             a.name, did_you_mean(a.name, kNames)));
}

ComposedLayout layout_of(const TritonLayout& layout) {
  if (layout.shared) {
    LinearLayout one_block = layout.linear;
    if (one_block.inputs.size() > 1 && !one_block.inputs[1].bases.empty()) {
      throw usage_error("a shared layout over several blocks is no layout of one shared memory");
    }
    one_block.inputs.resize(1);
    return layout_of(invert(one_block));
  }
  LinearLayout threads{{{"thread", {}}, {"value", {}}}, layout.linear.outputs};
  for (const LinearInput& input : layout.linear.inputs) {
    std::vector<std::vector<int64_t>>& bases = threads.inputs[input.name == "register"].bases;
    bases.insert(bases.end(), input.bases.begin(), input.bases.end());
  }
  return layout_of(threads);
}

std::string to_string(const TritonLayout& layout) {
  std::vector<std::string> parts;
  for (const LinearInput& input : layout.linear.inputs) parts.push_back(bases_text(input));
  return format("#ttg.{}<{{{}}}>", layout.shared ? "shared_linear" : "linear", join(parts, ", "));
}

std::string triton_text(const ComposedLayout& layout) {
  LinearLayout offsets = invert(linear_of(layout));
  if (const std::optional<std::string> text = as_swizzled_shared(offsets)) return *text;
  offsets.inputs.push_back({"block", {}});
  return format("tensor<{}f16, {}>", sizes_text(offsets), to_string(TritonLayout{offsets, true}));
}

}  // namespace tilewright
