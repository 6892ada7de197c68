#include "search/padding_advice.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/math.hpp"
#include "search/complete.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

constexpr int kRowBytes[] = {16, 128};  // TMA's unit, and a line of L2

// Elements from one row to the next, so that rows of this type begin at multiples of `bytes`.
int64_t padded(int64_t elements, DataType type, int bytes) {
  return round_up(elements, int64_t{bytes} / bytes_of(type));
}

OperandPlaces padded_places(const Problem& p, int bytes) {
  const Pitches tight = pitches_of(p, {});
  const DataType type = p.kind.dtype;
  const int64_t d = padded(tight.d, output_type(p.kind), bytes);
  return {.a = {.pitch = padded(tight.a, type, bytes)},
          .b = {.pitch = padded(tight.b, type, bytes)},
          .c = {.pitch = d},
          .d = {.pitch = d}};
}

// The sizes at which the tight rows of A, B and D begin at multiples of `bytes`. N stays where an
// epilogue joins columns in pairs: zeros between them would move the partners.
GemmShape padded_shape(const Problem& p, int bytes) {
  const DataType type = p.kind.dtype;
  GemmShape shape = p.shape;
  const bool joins_columns = output_columns(p.kind, shape.n) != shape.n;
  const auto pad = [&](int64_t& size, DataType of) {
    if (&size == &shape.n && joins_columns) return;
    size = std::max(size, padded(size, of, bytes));
  };
  pad(is_k_major_a(p.kind.layout) ? shape.k : shape.m, type);
  pad(is_k_major_b(p.kind.layout) ? shape.k : shape.n, type);
  pad(shape.n, output_type(p.kind));
  return shape;
}

Estimate estimate_at(const Problem& problem, const TileConfig& config, const OperandPlaces& places,
                     const DeviceSpec& device) {
  return estimate(make_plan(problem, config, device, {.places = places}), device);
}

// The fastest configs of a kind of product, each size searched once.
class FastestConfigs {
 public:
  FastestConfigs(const ProductKind& kind, const DeviceSpec& device)
      : kind_(kind), device_(device) {}

  // The fastest config at these sizes and places, among those of tight rows: of the product, and of
  // the sizes that rows have with these places.
  PaddedProduct fastest(const Problem& problem, const OperandPlaces& places,
                        const GemmShape& rows) {
    PaddedProduct result{.shape = problem.shape, .places = places};
    const Completion& own = search(problem.shape);
    if (!own.config) {
      result.why_not = own.why_not;
      return result;
    }
    result.config = *own.config;
    result.predicted = estimate_at(problem, result.config, places, device_);
    const Completion& other = search(rows);
    if (!other.config || reject_config(problem, *other.config, device_)) return result;
    const Estimate predicted = estimate_at(problem, *other.config, places, device_);
    if (predicted.us < result.predicted.us) {
      result.config = *other.config;
      result.predicted = predicted;
    }
    return result;
  }

 private:
  const Completion& search(const GemmShape& shape) {
    const auto [known, is_new] = found_.try_emplace(to_string(shape));
    if (is_new) known->second = complete({}, workload_of(Problem{shape, kind_}), device_);
    return known->second;
  }

  const ProductKind& kind_;
  const DeviceSpec& device_;
  std::map<std::string, Completion> found_;
};

}  // namespace

PaddingAdvice padding_advice(const Problem& problem, const DeviceSpec& device) {
  FastestConfigs configs(problem.kind, device);
  PaddingAdvice advice{.problem = problem,
                       .pitches = pitches_of(problem, {}),
                       .given = configs.fastest(problem, {}, problem.shape)};
  const bool runs = advice.given.why_not.empty();
  if (runs) advice.copies = make_plan(problem, advice.given.config, device).copies;
  for (const int bytes : kRowBytes) {
    const OperandPlaces places = padded_places(problem, bytes);
    const Pitches tight = advice.pitches;
    const bool same =
        places.a.pitch == tight.a && places.b.pitch == tight.b && places.d.pitch == tight.d;
    if (same || !runs) continue;
    advice.padded.push_back(configs.fastest(problem, places, padded_shape(problem, bytes)));
    advice.padded.back().row_bytes = bytes;
  }
  GemmShape last = problem.shape;
  for (const int bytes : kRowBytes) {
    Problem larger = problem;
    larger.shape = padded_shape(problem, bytes);
    if (larger.shape == last) continue;
    last = larger.shape;
    advice.padded.push_back(configs.fastest(larger, {}, larger.shape));
    advice.padded.back().row_bytes = bytes;
  }
  return advice;
}

const PaddedProduct* best_padding(const PaddingAdvice& advice) {
  const PaddedProduct* best = advice.given.why_not.empty() ? &advice.given : nullptr;
  for (const PaddedProduct& product : advice.padded) {
    if (!product.why_not.empty()) continue;
    const bool gains =
        best == nullptr || product.predicted.us < best->predicted.us * (1 - kTimeResolution);
    if (gains) best = &product;
  }
  return best == &advice.given ? nullptr : best;
}

std::optional<double> time_pct(const PaddingAdvice& advice, const PaddedProduct& product) {
  if (!advice.given.why_not.empty() || !product.why_not.empty()) return std::nullopt;
  const std::optional<double> before = believed_us(advice.given.predicted);
  const std::optional<double> after = believed_us(product.predicted);
  if (!before || !after) return std::nullopt;
  return 100 * *after / *before;
}

std::vector<NamedNumber> numbers_of(const PaddingAdvice& advice) {
  const PaddedProduct* const best = best_padding(advice);
  const std::optional<double> us =
      advice.given.why_not.empty() ? believed_us(advice.given.predicted) : std::nullopt;
  const std::optional<double> pct =
      best == nullptr ? std::optional<double>{100} : time_pct(advice, *best);
  const std::string_view none = us ? "" : "no time is predicted for the product as it is";
  return {{"predicted_us", us.value_or(0), false, none},
          {"copied", static_cast<double>(advice.copies.a) + static_cast<double>(advice.copies.b)},
          {"padded", static_cast<double>(advice.padded.size())},
          {"best_time_pct", pct.value_or(0), false, none}};
}

}  // namespace tilewright
