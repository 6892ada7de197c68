// Whether chance alone explains a measurement, for one comparison and for many.
#pragma once

#include <span>
#include <vector>

namespace tilewright {

/// One-sided sign test of the paired ratios a[i] / b[i] of samples of one length: the largest
/// probability that at least as many ratios are below `limit` while the median of their
/// distribution is `limit` or more, for any distribution. 1 for empty samples.
double sign_test(std::span<const double> a, std::span<const double> b, double limit);

/// Holm's step-down: the hypotheses, each with its p-value, to reject so that the probability of
/// rejecting any true one is at most `level`, however the tests depend on each other.
std::vector<bool> holm_rejections(std::span<const double> p_values, double level);

}  // namespace tilewright
