#include "layout/text/triton_builder.hpp"

#include "base/text.hpp"

namespace tilewright {
namespace {

LinearLayout finish(Builder builder) {
  LinearLayout linear{std::move(builder.inputs), {}};
  for (size_t i = 0; i < builder.sizes.size(); ++i) {
    linear.outputs.push_back({format("dim{}", i), builder.sizes[i]});
  }
  return linear;
}

}  // namespace

Blocks blocks_of(const TritonAttribute& a, size_t dims) {
  if (a.keys.count("CGALayout") == 1) {
    throw bad_key(a, "CGALayout", "is not supported; CTAsPerCGA, CTASplitNum and CTAOrder are");
  }
  Blocks blocks{Sizes(dims, 1), Sizes(dims, 1), {}};
  for (size_t i = dims; i > 0; --i) blocks.order.push_back(i - 1);
  if (a.keys.count("CTAsPerCGA") == 0) return blocks;
  blocks = {powers_key(a, "CTAsPerCGA"), powers_key(a, "CTASplitNum"), order_key(a, "CTAOrder")};
  const bool same = blocks.count.size() == dims && blocks.split.size() == dims;
  if (!same || blocks.order.size() != dims) {
    throw bad_key(a, "CTAsPerCGA", "or the keys beside it have another rank than the layout");
  }
  for (size_t i = 0; i < dims; ++i) {
    if (blocks.count[i] % blocks.split[i] != 0)
      throw bad_key(a, "CTASplitNum", "does not divide CTAsPerCGA");
  }
  return blocks;
}

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

}  // namespace tilewright
