// Compares the model with recorded rows: tests/data/model_h200.csv, times and counters of the
// model's sample.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "model/estimate.hpp"
#include "support/recorded.hpp"
#include "tile/config/decomposition.hpp"

namespace tilewright::testing {

/// Rows of one shape, in the order of the file.
struct RecordedShape {
  std::string shape_class;
  bool held_out = false;
  std::vector<Recorded> rows;  // numbers: us, DRAM bytes read and written, L2 hits in percent
};

/// A line "# class, half" begins a shape.
inline std::vector<RecordedShape> recorded_shapes(const std::string& path) {
  std::vector<RecordedShape> shapes;
  const std::string text = read_file(path);
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty() || line.front() == 'm') continue;
    if (line.front() == '#') {
      const size_t comma = line.find(',');
      shapes.push_back(
          {std::string(line.substr(2, comma - 2)), line.substr(comma + 2) == "held out", {}});
    } else {
      shapes.back().rows.push_back(read_line(line));
    }
  }
  return shapes;
}

/// The errors of predictions, and of their order.
struct ModelErrors {
  std::vector<double> times;              // |predicted / measured - 1| for every row
  std::vector<double> reads;              // likewise
  std::vector<double> writes;             // likewise
  std::vector<double> rank_correlations;  // for every shape
  std::vector<double> regret_of_best;     // the predicted best's time over the measured best's
  // The best time of the eight predicted best over the measured best
  std::vector<double> regret_of_top8;
};

inline std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<double>(i);
  return ranks;
}

/// Spearman's correlation of values without ties.
inline double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks_of(a);
  const std::vector<double> y = ranks_of(b);
  const auto n = static_cast<double>(a.size());
  double distance = 0;
  for (size_t i = 0; i < x.size(); ++i) distance += (x[i] - y[i]) * (x[i] - y[i]);
  return 1 - 6 * distance / (n * (n * n - 1));
}

inline double off(double predicted, double measured) {
  return std::abs(predicted / measured - 1);
}

/// The best measured time of the `count` configs with the least predicted times, over the best of
/// all.
inline double regret_of(const std::vector<double>& predicted, const std::vector<double>& measured,
                        size_t count) {
  std::vector<size_t> order(predicted.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return predicted[a] < predicted[b]; });
  double best = measured[order[0]];
  for (size_t i = 1; i < std::min(count, order.size()); ++i) {
    best = std::min(best, measured[order[i]]);
  }
  return best / *std::min_element(measured.begin(), measured.end());
}

/// Adds the times of one shape's rows.
inline void add_time_errors(const std::vector<double>& predicted,
                            const std::vector<double>& measured, ModelErrors& errors) {
  for (size_t i = 0; i < measured.size(); ++i) {
    errors.times.push_back(off(predicted[i], measured[i]));
  }
  errors.rank_correlations.push_back(rank_correlation(predicted, measured));
  errors.regret_of_best.push_back(regret_of(predicted, measured, 1));
  errors.regret_of_top8.push_back(regret_of(predicted, measured, 8));
}

/// Errors of times by class of shape, and of all shapes; `predicted_us` takes a shape and one of
/// its rows.
template <class PredictedUs>
std::map<std::string, ModelErrors> time_errors_by_class(const std::vector<RecordedShape>& shapes,
                                                        const PredictedUs& predicted_us) {
  std::map<std::string, ModelErrors> classes;
  for (const RecordedShape& shape : shapes) {
    std::vector<double> predicted;
    std::vector<double> measured;
    for (const Recorded& row : shape.rows) {
      predicted.push_back(predicted_us(shape, row));
      measured.push_back(row.numbers.at(0));
    }
    add_time_errors(predicted, measured, classes[shape.shape_class]);
    add_time_errors(predicted, measured, classes["all"]);
  }
  return classes;
}

/// Adds the times and the counters of one shape's rows.
inline void add_errors(const RecordedShape& shape, const std::vector<Estimate>& predicted,
                       ModelErrors& errors) {
  std::vector<double> predicted_us;
  std::vector<double> measured;
  for (size_t i = 0; i < shape.rows.size(); ++i) {
    const std::vector<double>& numbers = shape.rows[i].numbers;
    predicted_us.push_back(predicted[i].us);
    measured.push_back(numbers.at(0));
    errors.reads.push_back(off(predicted[i].dram_read_bytes, numbers.at(1)));
    errors.writes.push_back(off(predicted[i].dram_write_bytes, numbers.at(2)));
  }
  add_time_errors(predicted_us, measured, errors);
}

inline double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

inline double geometric(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

inline std::string percent_at(const std::vector<double>& errors, double q) {
  return format("{:6.1f}", 100 * quantile(errors, q));
}

/// One line of the table of times and orders.
inline std::string times_line(const std::string& name, const ModelErrors& j) {
  return format(
      "{:<22} {:5} rows  Spearman {:.3f} least {:.3f}  first {:5.1f} %  eight {:4.1f} %  times {} "
      "{}",
      name, j.times.size(), mean(j.rank_correlations),
      *std::min_element(j.rank_correlations.begin(), j.rank_correlations.end()),
      100 * (geometric(j.regret_of_best) - 1), 100 * (geometric(j.regret_of_top8) - 1),
      percent_at(j.times, 0.5), percent_at(j.times, 0.9));
}

/// The same line with the errors of DRAM traffic.
inline std::string accuracy_line(const std::string& name, const ModelErrors& j) {
  return times_line(name, j) + format("  reads {} {} {}  writes {} {}", percent_at(j.reads, 0.5),
                                      percent_at(j.reads, 0.9), percent_at(j.reads, 1),
                                      percent_at(j.writes, 0.5), percent_at(j.writes, 0.9));
}

}  // namespace tilewright::testing
