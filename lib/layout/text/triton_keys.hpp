// Reads and checks the keys of a Triton attribute.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "layout/algebra/linear_layout.hpp"
#include "layout/text/triton_attribute.hpp"

namespace tilewright {

using Sizes = std::vector<int64_t>;

/// A usage error about a key.
Error bad_key(const TritonAttribute& a, std::string_view key, const std::string& problem);

/// Throws a usage error unless the value is a power of two of at most 2^40.
void require_power(const TritonAttribute& a, std::string_view key, int64_t value);

/// These throw a usage error where the key is missing or of another kind.
int64_t integer_key(const TritonAttribute& a, const std::string& key);
int64_t power_key(const TritonAttribute& a, const std::string& key);
Sizes powers_key(const TritonAttribute& a, const std::string& key);
/// Dimensions, the fastest first.
std::vector<size_t> order_key(const TritonAttribute& a, const std::string& key);
/// False where the key is missing.
bool truth_key(const TritonAttribute& a, const std::string& key);

/// The layout with the bases that the attribute lists for the inputs `names`, as in
/// "offset = [[0, 1], ...]". Outputs have the tensor's extents, or without a tensor as much as the
/// bases need.
LinearLayout written_out(const TritonAttribute& a, const std::vector<std::string>& names);

}  // namespace tilewright
