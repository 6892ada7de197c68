#include "layout/text/triton_shared.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/compose.hpp"
#include "layout/algebra/map_modes.hpp"
#include "layout/text/triton_builder.hpp"
#include "layout/text/triton_keys.hpp"

namespace tilewright {
namespace {

void require_shape(const TritonAttribute& a, size_t dims) {
  if (a.shape.size() == dims) return;
  throw usage_error(
      format("Triton's {} needs a tensor of {} dimensions around it, such as "
             "tensor<64x64xf16, #ttg.{}<{{...}}>>",
             a.name, dims, a.name));
}

// A mode of a power-of-two size, split where a padding lies between its elements.
Layout padded(const Layout& mode, const std::vector<SharedPadding>& paddings) {
  std::vector<IntTuple> shape;
  std::vector<IntTuple> stride;
  for (int64_t step = 1; step < mode.shape.value(); step *= 2) {
    const int64_t offset = step * mode.stride.value();
    int64_t moved = offset;
    for (const SharedPadding& one : paddings) moved += offset / one.interval * one.padding;
    shape.emplace_back(2);
    stride.emplace_back(moved);
  }
  if (shape.empty()) return mode;
  return coalesce(make_layout(IntTuple(std::move(shape)), IntTuple(std::move(stride))));
}

}  // namespace

LinearLayout swizzled_shared(const TritonAttribute& a) {
  const int64_t vec = power_key(a, "vec");
  const int64_t per_phase = power_key(a, "perPhase");
  const int64_t max_phase = power_key(a, "maxPhase");
  const std::vector<size_t> order = order_key(a, "order");
  const size_t dims = order.size();
  require_shape(a, dims);
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

// Rows of 32, 64 or 128 bytes with permuted 16-byte chunks, as TMA writes its boxes. A box has
// at most 256 elements along a dimension, and one swizzled row along the contiguous one. Boxes
// follow each other along the first dimension, then the next.
LinearLayout nvmma_shared(TritonAttribute a) {
  constexpr int64_t kMaxBox = 256;
  constexpr int64_t kRows = 8;
  const int64_t bytes = integer_key(a, "swizzlingByteWidth");
  if (bytes != 0 && bytes != 32 && bytes != 64 && bytes != 128) {
    throw bad_key(a, "swizzlingByteWidth",
                  format("is {}; only 0, 32, 64 and 128 are supported", bytes));
  }
  const int64_t bits = power_key(a, "elementBitWidth");
  if (bits > 128) throw bad_key(a, "elementBitWidth", "is larger than 128");
  if (truth_key(a, "fp4Padded")) {
    throw bad_key(a, "fp4Padded", "is not supported: its offsets have gaps");
  }
  const bool transposed = truth_key(a, "transposed");
  const int64_t width = bytes * 8 / bits;
  if (a.shape.empty() && bytes != 0) {
    a.shape = transposed ? Sizes{width, kRows} : Sizes{kRows, width};
  }
  const size_t dims = a.shape.size();
  if (dims < (bytes == 0 ? 1 : 2)) require_shape(a, 2);
  const Blocks blocks = blocks_of(a, dims);
  for (const int64_t extent : a.shape) require_power(a, "the tensor's shape", extent);
  Sizes box;
  for (size_t i = 0; i < dims; ++i) {
    box.push_back(std::min(kMaxBox, a.shape[i] / std::min(blocks.split[i], a.shape[i])));
  }
  // Fastest first; without a swizzle Triton ignores `transposed`.
  std::vector<size_t> order;
  for (size_t i = dims; i > 0; --i) order.push_back(i - 1);
  if (transposed && bytes != 0) std::rotate(order.begin(), order.end() - 1, order.end());
  Builder one({"offset", "block"}, dims);
  if (bytes != 0) {
    int64_t rows = 1;
    for (size_t i = 1; i < dims; ++i) rows *= box[order[i]];
    if (box[order[0]] < width || rows < kRows) {
      throw bad_key(a, "the tensor's shape",
                    format("is smaller than {} rows of {} elements", kRows, width));
    }
    box[order[0]] = width;
  }
  for (const size_t dim : order) one.extend("offset", box[dim], dim);
  if (bytes != 0) {
    std::vector<std::vector<int64_t>>& bases = one.input("offset").bases;
    const auto first = static_cast<size_t>(std::countr_zero(static_cast<uint64_t>(width)));
    for (size_t bit = 0; bit < 3; ++bit) {
      const int64_t phase = ((int64_t{1} << bit) / (128 / bytes)) % (bytes / 16);
      bases[first + bit][order[0]] = 128 / bits * phase;
    }
  }
  std::vector<size_t> boxes(dims);
  std::iota(boxes.begin(), boxes.end(), size_t{0});
  return fit_tensor(a, std::move(one), boxes, "offset");
}

LinearLayout padded_shared(TritonAttribute a) {
  if (a.paddings.empty()) throw bad_key(a, "[interval:+padding]", "is missing");
  for (const SharedPadding& one : a.paddings) {
    require_power(a, "an interval", one.interval);
    if (one.padding < 0) throw bad_key(a, "a padding", "is negative");
  }
  if (a.keys.count("offset") == 1) return written_out(a, {"offset", "block"});
  const std::vector<size_t> order = order_key(a, "order");
  if (a.shape.empty()) a.shape = powers_key(a, "shape");
  require_shape(a, order.size());
  for (const int64_t extent : a.shape) require_power(a, "the tensor's shape", extent);
  Builder one({"offset", "block"}, order.size());
  for (const size_t dim : order) one.extend("offset", a.shape[dim], dim);
  return fit_tensor(a, std::move(one), order, "offset");
}

ComposedLayout padded(const ComposedLayout& layout, const std::vector<SharedPadding>& paddings) {
  if (paddings.empty()) return layout;
  if (layout.swizzle)
    throw usage_error("Triton's padded_shared: offsets with XORs are not supported");
  return {
      {}, 0, map_modes(layout.layout, [&](const Layout& one) { return padded(one, paddings); })};
}

}  // namespace tilewright
