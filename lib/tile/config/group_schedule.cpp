#include "tile/config/group_schedule.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

size_t parse_name(std::string_view text, std::span<const std::string_view> names,
                  std::string_view what) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  const std::vector<std::string> known(names.begin(), names.end());
  throw usage_error(format("unknown {} '{}': it is {}{}", what, text, join(known, " or "),
                           did_you_mean(text, names)));
}

}  // namespace

GroupSchedule parse_group_schedule(std::string_view text) {
  return static_cast<GroupSchedule>(parse_name(text, kGroupSchedules, "group-schedule"));
}

ProblemOrder parse_problem_order(std::string_view text) {
  return static_cast<ProblemOrder>(parse_name(text, kProblemOrders, "problem-order"));
}

Visitor parse_visitor(std::string_view text) {
  return static_cast<Visitor>(parse_name(text, kVisitors, "visitor"));
}

std::string to_string(GroupSchedule schedule) {
  return std::string(kGroupSchedules[static_cast<size_t>(schedule)]);
}

std::string to_string(ProblemOrder order) {
  return std::string(kProblemOrders[static_cast<size_t>(order)]);
}

std::string to_string(Visitor visitor) {
  return std::string(kVisitors[static_cast<size_t>(visitor)]);
}

}  // namespace tilewright
