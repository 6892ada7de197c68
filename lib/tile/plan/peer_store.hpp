// The memory that each GPU gives to the others where they share a product.
#pragma once

#include <cstdint>

#include "tile/plan/plan.hpp"

namespace tilewright {

/// The parts that a GPU receives, for two launches in turn, the flags that are raised there, and
/// all rows of A where they are gathered.
struct PeerStore {
  int64_t part_bytes = 0;
  int64_t flags = 0;  // of 4 bytes
  int64_t gathered_bytes = 0;
  bool operator==(const PeerStore&) const = default;

  int64_t bytes() const { return part_bytes + gathered_bytes + flags * int64_t{sizeof(unsigned)}; }
};

/// Nothing for a product of one GPU.
PeerStore peer_store(const Plan& plan);

/// Bytes of one tile's sums on their way to the owner.
int64_t bytes_of_part(const Plan& plan);

/// Bytes of the rows of A that each GPU has in an all-gather.
int64_t bytes_of_rows(const Plan& plan);

}  // namespace tilewright
