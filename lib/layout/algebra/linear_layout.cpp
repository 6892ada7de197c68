#include "layout/algebra/linear_layout.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "layout/algebra/layout_evaluator.hpp"

namespace tilewright {
namespace {

// All outputs as one integer, first output lowest.
int64_t flatten_outputs(const LinearLayout& layout, const std::vector<int64_t>& values) {
  int64_t flat = 0;
  int shift = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    flat |= values[i] << shift;
    shift += log2_of(layout.outputs[i].size);
  }
  return flat;
}

/// Column b is the contribution of bit b of the input.
std::vector<int64_t> columns_of(const LinearLayout& layout) {
  std::vector<int64_t> columns;
  for (const LinearInput& input : layout.inputs) {
    for (const std::vector<int64_t>& basis : input.bases) {
      columns.push_back(flatten_outputs(layout, basis));
    }
  }
  return columns;
}

int output_bits(const LinearLayout& layout) {
  int bits = 0;
  for (const LinearOutput& output : layout.outputs) bits += log2_of(output.size);
  return bits;
}

// True if each input bit sets an output bit of its own, or none.
bool is_strided(const std::vector<int64_t>& columns) {
  int64_t used = 0;
  for (const int64_t column : columns) {
    if (column != 0 && (!is_power_of_two(column) || (used & column) != 0)) return false;
    used |= column;
  }
  return true;
}

std::optional<Swizzle> find_swizzle(const std::vector<int64_t>& columns, int bits) {
  for (int b = 1; 2 * b <= bits; ++b) {
    for (int base = 0; base + 2 * b <= bits; ++base) {
      for (int distance = b; base + b + distance <= bits; ++distance) {
        for (const int shift : {distance, -distance}) {
          const Swizzle swizzle{b, base, shift};
          std::vector<int64_t> plain = columns;
          for (int64_t& column : plain) column = apply(swizzle, column);
          if (is_strided(plain)) return swizzle;
        }
      }
    }
  }
  return std::nullopt;
}

// Merges adjacent bits into one mode if their strides double.
Layout mode_of(const int64_t* columns, size_t count) {
  std::vector<Layout> runs;
  for (size_t i = 0; i < count; ++i) {
    if (!runs.empty()) {
      Layout& last = runs.back();
      const int64_t extent = last.shape.value();
      if (columns[i] == last.stride.value() * extent) {
        last.shape = extent * 2;
        continue;
      }
    }
    runs.push_back({2, columns[i]});
  }
  return from_flat(runs);
}

// If f(i) ^ f(j) != f(i ^ j), the layout adds with a carry and is not linear.
void require_linear(const ComposedLayout& layout, const LinearLayout& linear) {
  constexpr int64_t kMaxEvaluated = int64_t{1} << 22;
  const LayoutEvaluator evaluate(layout);
  if (evaluate.size() > kMaxEvaluated) {
    throw usage_error(format("{} has more than {} elements: too large to check that it is linear",
                             to_string(layout), kMaxEvaluated));
  }
  const std::vector<int64_t> columns = columns_of(linear);
  std::vector<int64_t> values(static_cast<size_t>(evaluate.size()));
  for (size_t i = 1; i < values.size(); ++i) {
    values[i] = values[i & (i - 1)] ^ columns[static_cast<size_t>(std::countr_zero(i))];
    const int64_t offset = evaluate(static_cast<int64_t>(i));
    if (offset == values[i]) continue;
    throw usage_error(
        format("{} is not linear over F2: the offset of index {} is {}, and the XOR of its bits' "
               "offsets is {}",
               to_string(layout), i, offset, values[i]));
  }
}

}  // namespace

std::vector<int64_t> apply(const LinearLayout& layout, int64_t index) {
  std::vector<int64_t> values(layout.outputs.size());
  for (const LinearInput& input : layout.inputs) {
    for (const std::vector<int64_t>& basis : input.bases) {
      if ((index & 1) != 0) {
        for (size_t i = 0; i < values.size(); ++i) values[i] ^= basis[i];
      }
      index >>= 1;
    }
  }
  return values;
}

