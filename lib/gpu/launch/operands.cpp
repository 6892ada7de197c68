#include "gpu/launch/operands.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/compile/check.hpp"
#include "stats/product_check.hpp"

namespace tilewright {
namespace {

constexpr int64_t kAlignment = 256;
constexpr int64_t kMostSets = 4096;

// Of D, all its planes.
int64_t output_bytes(const Workload& workload) {
  const Problem p = packed_product(workload);
  return tw::record_of(workload.op).planes * p.shape.m * p.shape.n * bytes_of(output_type(p));
}

struct SetLayout {
  int64_t b_offset;
  int64_t bias_offset;
  int64_t d_offset;
  int64_t bytes;
};

SetLayout set_layout(const Workload& workload) {
  const Problem p = packed_product(workload);
  const auto products = static_cast<int64_t>(workload.shapes.size());
  const int64_t element = bytes_of(p.dtype);
  const int64_t addend = bytes_of(addend_type(p));
  const tw::OpRecord& op = tw::record_of(workload.op);
  const int64_t a_bytes = round_up(op.planes * p.shape.m * p.shape.k * element, kAlignment);
  const int64_t b_elements = op.takes_b ? op.planes * products * p.shape.n * p.shape.k : 0;
  const int64_t b_bytes = round_up(b_elements * element, kAlignment);
  const int64_t bias_bytes = p.bias ? round_up(p.shape.n * addend, kAlignment) : 0;
  const int64_t d_bytes = round_up(output_bytes(workload), kAlignment);
  const int64_t d_offset = a_bytes + b_bytes + bias_bytes + kRedZoneBytes;
  return {a_bytes, a_bytes + b_bytes, d_offset, d_offset + d_bytes + kRedZoneBytes};
}

int64_t sets_that_fit(const Workload& workload, int64_t set_bytes, int64_t wanted) {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  TW_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  constexpr int64_t kHeadroom = int64_t{1} << 30;  // workspace, reference values, the context
  const int64_t room = static_cast<int64_t>(free_bytes) - kHeadroom;
  if (set_bytes > room) {
    throw usage_error(format("{}: the operands take {}, the device has {} free",
                             to_string(workload), human_bytes(static_cast<double>(set_bytes)),
                             human_bytes(static_cast<double>(free_bytes))));
  }
  return std::min(wanted, room / set_bytes);
}

// Up to `end`, which is a whole zone or more behind D.
void fill_red_zones(const OperandSet& set, const char* end, int64_t d_bytes) {
  auto* const d = static_cast<char*>(set.d);
  TW_CHECK(
      cudaMemset(d - set.red_zone_bytes, kRedZoneByte, static_cast<size_t>(set.red_zone_bytes)));
  TW_CHECK(cudaMemset(d + d_bytes, kRedZoneByte, static_cast<size_t>(end - d - d_bytes)));
}

// Where the rows of each product of a group begin, and the last one's end.
std::vector<int> offsets_of(const Workload& workload) {
  std::vector<int> offsets = {0};
  for (const GemmShape& shape : workload.shapes) {
    offsets.push_back(offsets.back() + static_cast<int>(shape.m));
  }
  return offsets;
}

}  // namespace

const void* plane_of(const void* matrix, int plane, int64_t elements, DataType type) {
  if (matrix == nullptr) return nullptr;
  return static_cast<const char*>(matrix) + plane * elements * bytes_of(type);
}

OperandSet operands_of(const OperandSet& packed, const Workload& group, size_t index) {
  const GemmShape& own = group.shapes[index];
  int64_t before = 0;
  for (size_t i = 0; i < index; ++i) before += group.shapes[i].m;
  const Problem product = problem_of(group, index);
  const int64_t element = bytes_of(product.dtype);
  const auto at = [](const void* base, int64_t bytes) {
    return base == nullptr ? nullptr : static_cast<const char*>(base) + bytes;
  };
  return {.a = at(packed.a, before * own.k * element),
          .b = at(packed.b, static_cast<int64_t>(index) * own.n * own.k * element),
          .c = at(packed.c, before * own.n * bytes_of(addend_type(product))),
          .bias = packed.bias,
          .d = static_cast<char*>(packed.d) + before * own.n * bytes_of(output_type(product))};
}

Operands::Operands(const Workload& workload, int64_t least_bytes, uint64_t seed,
                   const DeviceKernels& kernels) {
  const SetLayout layout = set_layout(workload);
  const int64_t wanted = std::clamp<int64_t>(ceil_div(least_bytes, layout.bytes), 2, kMostSets);
  const int64_t count = sets_that_fit(workload, layout.bytes, wanted);
  arena_ = DeviceBuffer(static_cast<size_t>(count * layout.bytes));
  const int64_t elements = static_cast<int64_t>(arena_.bytes()) / bytes_of(workload.dtype);
  kernels.fill_operand(arena_.get(), elements, seed);
  if (is_group(workload)) {
    const std::vector<int> offsets = offsets_of(workload);
    offsets_ = DeviceBuffer(offsets.size() * sizeof(int));
    copy_to_device(offsets_.get(), offsets.data(), offsets_.bytes());
  }
  const bool takes_b = tw::record_of(workload.op).takes_b;
  for (int64_t i = 0; i < count; ++i) {
    char* const base = arena_.as<char>() + i * layout.bytes;
    sets_.push_back({.a = base,
                     .b = base + (takes_b ? layout.b_offset : 0),
                     .bias = workload.bias ? base + layout.bias_offset : nullptr,
                     .d = base + layout.d_offset,
                     .red_zone_bytes = kRedZoneBytes,
                     .offsets = offsets_.as<int>()});
    const Problem all = packed_product(workload);
    const bool other_bias = all.bias && addend_type(all) != all.dtype;
    if (other_bias) kernels.fill_addend(base + layout.bias_offset, all.shape.n, seed + 1);
    fill_red_zones(sets_.back(), base + layout.bytes, output_bytes(workload));
  }
}

const OperandSet& Operands::next(const OperandSet* spared) {
  turn_ = (turn_ + 1) % sets_.size();
  if (&sets_[turn_] == spared) turn_ = (turn_ + 1) % sets_.size();
  return sets_[turn_];
}

}  // namespace tilewright
