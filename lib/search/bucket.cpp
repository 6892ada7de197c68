#include "search/bucket.hpp"

namespace tilewright {
namespace {

bool is_in(const SizeRange& range, int64_t size) {
  return range.low <= size && size < range.high && size % range.multiple == 0;
}

}  // namespace

bool same_kind(const Workload& a, const Workload& b) {
  Workload other = b;
  other.shapes = a.shapes;
  return a == other;
}

const Bucket* find_bucket(std::span<const Bucket> buckets, const Workload& workload) {
  if (!is_product(workload)) return nullptr;
  const GemmShape& s = workload.shapes.front();
  for (const Bucket& bucket : buckets) {
    if (!same_kind(bucket.kind, workload)) continue;
    if (is_in(bucket.m, s.m) && is_in(bucket.n, s.n) && is_in(bucket.k, s.k)) return &bucket;
  }
  return nullptr;
}

}  // namespace tilewright
