// A product that several GPUs of one host compute together, in the terms of PyTorch and Megatron.
//
//   reduce-scatter   row-parallel      each GPU has a part of K; it gets its rows of D, summed
//   all-reduce       row-parallel      the same, and every GPU gets all of D
//   all-gather       column-parallel   each GPU has rows of A and columns of B; it gets its columns
//                                      of D, in all rows
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "map/peer_blocks.cuh"
#include "tile/workload/problem.hpp"

namespace tilewright {

using tw::Collective;
using tw::RankOrder;

/// How GPUs share a product.
struct Parallel {
  Collective collective = Collective::None;
  int gpus = 1;
  bool operator==(const Parallel&) const = default;
};

/// The properties of a collective.
struct CollectiveRecord {
  Collective collective;
  std::string_view name;      // as --parallel spells it
  std::string_view division;  // which operands are divided, as frameworks call it
  char divided;               // the size of the product that the GPUs share: 'k' or 'n'
  bool gathers_rows;          // the GPUs exchange rows of A; else, if anything, parts of sums
  std::string_view meaning;   // for help
};

const CollectiveRecord& record_of(Collective collective);

/// CollectiveRecord::gathers_rows.
bool gathers_rows(Collective collective);
bool gathers_rows(const Parallel& parallel);

/// The names of all but None.
std::vector<std::string_view> collective_names();

/// Parses one of them, or "none". Throws a usage error.
Collective parse_collective(std::string_view text);
std::string to_string(Collective collective);

inline constexpr std::string_view kRankOrders[] = {"given", "ring", "chunks"};

/// Parses one of kRankOrders. Throws a usage error.
RankOrder parse_rank_order(std::string_view text);
std::string to_string(RankOrder order);

/// Throws a usage error unless a collective has 2 to tw::kMaxGpus GPUs, and no collective has one.
void require_gpus(const Parallel& parallel);

/// The product that each GPU computes of a product of this size. Throws a usage error where the
/// GPUs cannot share it evenly.
GemmShape share_of(const GemmShape& whole, const Parallel& parallel);

/// The product that GPUs share, each of which computes `share`.
GemmShape whole_of(const GemmShape& share, const Parallel& parallel);

/// Rows of D that each GPU stores, where each computes `share`.
int64_t stored_rows(const GemmShape& share, const Parallel& parallel);

/// ", reduce-scatter over 2 GPUs"; empty for one GPU.
std::string to_string(const Parallel& parallel);

}  // namespace tilewright
