#include "stats/product_check.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright {
namespace {

// The 2-norm of each of `lines` lines, or with `power` 4 the 4-norm.
std::vector<double> line_norms(const std::vector<double>& values, int64_t lines, int64_t k,
                               int power) {
  std::vector<double> norms(static_cast<size_t>(lines));
  for (int64_t line = 0; line < lines; ++line) {
    double sum = 0;
    for (int64_t i = 0; i < k; ++i) {
      const double value = values[static_cast<size_t>(line * k + i)];
      sum += power == 4 ? value * value * value * value : value * value;
    }
    norms[static_cast<size_t>(line)] = std::pow(sum, 1.0 / power);
  }
  return norms;
}

}  // namespace

double sum_bound(int64_t sums, double false_alarm) {
  return std::sqrt(2 * std::log(2 * static_cast<double>(sums) / false_alarm));
}

double block_bound(int64_t rows, int64_t blocks, double false_alarm) {
  // An upper limit of a sum of squared sub-Gaussian sums, relative to its expectation (Hsu, Kakade
  // and Zhang, 2012).
  const double x = std::log(static_cast<double>(blocks) / false_alarm);
  const auto r = static_cast<double>(rows);
  return 1 + 2 * std::sqrt(x / r) + 2 * x / r;
}

double allowed_squared_error(const ElementSums& elements, const ProductTypes& types) {
  // Independent errors add up by their squares.
  const double rounding =
      tw::record_of(types.output).rel_error * std::sqrt(types.roundings * elements.values);
  const double summing =
      tw::record_of(types.operand).sum_error *
      std::sqrt(static_cast<double>(types.k) * std::max(elements.values, elements.terms));
  const double tiny = tw::element_tolerance(types.output, types.roundings).smallest;
  return (rounding + summing) * (rounding + summing) + tiny * tiny * elements.count;
}

bool is_right_block(const BlockSums& sums, int64_t rows, int64_t blocks,
                    const ProductTypes& types) {
  const ElementSums elements{.count = tw::kCheckColumns * static_cast<double>(rows),
                             .values = sums.values};
  const double allowed = std::min(allowed_squared_error(elements, types), sums.tolerances);
  return sums.residuals <= allowed * block_bound(rows, blocks);
}

ProductCheck::ProductCheck(const ProductOperands& operands, uint64_t seed)
    : m_(operands.m),
      n_(operands.n),
      seed_(seed),
      blocks_((operands.n + tw::kCheckColumns - 1) / tw::kCheckColumns),
      expected_(static_cast<size_t>(m_ * blocks_)),
      norms_a_(line_norms(operands.a, m_, operands.k, 2)),
      norms_b_(line_norms(operands.b, n_, operands.k, 2)),
      fourths_a_(line_norms(operands.a, m_, operands.k, 4)),
      fourths_b_(line_norms(operands.b, n_, operands.k, 4)) {
  const int64_t k = operands.k;
  std::vector<double> sums(static_cast<size_t>(blocks_ * k));  // B's columns with their signs
  for (int64_t column = 0; column < n_; ++column) {
    const double sign = tw::check_sign(seed_, column);
    double* const sum = &sums[static_cast<size_t>(column / tw::kCheckColumns * k)];
    const double* const b = &operands.b[static_cast<size_t>(column * k)];
    for (int64_t i = 0; i < k; ++i) sum[i] += sign * b[i];
  }
  for (int64_t row = 0; row < m_; ++row) {
    const double* const a = &operands.a[static_cast<size_t>(row * k)];
    for (int64_t block = 0; block < blocks_; ++block) {
      const double* const sum = &sums[static_cast<size_t>(block * k)];
      double product = 0;
      for (int64_t i = 0; i < k; ++i) product += a[i] * sum[i];
      expected_[static_cast<size_t>(row * blocks_ + block)] = product;
    }
  }
}

ProductVerdict ProductCheck::check(std::span<const double> d, tw::ElementType type,
                                   int roundings) const {
  const tw::ElementTolerance tolerance = tw::element_tolerance(type, roundings);
  const double bound = sum_bound(m_ * blocks_);
  const int64_t row_blocks = (m_ + tw::kCheckRows - 1) / tw::kCheckRows;
  ProductVerdict verdict;
  const auto note = [&verdict](int64_t& count, int64_t row, int64_t block) {
    ++count;
    if (verdict.first_row >= 0) return;
    verdict.first_row = row;
    verdict.first_column = block * tw::kCheckColumns;
  };
  for (int64_t row_block = 0; row_block < row_blocks; ++row_block) {
    const int64_t begin = row_block * tw::kCheckRows;
    const int64_t end = std::min(begin + tw::kCheckRows, m_);
    for (int64_t block = 0; block < blocks_; ++block) {
      BlockSums sums;
      for (int64_t row = begin; row < end; ++row) {
        double residual = -expected_[static_cast<size_t>(row * blocks_ + block)];
        double squares = 0;
        const int64_t last = std::min((block + 1) * tw::kCheckColumns, n_);
        for (int64_t column = block * tw::kCheckColumns; column < last; ++column) {
          const double value = d[static_cast<size_t>(row * n_ + column)];
          const auto i = static_cast<size_t>(row);
          const auto j = static_cast<size_t>(column);
          const double t = tw::tolerance_of(tolerance, value, norms_a_[i] * norms_b_[j],
                                            fourths_a_[i] * fourths_b_[j]);
          residual += tw::check_sign(seed_, column) * value;
          squares += t * t;
          sums.values += value * value;
        }
        if (!tw::is_right_sum(residual, squares, bound)) note(verdict.wrong_sums, row, block);
        sums.residuals += residual * residual;
        sums.tolerances += squares;
      }
      if (!is_right_block(sums, end - begin, row_blocks * blocks_,
                          {.output = type, .roundings = roundings})) {
        note(verdict.wrong_blocks, begin, block);
      }
    }
  }
  return verdict;
}

std::optional<size_t> first_overwritten(std::span<const unsigned char> zone) {
  const auto stray = std::find_if(zone.begin(), zone.end(),
                                  [](unsigned char byte) { return byte != kRedZoneByte; });
  if (stray == zone.end()) return std::nullopt;
  return static_cast<size_t>(stray - zone.begin());
}

uint64_t checksum(std::span<const uint16_t> elements) {
  uint64_t sum = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    sum += tw::checksum_term(static_cast<long long>(i), elements[i]);
  }
  return sum;
}

}  // namespace tilewright
