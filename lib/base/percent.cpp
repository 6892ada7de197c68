#include "base/percent.hpp"

#include "base/text.hpp"

namespace tilewright {

std::optional<double> parse_percent(std::string_view text) {
  if (text.ends_with('%')) text = trim(text.substr(0, text.size() - 1));
  return parse_finite(text);
}

}  // namespace tilewright
