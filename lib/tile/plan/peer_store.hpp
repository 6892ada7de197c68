// The memory that each GPU gives to the others where they share a product.
#pragma once

#include <cstdint>

#include "tile/plan/plan.hpp"

namespace tilewright {

/// What a GPU receives in one launch: flags, then the parts of sums or the rows of A that they
/// stand for. Launches in turn use two of these.
struct PeerStore {
  int64_t flags = 0;  // of 4 bytes
  int64_t data_bytes = 0;
  bool operator==(const PeerStore&) const = default;

  /// Where the data begin behind the flags, a multiple of 256 bytes.
  int64_t data_at() const;
  int64_t bytes() const { return data_at() + data_bytes; }
};

/// Nothing for a product of one GPU.
PeerStore peer_store(const Plan& plan);

/// Bytes of one tile's sums on their way to the owner.
int64_t bytes_of_part(const Plan& plan);

/// Bytes of the rows of A that each GPU has in an all-gather.
int64_t bytes_of_rows(const Plan& plan);

/// The bytes of each of these rows that go to the others as part `part` of K.
tw::Span<int64_t> bytes_of_row_part(const Plan& plan, int part);

/// Bytes of a part of K of a block of these rows.
int64_t bytes_of_sent(const Plan& plan, int part);

}  // namespace tilewright
