#include "search/budget.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {

bool Budget::is_spent(std::chrono::steady_clock::time_point begin, int64_t measured,
                      std::chrono::steady_clock::time_point now) const {
  return (configs && measured >= *configs) ||
         (seconds && now - begin >= std::chrono::seconds(*seconds));
}

Budget parse_budget(std::string_view text) {
  const bool is_time = text.ends_with('s');
  const std::optional<int64_t> number =
      parse_count(text.substr(0, text.size() - (is_time ? 1 : 0)));
  if (!number || *number == 0) {
    throw usage_error(
        format("--budget {}: give seconds, such as 60s, or a number of configs, at least 1", text));
  }
  Budget budget;
  (is_time ? budget.seconds : budget.configs) = number;
  return budget;
}

}  // namespace tilewright
