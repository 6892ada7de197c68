// The numbers of a case under their keys, for every report alike.
#pragma once

#include <string>
#include <vector>

#include "gate/gate.hpp"

namespace tilewright {

/// Numbers under their keys, the one that matters most first, beside those of `before`, which may
/// be null.
std::vector<GateNumber> gate_numbers(const StaticNumbers& now, const StaticNumbers* before);
std::vector<GateNumber> gate_numbers(const MeasuredNumbers& now, const MeasuredNumbers* before);

/// "1349.42" of a time or a share, "0.9790" of a ratio, "yes" of a truth, else whole.
std::string value_text(const GateNumber& number, double value);

/// "+109.1 %"; empty where there is nothing to divide by.
std::string change_text(const GateNumber& number);

/// "predicted_us 2820.79, baseline 1349.42 (+109.0 %)"; without a baseline the number alone.
std::string to_string(const GateNumber& number);

}  // namespace tilewright
