#include "layout/text/nested_report.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr int64_t kMostThreads = int64_t{1} << 16;

Workgroup complete(const NestedLayout& layout, Workgroup asked) {
  if (asked.subgroup_size == 0) asked.subgroup_size = volume(layout.thread_tile);
  if (asked.subgroups == 0) asked.subgroups = volume(layout.subgroup_tile);
  if (asked.subgroup_size < 1 || asked.subgroups < 1 ||
      asked.subgroups > kMostThreads / asked.subgroup_size) {
    throw usage_error(format("{} subgroups of {} threads are not from 1 to {} threads",
                             asked.subgroups, asked.subgroup_size, kMostThreads));
  }
  return asked;
}

Extents coordinate_of_first(const NestedReport& report, bool (*matches)(const ElementOwners&)) {
  const auto found = std::find_if(report.owners.begin(), report.owners.end(), matches);
  return row_major_coordinate(vector_shape(report.layout), found - report.owners.begin());
}

bool is_replicated(const ElementOwners& owner) {
  return owner.count > 1;
}
bool is_uncovered(const ElementOwners& owner) {
  return owner.count == 0;
}

void add_lint(NestedReport& report) {
  const size_t total = report.owners.size();
  if (report.replicated > 0) {
    report.lint.push_back(
        {"replicated",
         format("{} of {} elements lie in several threads, first {}", report.replicated, total,
                to_string(coordinate_of_first(report, is_replicated)))});
  }
  if (report.uncovered > 0) {
    report.lint.push_back(
        {"uncovered", format("{} of {} elements lie in no thread, first {}", report.uncovered,
                             total, to_string(coordinate_of_first(report, is_uncovered)))});
  }
  const int64_t wanted = volume(report.layout.subgroup_tile);
  if (wanted % report.workgroup.subgroups != 0) {
    report.lint.push_back(
        {"subgroups", format("the layout's {} subgroups are no multiple of the hardware's {}",
                             wanted, report.workgroup.subgroups)});
  }
  for (size_t d = 0; d < report.layout.thread_tile.size(); ++d) {
    if (report.layout.thread_tile[d] == 1 && report.layout.thread_strides[d] != 0) {
      report.lint.push_back(
          {"stride", format("dim {}: a thread tile of 1 has stride {}; 0 says that "
                            "it is not distributed",
                            d, report.layout.thread_strides[d])});
    }
  }
}

}  // namespace

NestedReport report_nested(const NestedLayout& layout, const Workgroup& workgroup,
                           std::optional<int64_t> thread) {
  verify(layout);
  NestedReport report;
  report.layout = layout;
  report.workgroup = complete(layout, workgroup);
  const Workgroup& used = report.workgroup;
  const int64_t thread_count = used.subgroup_size * used.subgroups;
  if (thread && (*thread < 0 || *thread >= thread_count)) {
    throw usage_error(format("there is no thread {}: the workgroup has threads 0 to {}", *thread,
                             thread_count - 1));
  }
  for (int64_t i = 0; i < volume(layout.subgroup_tile); ++i) {
    report.subgroup_ids.push_back(
        subgroup_id(layout, row_major_coordinate(layout.subgroup_tile, i)) % used.subgroups);
  }
  for (int64_t i = 0; i < volume(layout.thread_tile); ++i) {
    report.thread_ids.push_back(thread_id(layout, row_major_coordinate(layout.thread_tile, i)));
  }
  report.owners = owners(layout, used.subgroup_size, thread_count);
  report.replicated = std::count_if(report.owners.begin(), report.owners.end(), is_replicated);
  report.uncovered = std::count_if(report.owners.begin(), report.owners.end(), is_uncovered);
  add_lint(report);
  if (thread) {
    report.thread = NestedThread{*thread, virtual_ids(layout, *thread, used.subgroup_size),
                                 elements_of_thread(layout, *thread, used.subgroup_size)};
  }
  return report;
}

std::vector<NamedNumber> numbers_of(const NestedReport& r) {
  return {{"replicated", static_cast<double>(r.replicated)},
          {"uncovered", static_cast<double>(r.uncovered)},
          {"elements_per_thread", static_cast<double>(volume(distributed_shape(r.layout)))},
          {"threads", static_cast<double>(r.workgroup.subgroup_size * r.workgroup.subgroups)}};
}

}  // namespace tilewright
