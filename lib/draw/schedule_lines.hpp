// The lines below the title of a schedule's picture: its mapping and its numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "draw/assignment_grids.hpp"
#include "draw/schedule_diagram.hpp"

namespace tilewright {

/// True where the problem has no tile.
bool is_empty(const PlannedProblem& problem);

/// "us", or "k-steps" where no time is predicted.
std::string_view unit_of(const PredictedSchedule& schedule);

/// The multiprocessor of each lane of the timeline: consecutive places lie on consecutive
/// multiprocessors, wrapping around after the last one.
std::vector<int64_t> sms_of_lanes(const PredictedSchedule& schedule);

/// "row, data-parallel", and the modes of a group.
std::string mapping_text(const Plan& plan);

/// Units, times, what divided tiles cost, and what is wrong with the schedule.
std::vector<std::string> number_lines(const PredictedSchedule& schedule,
                                      std::span<const DealtUnit> units);

}  // namespace tilewright
