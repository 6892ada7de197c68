#include "base/number_range.hpp"

#include <cmath>

namespace tilewright {

bool holds(NumberRange range, double value) {
  if (!std::isfinite(value)) return false;
  switch (range) {
    case NumberRange::Any: return true;
    case NumberRange::Positive: return value > 0;
    case NumberRange::NotNegative: return value >= 0;
    case NumberRange::BelowOne: return value >= 0 && value < 1;
    case NumberRange::UpToOne: return value > 0 && value <= 1;
    case NumberRange::Share: return value >= 0 && value <= 1;
    case NumberRange::OneOrTwo: return value == 1 || value == 2;
    case NumberRange::UpTo1024: return value > 0 && value <= 1024;
  }
  return false;
}

std::string_view range_words(NumberRange range) {
  switch (range) {
    case NumberRange::Any: return "a finite number";
    case NumberRange::Positive: return "above 0";
    case NumberRange::NotNegative: return "at least 0";
    case NumberRange::BelowOne: return "from 0 to below 1";
    case NumberRange::UpToOne: return "above 0 and at most 1";
    case NumberRange::Share: return "from 0 to 1";
    case NumberRange::OneOrTwo: return "1 or 2";
    case NumberRange::UpTo1024: return "above 0 and at most 1024";
  }
  return "";
}

}  // namespace tilewright
