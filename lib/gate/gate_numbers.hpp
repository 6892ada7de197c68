// The numbers of a case with their keys, for all reports.
#pragma once

#include <string>
#include <vector>

#include "gate/gate.hpp"

namespace tilewright {

/// Numbers with their keys, the most important first, beside those of `before`, which may be null.
std::vector<GateNumber> gate_numbers(const StaticNumbers& now, const StaticNumbers* before);
std::vector<GateNumber> gate_numbers(const MeasuredNumbers& now, const MeasuredNumbers* before);

/// "1349.42" for a time or a share, "0.9790" for a ratio, "1389.36 MB" for traffic, "yes" for a
/// truth, else a whole number.
std::string value_text(const GateNumber& number, double value);

/// "+109.1 %", of traffic with the exact bytes: "+0.0 %, +128 B"; empty if the divisor is missing
/// or 0.
std::string change_text(const GateNumber& number);

/// "predicted_us 2820.79, baseline 1349.42 (+109.0 %)"; without a baseline the number alone.
std::string to_string(const GateNumber& number);

}  // namespace tilewright
