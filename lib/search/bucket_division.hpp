// The ranges of sizes that tuned winners answer in, out of trials: boundaries lie between products
// that were measured, where another winner is the faster one from there on.
//
//   trials           tuned   x     x | x   x     tuned        sizes along one axis
//   fastest there      A     A     A | B   B       B
//   buckets                  [A      )[B    ]
//
// In three dimensions the ranges are the leaves of a tree of such cuts.
#pragma once

#include <span>
#include <vector>

#include "search/bucket.hpp"
#include "search/result.hpp"
#include "search/trial.hpp"

namespace tilewright {

/// An answer this much behind the best known one gives way to that.
inline constexpr double kMostRegret = 0.10;

/// Divides the space between the trials of each kind among the winners of `entries`, all of them
/// single products. A winner that was not timed at a trial does not answer there. Where winners are
/// farther behind than kMostRegret, or trials held out say that the model does better, it answers.
std::vector<Bucket> buckets_of(std::span<const TuneEntry> entries, std::span<const Trial> trials);

}  // namespace tilewright
