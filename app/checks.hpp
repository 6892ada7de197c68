// --check on every subject: read early, judged before any output, told after it.
#pragma once

#include <string>
#include <vector>

#include "base/check_expression.hpp"
#include "base/error.hpp"
#include "console.hpp"

namespace tilewright {

/// The words after --check. Throws a usage error for a malformed one.
std::vector<CheckExpression> parse_checks(const std::vector<std::string>& texts);

/// Prints the violated checks on `err`; No when there are any.
ExitCode report_violations(const std::vector<std::string>& violated, Console& console);

}  // namespace tilewright
