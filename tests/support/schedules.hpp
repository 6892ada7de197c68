// Schedule requests for tests, from the words of the command line.
#pragma once

#include <string_view>

#include "tile/schedule.hpp"

namespace tilewright::testing {

struct RequestWords {
  std::string_view problem;
  std::string_view cta = "128x128x64";
  int64_t ctas = 8;
  std::string_view raster = "row";
  std::string_view decomposition = "data-parallel";
  std::string_view group_schedule = "device-only";
  std::string_view order = "given";
  std::string_view cluster = "1x1";
  std::string_view op = "gemm";
  std::string_view uplo = "lower";
  bool plain = false;
  int64_t resident = 0;
};

inline ScheduleRequest request_of(const RequestWords& w) {
  ScheduleRequest r;
  r.problem = parse_grouped_problem(w.problem, parse_op(w.op), parse_uplo(w.uplo));
  r.cta = parse_tile(w.cta);
  r.cluster = parse_cluster(w.cluster);
  r.raster = parse_raster(w.raster);
  r.decomposition = parse_decomposition(w.decomposition);
  r.group_schedule = parse_group_schedule(w.group_schedule);
  r.problem_order = parse_problem_order(w.order);
  r.plain = w.plain;
  r.ctas = w.ctas;
  r.resident = w.resident;
  return r;
}

inline Schedule schedule_of(const RequestWords& words) {
  return make_schedule(request_of(words));
}

}  // namespace tilewright::testing
