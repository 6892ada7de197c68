#include "layout/text/triton_dialect.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/text/gluon_text.hpp"
#include "layout/text/linear_printout.hpp"
#include "layout/text/triton_attribute.hpp"
#include "layout/text/triton_builder.hpp"
#include "layout/text/triton_keys.hpp"
#include "layout/text/triton_shared.hpp"

namespace tilewright {
namespace {

TritonLayout triton_layout(const TritonAttribute& a);

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
    throw bad_key(a, "versionMajor", format("is {}; only 2 and 3 are supported", version));
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
  // Version 3 places the warps along m first, so that a warpgroup's warps lie along m.
  for (const size_t dim : version == 2 ? order : fastest_last) one.extend("warp", warps[dim], dim);
  return fit_tensor(a, std::move(one), order, "register");
}

const TritonAttribute& require_parent(const TritonAttribute& a) {
  if (a.parent.empty()) throw bad_key(a, "parent", "is missing");
  return a.parent[0];
}

// The operands of mma.m16n8, and A of wgmma in registers: a thread holds kWidth adjacent elements
// along K; warps along K hold copies.
LinearLayout dot_op(const TritonAttribute& a) {
  TritonAttribute mma = require_parent(a);
  const int64_t operand = integer_key(a, "opIdx");
  if (operand != 0 && operand != 1) throw bad_key(a, "opIdx", "is neither 0 nor 1");
  if (mma.name != "nvidia_mma" && mma.name != "mma") {
    throw bad_key(a, "parent", format("is {}; only nvidia_mma is supported", mma.name));
  }
  const int64_t version = integer_key(mma, "versionMajor");
  if (version != 2 && version != 3) {
    throw bad_key(mma, "versionMajor", format("is {}; only 2 and 3 are supported", version));
  }
  if (version == 3 && operand == 1) {
    throw bad_key(a, "opIdx", "is 1, but wgmma reads B from shared memory");
  }
  const int64_t width = power_key(a, "kWidth");
  const Sizes warps = powers_key(mma, "warpsPerCTA");
  const size_t dims = warps.size();
  if (dims < 2) throw bad_key(mma, "warpsPerCTA", "has too few dimensions");
  const size_t k = operand == 0 ? dims - 1 : dims - 2;
  const size_t outer = operand == 0 ? dims - 2 : dims - 1;
  Builder one = distributed(dims);
  one.extend("register", width, k);
  one.extend("lane", 4, k);
  one.extend("lane", 8, outer);
  if (operand == 0) one.extend("register", 2, outer);
  one.extend("register", 2, k);
  std::vector<size_t> warp_order(dims);
  std::iota(warp_order.begin(), warp_order.end(), size_t{0});
  if (version == 2) std::reverse(warp_order.begin(), warp_order.end());
  for (const size_t dim : warp_order) {
    if (dim != k) {
      one.extend("warp", warps[dim], dim);
      continue;
    }
    for (int64_t copies = warps[dim]; copies > 1; copies /= 2) {
      one.input("warp").bases.emplace_back(dims);
    }
  }
  std::vector<size_t> order = {k, outer};
  for (size_t i = dims - 2; i > 0; --i) order.push_back(i - 1);
  mma.shape = a.shape;
  return fit_tensor(mma, std::move(one), order, "register");
}

// The parent without one dimension, and without the registers that differ only in that dimension.
LinearLayout slice(const TritonAttribute& a) {
  TritonAttribute parent = require_parent(a);
  const int64_t dim = integer_key(a, "dim");
  parent.shape = a.shape;
  if (dim < 0 || (!a.shape.empty() && dim > static_cast<int64_t>(a.shape.size()))) {
    throw bad_key(a, "dim", format("is {}, which the parent does not have", dim));
  }
  if (!a.shape.empty()) parent.shape.insert(parent.shape.begin() + dim, 1);
  const TritonLayout whole = triton_layout(parent);
  if (whole.shared) throw bad_key(a, "parent", "is a layout of shared memory");
  LinearLayout linear = whole.linear;
  if (dim >= static_cast<int64_t>(linear.outputs.size())) {
    throw bad_key(a, "dim", format("is {}, which the parent does not have", dim));
  }
  linear.outputs.erase(linear.outputs.begin() + dim);
  for (size_t i = 0; i < linear.outputs.size(); ++i) linear.outputs[i].name = format("dim{}", i);
  for (LinearInput& input : linear.inputs) {
    for (std::vector<int64_t>& basis : input.bases) basis.erase(basis.begin() + dim);
    if (input.name != "register") continue;
    const auto is_zero = [](const std::vector<int64_t>& basis) {
      return std::all_of(basis.begin(), basis.end(), [](int64_t one) { return one == 0; });
    };
    input.bases.erase(std::remove_if(input.bases.begin(), input.bases.end(), is_zero),
                      input.bases.end());
  }
  return linear;
}

TritonLayout triton_layout(const TritonAttribute& a) {
  if (a.shape.size() > 8) throw usage_error("a Triton tensor has at most 8 dimensions");
  if (a.name == "blocked") return {blocked(a), false};
  if (a.name == "nvidia_mma" || a.name == "mma") return {nvidia_mma(a), false};
  if (a.name == "dot_op") return {dot_op(a), false};
  if (a.name == "slice") return {slice(a), false};
  if (a.name == "swizzled_shared" || a.name == "shared") return {swizzled_shared(a), true};
  if (a.name == "nvmma_shared") return {nvmma_shared(a), true};
  if (a.name == "padded_shared") return {padded_shared(a), true, a.paddings};
  if (a.name == "linear") return {written_out(a, {"register", "lane", "warp", "block"}), false};
  if (a.name == "shared_linear") return {written_out(a, {"offset", "block"}), true};
  constexpr std::string_view kNames[] = {"blocked",       "dot_op",       "linear",
                                         "nvidia_mma",    "nvmma_shared", "padded_shared",
                                         "shared_linear", "slice",        "swizzled_shared"};
  throw usage_error(format("Triton's {} is not supported{}; {} are", a.name,
                           did_you_mean(a.name, kNames), join_words(kNames, "and")));
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
         text.find("#triton_gpu.") != std::string_view::npos || is_gluon_text(text) ||
         is_linear_printout(text);
}

TritonLayout parse_triton(std::string_view text) {
  if (is_linear_printout(text)) {
    LinearLayout linear = parse_linear_printout(text);
    const bool shared = linear.inputs[0].name == "offset";
    return {std::move(linear), shared, {}};
  }
  if (is_gluon_text(text)) return triton_layout(parse_triton_attribute(ttgir_of_gluon(text)));
  return triton_layout(parse_triton_attribute(text));
}

ComposedLayout layout_of(const TritonLayout& layout) {
  if (layout.shared) {
    LinearLayout one_block = layout.linear;
    if (one_block.inputs.size() > 1 && !one_block.inputs[1].bases.empty()) {
      throw usage_error("a shared layout over several blocks is not a layout of one shared memory");
    }
    one_block.inputs.resize(1);
    return padded(layout_of(invert(one_block)), layout.paddings);
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
  if (!layout.paddings.empty()) {
    std::vector<std::string> paddings;
    for (const SharedPadding& one : layout.paddings) {
      paddings.push_back(format("{}:+{}", one.interval, one.padding));
    }
    return format("#ttg.padded_shared<[{}] {{{}}}>", join(paddings, ", "), join(parts, ", "));
  }
  return format("#ttg.{}<{{{}}}>", layout.shared ? "shared_linear" : "linear", join(parts, ", "));
}

std::string triton_text(const ComposedLayout& layout) {
  LinearLayout offsets = invert(linear_of(layout));
  if (const std::optional<std::string> text = as_swizzled_shared(offsets)) return *text;
  offsets.inputs.push_back({"block", {}});
  return format("tensor<{}f16, {}>", sizes_text(offsets),
                to_string(TritonLayout{offsets, true, {}}));
}

}  // namespace tilewright
