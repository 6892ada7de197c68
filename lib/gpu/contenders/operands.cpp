#include "gpu/contenders/operands.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/contenders/scale_values.hpp"
#include "gpu/launch/check.hpp"
#include "stats/product_check.hpp"

namespace tilewright {
namespace {

constexpr int64_t kAlignment = 256;
constexpr int64_t kMaxSets = 4096;
// The record of D's scale and absolute maximum lies behind the scales of A and B. The scale is no
// power of two, which shows a missing one less well.
constexpr tw::OutputScaling kScaling = {.scale = 0.4375F};

struct SetLayout {
  int64_t b_offset = 0;
  int64_t c_offset = 0;
  int64_t bias_offset = 0;
  int64_t scales_offset = 0;
  int64_t scaling_offset = 0;
  int64_t d_offset = 0;
  int64_t output_bytes = 0;
  int64_t bytes = 0;
};

SetLayout set_layout(const Workload& workload, int64_t scale_count) {
  const Problem p = packed_product(workload);
  const int64_t addend = bytes_of(addend_type(p.kind));
  const MatrixOffsets all = byte_offsets(workload).back();
  const int64_t a_bytes = round_up(all.a, kAlignment);
  const int64_t b_bytes = round_up(all.b, kAlignment);
  const Epilogue& e = p.kind.epilogue;
  const int64_t c_bytes = e.beta != 0 ? round_up(all.c, kAlignment) : 0;
  const int64_t bias_elements = e.bias ? p.shape.n : e.row_bias ? p.shape.m : 0;
  const int64_t bias_bytes = round_up(bias_elements * addend, kAlignment);
  const int64_t scale_bytes = round_up(scale_count * int64_t{sizeof(float)}, kAlignment);
  const int64_t scaling_bytes = epilogue_params(e).has_scaling() ? kAlignment : 0;
  const int64_t d_bytes = round_up(all.d, kAlignment);
  SetLayout layout;
  layout.b_offset = a_bytes;
  layout.c_offset = layout.b_offset + b_bytes;
  layout.bias_offset = layout.c_offset + c_bytes;
  layout.scales_offset = layout.bias_offset + bias_bytes;
  layout.scaling_offset = layout.scales_offset + scale_bytes;
  layout.d_offset = layout.scaling_offset + scaling_bytes + kRedZoneBytes;
  layout.output_bytes = all.d;
  layout.bytes = layout.d_offset + d_bytes + kRedZoneBytes;
  return layout;
}

int64_t sets_that_fit(const Workload& workload, int64_t set_bytes, int64_t wanted) {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  TW_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  constexpr int64_t kHeadroom = int64_t{1} << 30;  // workspace, reference values, the context
  const int64_t room = static_cast<int64_t>(free_bytes) - kHeadroom;
  if (set_bytes > room) {
    throw usage_error(
        format("{}: the operands take {}, and the device has {} free: use smaller sizes",
               to_string(workload), human_bytes(static_cast<double>(set_bytes)),
               human_bytes(static_cast<double>(free_bytes))));
  }
  return std::min(wanted, room / set_bytes);
}

// Fills the zone before D, and the bytes after D up to `end`: a whole zone or more.
void fill_red_zones(const OperandSet& set, const char* end, int64_t d_bytes) {
  auto* const d = static_cast<char*>(set.d);
  TW_CHECK(
      cudaMemset(d - set.red_zone_bytes, kRedZoneByte, static_cast<size_t>(set.red_zone_bytes)));
  TW_CHECK(cudaMemset(d + d_bytes, kRedZoneByte, static_cast<size_t>(end - d - d_bytes)));
}

// The first row (or depth) of each product of a group, and the end of the last product.
std::vector<int> offsets_of(const Workload& workload) {
  const bool rows = packing_of(workload) == Packing::Rows;
  std::vector<int> offsets = {0};
  for (const GemmShape& shape : workload.shapes) {
    offsets.push_back(offsets.back() + static_cast<int>(rows ? shape.m : shape.k));
  }
  return offsets;
}

// The list of a group's products as a caller stores it on the device.
std::vector<tw::ProblemEntry> entries_of(const Workload& group, const OperandSet& operands) {
  std::vector<tw::ProblemEntry> entries;
  for (size_t i = 0; i < group.shapes.size(); ++i) {
    const GemmShape& shape = group.shapes[i];
    const OperandSet own = operands_of(operands, group, i);
    entries.push_back({.m = static_cast<int>(shape.m),
                       .n = static_cast<int>(shape.n),
                       .k = static_cast<int>(shape.k),
                       .a = own.a,
                       .b = own.b,
                       .c = static_cast<const unsigned short*>(own.c),
                       .d = own.d});
  }
  return entries;
}

template <class T>
DeviceBuffer on_device(const std::vector<T>& values) {
  DeviceBuffer buffer(values.size() * sizeof(T));
  copy_to_device(buffer.get(), values.data(), buffer.bytes());
  return buffer;
}

}  // namespace

Operands::Operands(const Workload& workload, int64_t least_bytes, uint64_t seed,
                   const DeviceKernels& kernels) {
  const ScaleValues scales = scale_values(workload, seed + 2);
  const SetLayout layout = set_layout(workload, std::ssize(scales.values));
  const int64_t wanted = std::clamp<int64_t>(ceil_div(least_bytes, layout.bytes), 2, kMaxSets);
  const Epilogue& e = workload.kind.epilogue;
  const int64_t count = sets_that_fit(workload, layout.bytes, wanted);
  arena_ = DeviceBuffer(static_cast<size_t>(count * layout.bytes));
  input_bytes_ = layout.scales_offset;
  const int64_t elements = static_cast<int64_t>(arena_.bytes()) / bytes_of(workload.kind.dtype);
  kernels.fill_operand(arena_.get(), elements, seed);
  const bool packed = packing_of(workload) != Packing::None;
  if (is_group(workload) && packed) offsets_ = on_device(offsets_of(workload));
  const bool takes_b = tw::record_of(workload.op).takes_b;
  for (int64_t i = 0; i < count; ++i) {
    char* const base = arena_.as<char>() + i * layout.bytes;
    auto* const own_scales = reinterpret_cast<float*>(base + layout.scales_offset);
    if (!scales.values.empty()) {
      copy_to_device(own_scales, scales.values.data(), scales.values.size() * sizeof(float));
    }
    const auto scale_at = [&](OperandScale scale, int64_t offset) {
      return scale == OperandScale::None ? nullptr : own_scales + offset;
    };
    auto* const scaling = reinterpret_cast<tw::OutputScaling*>(base + layout.scaling_offset);
    const bool has_scaling = epilogue_params(e).has_scaling();
    if (has_scaling) copy_to_device(scaling, &kScaling, sizeof(kScaling));
    sets_.push_back({.a = base,
                     .b = base + (takes_b ? layout.b_offset : 0),
                     .c = e.beta != 0 ? base + layout.c_offset : nullptr,
                     .bias = e.bias || e.row_bias ? base + layout.bias_offset : nullptr,
                     .scale_a = scale_at(e.scale_a, scales.a_offset),
                     .scale_b = scale_at(e.scale_b, scales.b_offset),
                     .scaling = has_scaling ? scaling : nullptr,
                     .d = base + layout.d_offset,
                     .red_zone_bytes = kRedZoneBytes,
                     .offsets = offsets_.get()});
    if (is_group(workload) && !packed) list_products(workload, sets_.back());
    const int64_t addends = layout.scales_offset - layout.c_offset;
    if (addends > 0 && addend_type(workload.kind) != workload.kind.dtype) {
      kernels.fill_addend(base + layout.c_offset, addends / bytes_of(addend_type(workload.kind)),
                          seed + 1);
    }
    fill_red_zones(sets_.back(), base + layout.bytes, layout.output_bytes);
  }
}

void Operands::list_products(const Workload& group, OperandSet& set) {
  entries_.push_back(on_device(entries_of(group, set)));
  set.entries = entries_.back().as<tw::ProblemEntry>();
}

bool Operands::exchange_first_two() {
  if (sets_.size() < 2) return false;
  const auto bytes = static_cast<size_t>(input_bytes_);
  void* const first = const_cast<void*>(sets_[0].a);
  void* const second = const_cast<void*>(sets_[1].a);
  const DeviceBuffer held(bytes);
  TW_CHECK(cudaMemcpy(held.get(), first, bytes, cudaMemcpyDeviceToDevice));
  TW_CHECK(cudaMemcpy(first, second, bytes, cudaMemcpyDeviceToDevice));
  TW_CHECK(cudaMemcpy(second, held.get(), bytes, cudaMemcpyDeviceToDevice));
  TW_CHECK(cudaDeviceSynchronize());
  return true;
}

const OperandSet& Operands::next(const OperandSet* excluded) {
  current_ = (current_ + 1) % sets_.size();
  if (&sets_[current_] == excluded) current_ = (current_ + 1) % sets_.size();
  return sets_[current_];
}

}  // namespace tilewright
