// Options of a grouped launch: how a CTA finds its next unit, the order of the problems, and which
// tiles are units.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

enum class GroupSchedule {
  DeviceOnly,      // unit = cta + i * ctas, computed on the device
  HostPrecompute,  // the same from a table; with Lpt, each unit goes to the least loaded worker
  Dynamic,  // an atomic counter: the first free CTA takes the next unit (plans count k-steps)
};

enum class ProblemOrder {
  Given,
  KDescending,  // the largest K first
  Lpt,          // the most k-steps first, ties by more tiles; HostPrecompute then assigns by load
};

enum class Visitor {
  Triangular,  // for a triangular output, the tiles of its triangle
  Plain,       // all tiles of its square; CTAs skip those where nothing is computed
};

inline constexpr std::string_view kGroupSchedules[] = {"device-only", "host-precompute", "dynamic"};
inline constexpr std::string_view kProblemOrders[] = {"given", "k-descending", "lpt"};
inline constexpr std::string_view kVisitors[] = {"triangular", "plain"};

/// One of kGroupSchedules. Throws a usage error.
GroupSchedule parse_group_schedule(std::string_view text);
/// One of kProblemOrders. Throws a usage error.
ProblemOrder parse_problem_order(std::string_view text);
/// One of kVisitors. Throws a usage error.
Visitor parse_visitor(std::string_view text);
std::string to_string(GroupSchedule schedule);
std::string to_string(ProblemOrder order);
std::string to_string(Visitor visitor);

}  // namespace tilewright
