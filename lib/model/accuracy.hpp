// Errors of the cost model against an H200, on shapes that no rate was fitted to.
#pragma once

#include <array>
#include <string_view>

namespace tilewright {

/// Errors on one class of held-out shapes (tests/data/model_h200.csv): the median and the 90th
/// percentile.
struct Accuracy {
  std::string_view shape_class;
  double time_median_pct = 0;
  double time_most_pct = 0;
  double reads_median_pct = 0;  // of DRAM
  double reads_most_pct = 0;
  double order = 0;  // Spearman's correlation of the predicted order with the measured one
};

/// tests/model/accuracy_held_out_test recomputes it.
inline constexpr std::array kAccuracy = {
    Accuracy{"cube", 7.7, 19.4, 1.2, 49.1, 0.967},
    Accuracy{"prefill", 5.4, 18.9, 2.8, 45.8, 0.972},
    Accuracy{"decode", 3.5, 14.1, 0.0, 0.4, 0.959},
    Accuracy{"bad waves", 5.4, 22.4, 4.3, 22.2, 0.963},
    Accuracy{"long K", 4.1, 10.1, 0.2, 5.8, 0.987},
    Accuracy{"odd rows", 5.2, 14.3, 1.3, 19.0, 0.982},
    Accuracy{"short K", 4.5, 16.8, 5.3, 42.9, 0.944},
};

/// The speed of the config that the model likes best, as a share of the fastest one's among the
/// recorded ones of each held-out shape.
struct FirstChoice {
  double mean = 0;  // geometric
  double least = 0;
};

/// The same test recomputes it.
inline constexpr FirstChoice kFirstChoice = {0.974, 0.871};

}  // namespace tilewright
