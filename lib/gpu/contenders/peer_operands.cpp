#include "gpu/contenders/peer_operands.hpp"

#include <cuda_runtime_api.h>

#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/device_guard.hpp"
#include "stats/product_check.hpp"

namespace tilewright {
namespace {

constexpr int64_t kShareAlignment = 256;

// A block of a row-major matrix, in bytes.
struct Block {
  int64_t offset = 0;  // of its first byte in the matrix
  int64_t pitch = 0;   // from one row of the matrix to the next
  int64_t width = 0;   // of a row of the block
  int64_t rows = 0;
  int64_t bytes() const { return width * rows; }
};

// Rows [row, row + rows) and columns [column, column + columns) of a matrix with `of` columns.
Block block(int64_t row, int64_t rows, int64_t column, int64_t columns, int64_t of, DataType type) {
  const int64_t element = bytes_of(type);
  return {(row * of + column) * element, of * element, columns * element, rows};
}

// The blocks of A, B and D that belong to a GPU.
struct Blocks {
  Block a;
  Block b;
  Block d;
};

Blocks blocks_of(const Workload& share, const GemmShape& whole, int rank) {
  const GemmShape& own = share.shapes.front();
  const ProductKind& kind = share.kind;
  const bool gathers = gathers_rows(share.parallel);
  const int64_t gpus = share.parallel.gpus;
  const int64_t k = gathers ? 0 : rank * own.k;
  const int64_t rows_of_a = gathers ? whole.m / gpus : whole.m;
  const int64_t row_of_a = gathers ? rank * rows_of_a : 0;
  const int64_t column = gathers ? rank * own.n : 0;
  Blocks blocks;
  blocks.a = is_k_major_a(kind.layout) ? block(row_of_a, rows_of_a, k, own.k, whole.k, kind.dtype)
                                       : block(k, own.k, row_of_a, rows_of_a, whole.m, kind.dtype);
  blocks.b = is_k_major_b(kind.layout) ? block(column, own.n, k, own.k, whole.k, kind.dtype)
                                       : block(k, own.k, column, own.n, whole.n, kind.dtype);
  const int64_t stored = stored_rows(own, share.parallel);
  const int64_t row_of_d = stored == whole.m ? 0 : rank * stored;
  const int64_t columns = output_columns(kind, own.n);
  blocks.d = block(row_of_d, stored, output_columns(kind, column), columns,
                   output_columns(kind, whole.n), output_type(kind));
  return blocks;
}

char* bytes_at(const void* address, int64_t offset) {
  return static_cast<char*>(const_cast<void*>(address)) + offset;
}

// Between a block of a whole matrix and its tight copy.
void copy_block(void* whole, const Block& block, void* tight, bool to_whole) {
  char* const in_whole = bytes_at(whole, block.offset);
  const auto pitch = static_cast<size_t>(block.pitch);
  const auto width = static_cast<size_t>(block.width);
  const auto rows = static_cast<size_t>(block.rows);
  if (to_whole) {
    TW_CHECK(cudaMemcpy2D(in_whole, pitch, tight, width, width, rows, cudaMemcpyDefault));
  } else {
    TW_CHECK(cudaMemcpy2D(tight, width, in_whole, pitch, width, rows, cudaMemcpyDefault));
  }
}

// What a GPU has of the bias: the elements of its rows or columns of D.
Block bias_block(const Workload& share, int rank) {
  const Epilogue& e = share.kind.epilogue;
  const GemmShape& own = share.shapes.front();
  const bool gathers = gathers_rows(share.parallel);
  const int64_t stored = stored_rows(own, share.parallel);
  const int64_t count = e.bias ? own.n : e.row_bias ? stored : 0;
  const bool is_divided = e.bias ? gathers : stored != own.m;
  return block(0, 1, is_divided ? rank * count : 0, count, count, addend_type(share.kind));
}

// What a GPU has of an operand's scales: one, or those of its rows or columns.
Block scale_block(const Workload& share, Operand operand, int rank) {
  const Epilogue& e = share.kind.epilogue;
  const OperandScale scale = operand == Operand::A ? e.scale_a : e.scale_b;
  constexpr int64_t kBytes = sizeof(float);
  if (scale == OperandScale::None) return {};
  if (tw::form_of(scale) != ScaleForm::Line) return {0, kBytes, kBytes, 1};
  const GemmShape& own = share.shapes.front();
  const bool gathers = gathers_rows(share.parallel);
  const int64_t stored = stored_rows(own, share.parallel);
  const int64_t count = operand == Operand::A ? stored : own.n;
  const bool is_divided = operand == Operand::A ? stored != own.m : gathers;
  return {is_divided ? rank * count * kBytes : 0, count * kBytes, count * kBytes, 1};
}

}  // namespace

Workload whole_product(const Workload& workload) {
  Workload whole = workload;
  whole.shapes.front() = whole_of(workload.shapes.front(), workload.parallel);
  whole.parallel = {};
  return whole;
}

PeerOperands::PeerOperands(const PeerGroup& group, const Workload& workload, int64_t least_bytes,
                           uint64_t seed, const DeviceKernels& kernels)
    : group_(group),
      workload_(workload),
      whole_workload_(whole_product(workload)),
      whole_(whole_workload_, least_bytes, seed, kernels) {
  TW_CHECK(cudaDeviceSynchronize());
  for (size_t set = 0; set < whole_.set_count(); ++set) {
    shares_.emplace_back();
    for (int rank = 0; rank < group.size(); ++rank) {
      shares_.back().push_back(share_of_set(set, rank));
      total_bytes_ += static_cast<int64_t>(shares_.back().back().memory.bytes());
    }
  }
}

PeerOperands::Share PeerOperands::share_of_set(size_t set, int rank) {
  const OperandSet& whole = whole_.set(set);
  const Blocks blocks = blocks_of(workload_, whole_workload_.shapes.front(), rank);
  const Block bias = bias_block(workload_, rank);
  const Block scale_a = scale_block(workload_, Operand::A, rank);
  const Block scale_b = scale_block(workload_, Operand::B, rank);
  int64_t bytes = 0;
  const auto place = [&bytes](int64_t size) {
    const int64_t at = bytes;
    bytes += round_up(size, kShareAlignment);
    return at;
  };
  const int64_t a = place(blocks.a.bytes());
  const int64_t b = place(blocks.b.bytes());
  const int64_t bias_at = place(bias.bytes());
  const int64_t scale_a_at = place(scale_a.bytes());
  const int64_t scale_b_at = place(scale_b.bytes());
  place(kRedZoneBytes);
  const int64_t d = place(blocks.d.bytes());
  place(kRedZoneBytes);
  const DeviceGuard guard(group_.device(rank));
  Share share{.memory = DeviceBuffer(static_cast<size_t>(bytes)), .operands = {}};
  const auto taken = [&](const void* from, const Block& block, int64_t at) -> void* {
    if (from == nullptr || block.bytes() == 0) return nullptr;
    void* const to = share.memory.as<char>() + at;
    copy_block(const_cast<void*>(from), block, to, false);
    return to;
  };
  TW_CHECK(cudaMemset(share.memory.get(), kRedZoneByte, share.memory.bytes()));
  OperandSet& o = share.operands;
  o.a = taken(whole.a, blocks.a, a);
  o.b = taken(whole.b, blocks.b, b);
  o.bias = taken(whole.bias, bias, bias_at);
  o.scale_a = static_cast<const float*>(taken(whole.scale_a, scale_a, scale_a_at));
  o.scale_b = static_cast<const float*>(taken(whole.scale_b, scale_b, scale_b_at));
  o.d = share.memory.as<char>() + d;
  o.red_zone_bytes = kRedZoneBytes;
  TW_CHECK(cudaDeviceSynchronize());
  return share;
}

void PeerOperands::move_output(size_t set, bool collect) const {
  for (int rank = 0; rank < group_.size(); ++rank) {
    const DeviceGuard guard(group_.device(rank));
    TW_CHECK(cudaDeviceSynchronize());
    const Blocks blocks = blocks_of(workload_, whole_workload_.shapes.front(), rank);
    copy_block(whole_.set(set).d, blocks.d, share(set, rank).d, collect);
    TW_CHECK(cudaDeviceSynchronize());
  }
}

void PeerOperands::spread_output(size_t set) const {
  const DeviceGuard guard(group_.device(0));
  TW_CHECK(cudaDeviceSynchronize());  // the whole D is complete
  move_output(set, false);
}

void PeerOperands::collect_output(size_t set) const {
  move_output(set, true);
}

std::string PeerOperands::find_stray_write(size_t set) const {
  for (int rank = 0; rank < group_.size(); ++rank) {
    const DeviceGuard guard(group_.device(rank));
    const Blocks blocks = blocks_of(workload_, whole_workload_.shapes.front(), rank);
    const char* const d = static_cast<const char*>(share(set, rank).d);
    for (const char* const zone : {d - kRedZoneBytes, d + blocks.d.bytes()}) {
      std::vector<unsigned char> bytes(kRedZoneBytes);
      copy_to_host(bytes.data(), zone, bytes.size());
      if (const auto at = first_overwritten(bytes)) {
        return format("it wrote a byte {} {} D of GPU {}", *at,
                      zone < d ? "of the zone before" : "behind", rank);
      }
    }
  }
  return "";
}

}  // namespace tilewright
