#include "tile/workload/parallel.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr CollectiveRecord kCollectives[] = {
    {Collective::None, "none", "", ' ', false, "one GPU"},
    {Collective::ReduceScatter, "reduce-scatter", "row-parallel", 'k', false,
     "each GPU has a part of K of A and of B, and gets its rows of D, summed over all GPUs"},
    {Collective::AllReduce, "all-reduce", "row-parallel", 'k', false,
     "the same, and each GPU gets all of D"},
    {Collective::AllGather, "all-gather", "column-parallel", 'n', true,
     "each GPU has rows of A and columns of B, and gets its columns of D in all rows"}};

int64_t& divided_size(GemmShape& shape, const Parallel& parallel) {
  return record_of(parallel.collective).divided == 'n' ? shape.n : shape.k;
}

void require_even(int64_t size, const char* what, const GemmShape& whole, const Parallel& p) {
  if (size % p.gpus == 0) return;
  throw usage_error(format("{}{}: {} = {} is no multiple of {}, so the GPUs cannot share it evenly",
                           to_string(whole), to_string(p), what, size, p.gpus));
}

}  // namespace

const CollectiveRecord& record_of(Collective collective) {
  return kCollectives[static_cast<size_t>(collective)];
}

bool gathers_rows(Collective collective) {
  return record_of(collective).gathers_rows;
}

bool gathers_rows(const Parallel& parallel) {
  return gathers_rows(parallel.collective);
}

std::vector<std::string_view> collective_names() {
  std::vector<std::string_view> names;
  for (const CollectiveRecord& record : kCollectives) {
    if (record.collective != Collective::None) names.push_back(record.name);
  }
  return names;
}

Collective parse_collective(std::string_view text) {
  for (const CollectiveRecord& record : kCollectives) {
    if (text == record.name) return record.collective;
  }
  const std::vector<std::string_view> names = collective_names();
  throw usage_error(format("unknown collective '{}': --parallel takes {}{}", text,
                           join_words(names, "or"), did_you_mean(text, names)));
}

std::string to_string(Collective collective) {
  return std::string(record_of(collective).name);
}

RankOrder parse_rank_order(std::string_view text) {
  for (size_t i = 0; i < std::size(kRankOrders); ++i) {
    if (text == kRankOrders[i]) return static_cast<RankOrder>(i);
  }
  throw usage_error(format("config: rank_order '{}' is not {}{}", text,
                           join_words(kRankOrders, "or"), did_you_mean(text, kRankOrders)));
}

std::string to_string(RankOrder order) {
  return std::string(kRankOrders[static_cast<size_t>(order)]);
}

void require_gpus(const Parallel& p) {
  if (p.collective == Collective::None) {
    if (p.gpus == 1) return;
    throw usage_error(format("{} GPUs share no product without a collective: add --parallel {}",
                             p.gpus, join_words(collective_names(), "or")));
  }
  if (p.gpus >= 2 && p.gpus <= tw::kMaxGpus) return;
  throw usage_error(format("{} is over 2 to {} GPUs of one host, not {}: give --gpus",
                           to_string(p.collective), tw::kMaxGpus, p.gpus));
}

GemmShape share_of(const GemmShape& whole, const Parallel& p) {
  GemmShape share = whole;
  if (p.collective == Collective::None) return share;
  int64_t& divided = divided_size(share, p);
  require_even(divided, record_of(p.collective).divided == 'n' ? "N" : "K", whole, p);
  require_even(whole.m, "M", whole, p);
  divided /= p.gpus;
  return share;
}

GemmShape whole_of(const GemmShape& share, const Parallel& p) {
  GemmShape whole = share;
  if (p.collective != Collective::None) divided_size(whole, p) *= p.gpus;
  return whole;
}

int64_t stored_rows(const GemmShape& share, const Parallel& p) {
  return p.collective == Collective::ReduceScatter ? share.m / p.gpus : share.m;
}

std::string to_string(const Parallel& p) {
  if (p.collective == Collective::None) return "";
  return format(", {} over {} GPUs", to_string(p.collective), p.gpus);
}

}  // namespace tilewright