LinearLayout linear_of(const ComposedLayout& layout) {
  const Layout& plain = layout.layout;
  for (const Layout& one : flat_modes(plain)) {
    if (is_power_of_two(one.shape.value())) continue;
    throw usage_error(
        format("{} is not linear over F2: the extent of mode {} is not a power of two",
               to_string(layout), to_string(one)));
  }
  if (offset_at(layout, 0) != 0) {
    throw usage_error(format("{} is not linear over F2: the offset of coordinate 0 is {}",
                             to_string(layout), offset_at(layout, 0)));
  }
  LinearLayout linear;
  int64_t most = 0;
  int64_t index = 1;
  for (size_t i = 0; i < rank(plain); ++i) {
    LinearInput input{format("dim{}", i), {}};
    for (int64_t extent = size(mode(plain, i)); extent > 1; extent /= 2) {
      const int64_t offset = offset_at(layout, index);
      if (offset < 0) {
        throw usage_error(
            format("{} is not linear over F2: it has negative offsets", to_string(layout)));
      }
      input.bases.push_back({offset});
      most |= offset;
      index *= 2;
    }
    linear.inputs.push_back(std::move(input));
  }
  linear.outputs = {
      {"offset", static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(most) + 1))}};
  require_linear(layout, linear);
  return linear;
}

ComposedLayout layout_of(const LinearLayout& linear) {
  std::vector<int64_t> columns = columns_of(linear);
  const int bits = output_bits(linear);
  std::optional<Swizzle> swizzle;
  if (!is_strided(columns)) {
    swizzle = find_swizzle(columns, bits);
    if (!swizzle) {
      throw usage_error(
          "no Sw<B,M,S> o 0 o layout equals this linear layout: no single swizzle, when undone, "
          "leaves one stride for each input bit");
    }
    for (int64_t& column : columns) column = apply(*swizzle, column);
  }
  std::vector<Layout> modes;
  size_t at = 0;
  for (const LinearInput& input : linear.inputs) {
    modes.push_back(mode_of(columns.data() + at, input.bases.size()));
    at += input.bases.size();
  }
  return make_composed(swizzle, 0, from_flat(modes));
}

LinearLayout invert(const LinearLayout& layout) {
  std::vector<int64_t> rows = columns_of(layout);  // of the transposed system
  const auto bits = static_cast<size_t>(output_bits(layout));
  if (rows.size() != bits) {
    throw usage_error(
        format("a linear layout of {} input bits and {} output bits is not a bijection",
               rows.size(), bits));
  }
  std::vector<int64_t> inverse(bits);
  for (size_t i = 0; i < bits; ++i) inverse[i] = int64_t{1} << i;
  for (size_t bit = 0; bit < bits; ++bit) {
    size_t pivot = bit;
    while (pivot < bits && (rows[pivot] >> bit & 1) == 0) ++pivot;
    if (pivot == bits) {
      throw usage_error(
          "two inputs of the linear layout have the same output: it is not a bijection");
    }
    std::swap(rows[bit], rows[pivot]);
    std::swap(inverse[bit], inverse[pivot]);
    for (size_t i = 0; i < bits; ++i) {
      if (i == bit || (rows[i] >> bit & 1) == 0) continue;
      rows[i] ^= rows[bit];
      inverse[i] ^= inverse[bit];
    }
  }
  LinearLayout result;
  for (const LinearInput& input : layout.inputs) {
    result.outputs.push_back({input.name, int64_t{1} << input.bases.size()});
  }
  size_t at = 0;
  for (const LinearOutput& output : layout.outputs) {
    LinearInput input{output.name, {}};
    for (int b = 0; b < log2_of(output.size); ++b, ++at) {
      std::vector<int64_t> basis;
      int64_t rest = inverse[at];
      for (const LinearOutput& part : result.outputs) {
        basis.push_back(rest & (part.size - 1));
        rest >>= log2_of(part.size);
      }
      input.bases.push_back(std::move(basis));
    }
    result.inputs.push_back(std::move(input));
  }
  return result;
}

std::string matrix_text(const LinearLayout& layout) {
  const std::vector<int64_t> columns = columns_of(layout);
  std::string text;
  for (int bit = output_bits(layout) - 1; bit >= 0; --bit) {
    text += format("{:>4}  ", bit);
    size_t at = 0;
    for (const LinearInput& input : layout.inputs) {
      for (size_t i = 0; i < input.bases.size(); ++i, ++at) {
        text += (columns[at] >> bit & 1) != 0 ? '1' : '.';
      }
      text += ' ';
    }
    text.back() = '\n';
  }
  return text;
}

}  // namespace tilewright
