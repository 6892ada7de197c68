// Derives the ranges of sizes that tuned winners answer from trials: boundaries lie between
// measured products, where another winner becomes the faster one.
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

/// An answer that is slower than the best known one by this share gives way to that one.
inline constexpr double kMaxRegret = 0.10;

/// Divides the space between the trials of each kind among the winners of `entries`, all of them
/// single products. A winner does not answer at a trial that did not time it. The model answers
/// where winners are slower than kMaxRegret allows, or where held-out trials show that it does
/// better.
std::vector<Bucket> buckets_of(std::span<const TuneEntry> entries, std::span<const Trial> trials);

}  // namespace tilewright
