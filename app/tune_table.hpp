// The output of `tune` for people.
#pragma once

#include <string>
#include <vector>

#include "search/enumerate.hpp"
#include "search/tuner.hpp"

namespace tilewright {

/// A headline, what all rows' configs share, the `top` best rows and the chosen row, and the
/// winner's ratios to the references, ties and energy. `width` is as in Table.
std::string tune_report(const TuneResult& result, const DeviceSpec& device, int64_t top, int width);
/// The same rows as comma-separated values.
std::string tune_csv(const TuneResult& result, int64_t top, bool with_titles);

/// One line per problem, and the geometric mean of the ratios where there are some.
std::string tune_summary(const std::vector<TuneEntry>& entries, int width);

/// How close choices that were only predicted come to the fastest ones.
std::string certainty_text(int width);

/// How many configs each rule removed, and how many are left.
std::string dry_run_report(const Workload& problem, const Enumeration& found, int64_t legal,
                           int width);

}  // namespace tilewright
