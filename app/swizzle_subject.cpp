#include "swizzle_subject.hpp"

#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/text/layout_expression.hpp"

namespace tilewright {
namespace {

// "4,0,4" and "<4,0,4>" as well as every printed spelling.
Swizzle parse_swizzle(const std::string& text) {
  std::string spelled = text;
  if (!text.empty() && text.find_first_of("SswW") == std::string::npos) {
    spelled = text.front() == '<' ? "Sw" + text : format("Sw<{}>", text);
  }
  const LayoutValue value = evaluate_layout(spelled);
  if (const Swizzle* const swizzle = std::get_if<Swizzle>(&value)) return *swizzle;
  throw usage_error(format("--swizzle '{}' is not B,M,S such as 3,3,3", text));
}

// Without --vector, the widest access.
int64_t default_vector(const SharedTile& tile, const TilePattern& write, const TilePattern& read) {
  return std::max(elements_together(tile, write), elements_together(tile, read));
}

}  // namespace

SwizzleReport report_swizzle(const SwizzleOptions& o) {
  SwizzleProblem problem;
  problem.tile = parse_shared_tile(o.tile, o.dtype);
  problem.write = parse_tile_pattern(o.write);
  problem.read = parse_tile_pattern(o.read);
  problem.vector =
      o.vector > 0 ? o.vector : default_vector(problem.tile, problem.write, problem.read);
  std::optional<Swizzle> given;
  if (!o.swizzle.empty()) given = parse_swizzle(o.swizzle);
  return report_swizzle(problem, given);
}

}  // namespace tilewright
