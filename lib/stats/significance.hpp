// Whether chance alone explains what was measured, of one comparison and of many.
#pragma once

#include <span>
#include <vector>

namespace tilewright {

/// One-sided sign test of the paired ratios a[i] / b[i] of samples of one length: the largest
/// probability of at least as many of them below `limit` while their law's median is `limit` or
/// more, whatever that law is. 1 for empty samples.
double sign_test(std::span<const double> a, std::span<const double> b, double limit);

/// Holm's step-down: which hypotheses, each with its p-value, are rejected so that the probability
/// of rejecting any true one is at most `level`, however the tests depend on each other.
std::vector<bool> holm_rejections(std::span<const double> p_values, double level);

}  // namespace tilewright
