// The ranges of the numbers that files hold.
#pragma once

#include <string_view>

namespace tilewright {

/// A range of finite numbers: times, rates and ratios are above 0, bytes at least 0.
enum class NumberRange {
  Any,
  Positive,     // above 0
  NotNegative,  // from 0
  BelowOne,     // from 0, below 1
  UpToOne,      // above 0, to 1
  Share,        // from 0 to 1
  OneOrTwo,     // 1 or 2
  UpTo1024      // above 0, to 1024: the model loops over it
};

/// False for infinities and NaN.
bool holds(NumberRange range, double value);

/// The range in an error message, after "should be": "above 0".
std::string_view range_words(NumberRange range);

}  // namespace tilewright
