// The gate's verdicts for people.
#pragma once

#include <span>
#include <string>

#include "gate/gate.hpp"

namespace tilewright {

/// Verdicts with their findings or, where there are none, their numbers, failures first; then what
/// `notes` say, and a line of counts last. Lines have at most `width` columns.
std::string gate_report(std::span<const CaseVerdict> verdicts, std::span<const std::string> notes,
                        size_t width, bool color);

}  // namespace tilewright
