#include "base/split_sizes.hpp"

namespace tilewright {

std::vector<std::string_view> split_sizes(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find_first_of("xX");
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace tilewright
