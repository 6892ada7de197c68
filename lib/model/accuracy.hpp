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
    Accuracy{"cube", 7.8, 18.0, 0.9, 46.8, 0.971},
    Accuracy{"prefill", 5.4, 17.6, 2.6, 38.4, 0.974},
    Accuracy{"decode", 3.5, 15.3, 0.0, 0.6, 0.965},
    Accuracy{"bad waves", 5.6, 23.3, 3.9, 23.5, 0.960},
    Accuracy{"long K", 4.2, 10.5, 0.2, 7.9, 0.986},
    Accuracy{"odd rows", 5.6, 15.7, 1.5, 13.0, 0.976},
    Accuracy{"short K", 4.4, 14.4, 5.3, 28.4, 0.948},
};

/// The speed of the config that the model likes best, as a share of the fastest one's among the
/// recorded ones of each held-out shape.
struct FirstChoice {
  double mean = 0;  // geometric
  double least = 0;
};

/// The same test recomputes it.
inline constexpr FirstChoice kFirstChoice = {0.978, 0.871};

}  // namespace tilewright
