// A call of the C interface as the library reads it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "serve/shipped_names.hpp"
#include "tile/workload/operand_places.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// All that decides which kernel answers and how it is launched, except addresses and the values of
/// alpha and beta.
struct RequestKey {
  std::array<int64_t, 25> words = {};
  std::vector<int64_t> rows;  // of a grouped gemm with rows on the host
  bool operator==(const RequestKey&) const = default;
};

struct RequestHash {
  size_t operator()(const RequestKey& key) const;
};

/// What a function of the interface computes.
enum class EntryPoint { Gemm, GroupedGemm, RankK };

/// The entry of a call by its op and its groups, if no function of the interface is given.
EntryPoint entry_point_of(const shipped_call& call);

/// The call, with zeros for fields that its earlier version of the header lacks. Throws a usage
/// error for NULL, and for a size of no known version without reading any other field.
shipped_call upgraded_call(const shipped_call* call);

/// The place of the calling GPU among those that share a product.
struct PeerPlace {
  int rank = 0;
  int gpus = 0;  // 0: the call says it
};

/// Checks a known call and reads it; `place` is that of its communicator, if it has one, and its
/// launch keeps to `sms` multiprocessors where the call names none, 0: all. Throws a usage error
/// that names the field.
RequestKey read_request(const shipped_call& call, EntryPoint entry, PeerPlace place = {},
                        int sms = 0);

/// True if there is nothing to write.
bool is_empty(const RequestKey& key);

/// True if GPUs share the product.
bool is_shared(const RequestKey& key);

/// The rank of the calling GPU.
int rank_of(const RequestKey& key);

/// True for a grouped gemm.
bool is_grouped(const RequestKey& key);

/// True for a grouped gemm with rows on the device only.
bool has_device_rows(const RequestKey& key);

/// True if the scale of A or of B is not at a multiple of 16 bytes: cuBLASLt does not read it then.
bool has_unaligned_scales(const RequestKey& key);

/// True if K is 0.
bool has_zero_k(const RequestKey& key);

/// The key with a small K: with A, B and their scales of zeros it has the D of the given key, which
/// has K 0. Operands and scales are read from zero_operand_bytes() of zeros.
RequestKey with_zero_operands(RequestKey key);
int64_t zero_operand_bytes(const RequestKey& with_zeros);

/// The key's workload and places. Its epilogue has alpha 1 and beta 0 if the call has, else values
/// that stand for any others; rows that only the device has are taken as even.
Workload workload_of(const RequestKey& key);
OperandPlaces places_of(const RequestKey& key);

}  // namespace tilewright
