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

/// All that decides which kernel answers and how it is launched, but for addresses and the values
/// of alpha and beta.
struct RequestKey {
  std::array<int64_t, 19> words = {};
  std::vector<int64_t> rows;  // of a grouped gemm whose rows the host knows
  bool operator==(const RequestKey&) const = default;
};

struct RequestHash {
  size_t operator()(const RequestKey& key) const;
};

/// What a function of the interface computes.
enum class Entry { Gemm, GroupedGemm, RankK };

/// The entry that a call means where its function does not say: by its op and its groups.
Entry entry_of(const shipped_call& call);

/// The call with zeros for what an earlier version of the header does not have. Throws a usage
/// error for none, and for a size that no version known here has, of which nothing else is read.
shipped_call known_call(const shipped_call* call);

/// Checks a known call and reads it. Throws a usage error that names the field.
RequestKey read_request(const shipped_call& call, Entry entry);

/// True where there is nothing to write.
bool is_empty(const RequestKey& key);

/// True of a grouped gemm whose rows are on the device alone.
bool has_device_rows(const RequestKey& key);

/// True where the factor of A or of B is at no multiple of 16 bytes, where cuBLASLt does not read
/// it.
bool has_loose_scales(const RequestKey& key);

/// True where K is 0.
bool has_no_depth(const RequestKey& key);

/// The same of little depth: with A and B of zeros, an alpha and no scales it has the D of a key
/// without depth. Both are read from zero_operand_bytes() of zeros.
RequestKey with_zero_operands(RequestKey key);
int64_t zero_operand_bytes(const RequestKey& with_zeros);

/// The key's workload and places. Its epilogue has alpha 1 and beta 0 where the call's has, else
/// values that stand for any others; rows that are on the device alone are even.
Workload workload_of(const RequestKey& key);
OperandPlaces places_of(const RequestKey& key);

}  // namespace tilewright
