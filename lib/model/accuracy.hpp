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
    Accuracy{"cube", 7.7, 19.9, 1.2, 49.1, 0.960},
    Accuracy{"prefill", 5.6, 21.6, 2.8, 45.8, 0.970},
    Accuracy{"decode", 3.8, 14.5, 0.0, 0.4, 0.938},
    Accuracy{"bad waves", 5.5, 23.4, 4.3, 22.2, 0.959},
    Accuracy{"long K", 3.8, 9.7, 0.2, 6.4, 0.988},
    Accuracy{"odd rows", 5.2, 14.4, 1.3, 19.0, 0.983},
    Accuracy{"short K", 4.6, 17.5, 5.3, 42.9, 0.940},
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
