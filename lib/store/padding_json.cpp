#include "store/padding_json.hpp"

#include "record/document.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

Document pitches_json(const Pitches& pitches) {
  return {{"a", pitches.a}, {"b", pitches.b}, {"d", pitches.d}};
}

Document product_json(const PaddingAdvice& advice, const PaddedProduct& product) {
  const Problem problem{product.shape, advice.problem.kind};
  Document json = {{"shape", to_string(product.shape)},
                   {"pitches", pitches_json(pitches_of(problem, product.places))}};
  if (product.row_bytes > 0) json["row_bytes"] = product.row_bytes;
  if (!product.why_not.empty()) {
    json["why_not"] = product.why_not;
    return json;
  }
  json["predicted_us"] = value_or_null(believed_us(product.predicted));
  if (const std::optional<double> pct = time_pct(advice, product)) json["time_pct"] = *pct;
  json["config"] = to_string(product.config);
  return json;
}

}  // namespace

std::string padding_json(const PaddingAdvice& advice, const std::string& device) {
  Document json = {{"problem", to_string(advice.problem)},
                   {"device", device},
                   {"predicted", true},
                   {"copied", Document::array()},
                   {"given", product_json(advice, advice.given)},
                   {"padded", Document::array()},
                   {"best", nullptr}};
  if (advice.copies.a) json["copied"].push_back("a");
  if (advice.copies.b) json["copied"].push_back("b");
  for (const PaddedProduct& product : advice.padded) {
    json["padded"].push_back(product_json(advice, product));
  }
  if (const PaddedProduct* const best = best_padding(advice)) {
    json["best"] = best - advice.padded.data();
  }
  return to_json(json);
}

}  // namespace tilewright
