// The answers of `tune`: a problem's rows, and a summary of all problems.
#pragma once

#include <vector>

#include "render/report.hpp"
#include "search/enumerate.hpp"
#include "search/tuner.hpp"

namespace tilewright {

/// A headline, what all rows' configs share, the `top` best rows and the chosen row, and the
/// winner's ratios to the references, ties and energy; the rows also as comma-separated values.
Report tune_report(const TuneResult& result, const DeviceSpec& device, int64_t top);

/// One line per problem, and the geometric mean of the ratios where there are some.
std::vector<TextPart> tune_summary(const std::vector<TuneEntry>& entries);

/// How close choices that were only predicted come to the fastest ones.
Sentence certainty();

/// How many configs each rule removed, and how many are left.
Report dry_run_report(const Workload& problem, const Enumeration& found);

}  // namespace tilewright
