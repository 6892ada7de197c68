#include "layout/text/nested_report.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/nested_conversion.hpp"
#include "layout/text/triton_dialect.hpp"

namespace tilewright {
namespace {

constexpr int64_t kMaxThreads = int64_t{1} << 16;

Workgroup complete(const NestedLayout& layout, Workgroup asked) {
  if (asked.subgroup_size == 0) asked.subgroup_size = default_subgroup_size(layout);
  if (asked.subgroups == 0) asked.subgroups = default_subgroups(layout);
  if (asked.subgroup_size < 1 || asked.subgroups < 1 ||
      asked.subgroups > kMaxThreads / asked.subgroup_size) {
    throw usage_error(
        format("{} subgroups of {} threads are not from 1 to {} threads: choose fewer with "
               "--subgroup-size and --subgroups",
               asked.subgroups, asked.subgroup_size, kMaxThreads));
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

// The first thread with two virtual ids: the dialect's documentation computes the id from the
// thread's number in the subgroup, the compiler from its number in the workgroup.
std::optional<int64_t> first_read_in_two_ways(const NestedReport& r) {
  const int64_t size = r.workgroup.subgroup_size;
  for (int64_t thread = size; thread < size * r.workgroup.subgroups; ++thread) {
    const Extents documented = virtual_ids(r.layout, thread % size, size).thread;
    if (virtual_ids(r.layout, thread, size).thread != documented) return thread;
  }
  return std::nullopt;
}

void add_lint(NestedReport& report) {
  if (const std::optional<int64_t> thread = first_read_in_two_ways(report)) {
    const int64_t size = report.workgroup.subgroup_size;
    report.lint.push_back(
        {"thread-ids",
         format("a subgroup of {} ends within the threads of the layout: thread {} is virtual "
                "thread {} in IREE's compiler, whose rule is used here, and {} by its number in "
                "the subgroup, as in the dialect's documentation",
                size, *thread, to_string(virtual_ids(report.layout, *thread, size).thread),
                to_string(virtual_ids(report.layout, *thread % size, size).thread))});
  }
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
        {"subgroups", format("the layout's {} subgroups are not a multiple of the hardware's {}",
                             wanted, report.workgroup.subgroups)});
  }
  for (size_t d = 0; d < report.layout.thread_tile.size(); ++d) {
    if (report.layout.thread_tile[d] == 1 && report.layout.thread_strides[d] != 0) {
      report.lint.push_back({"stride", format("dim {}: a thread tile of 1 has stride {}; stride 0 "
                                              "means that it is not distributed",
                                              d, report.layout.thread_strides[d])});
    }
  }
}

// Sets the texts in other notations, or the reason why one has none.
void convert(NestedReport& report) {
  const Workgroup& w = report.workgroup;
  try {
    report.cute = to_string(thread_value_layout(report.layout, w.subgroup_size, w.subgroups));
    if (report.uncovered > 0) {
      throw usage_error(format(
          "{} elements lie in no thread, and a layout of Triton holds them all", report.uncovered));
    }
    report.triton =
        to_string(TritonLayout{linear_of(report.layout, w.subgroup_size, w.subgroups), false});
  } catch (const Error& none) {
    (report.cute.empty() ? report.cute : report.triton) = format("none: {}", none.what());
    if (report.triton.empty()) report.triton = report.cute;
  }
}

std::string tile_text(const Extents& tile) {
  std::vector<std::string> parts;
  for (const int64_t extent : tile) parts.push_back(format("{}", extent));
  return format("[{}]", join(parts, "x"));
}

std::string vector_text(const std::vector<Extents>& levels) {
  std::vector<std::string> parts;
  parts.reserve(levels.size());
  for (const Extents& level : levels) parts.push_back(tile_text(level));
  return format("vector<{}>", join(parts, "x"));
}

// "[0,:,:,:]": the ids on one level, ":" on the others and in an undistributed dimension.
std::string place_text(size_t levels, size_t level, const Extents& ids, const Extents& strides) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < levels; ++i) {
    for (size_t d = 0; d < ids.size(); ++d) {
      const bool fixed = i == level && strides[d] != 0;
      parts.push_back(fixed ? format("{}", ids[d]) : ":");
    }
  }
  return format("[{}]", join(parts, ","));
}

// Threads of subgroup 0 that the report lists: the first two, one at each stride, and the requested
// one. Where a subgroup ends within the layout's thread tile, the requested one goes by its number
// in the workgroup, because its virtual id depends on its subgroup.
std::vector<int64_t> shown_threads(const NestedReport& r) {
  const int64_t size = r.workgroup.subgroup_size;
  std::vector<int64_t> threads = {0, 1};
  for (const int64_t stride : r.layout.thread_strides) threads.push_back(stride);
  std::erase_if(threads, [size](int64_t thread) { return thread >= size; });
  if (r.thread) {
    const bool by_workgroup = first_read_in_two_ways(r).has_value();
    threads.push_back(by_workgroup ? r.thread->thread : r.thread->thread % size);
  }
  std::sort(threads.begin(), threads.end());
  threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
  return threads;
}

}  // namespace

NestedReport report_nested(const NestedLayout& layout, const Workgroup& workgroup,
                           std::optional<int64_t> thread) {
  verify(layout);
  NestedReport report;
  report.layout = layout;
  report.workgroup = complete(layout, workgroup);
  report.size_from_strides = workgroup.subgroup_size == 0;
  const Workgroup& used = report.workgroup;
  const int64_t thread_count = used.subgroup_size * used.subgroups;
  if (thread && (*thread < 0 || *thread >= thread_count)) {
    throw usage_error(format("there is no thread {}: the workgroup has threads 0 to {}", *thread,
                             thread_count - 1));
  }
  for (int64_t i = 0; i < volume(layout.subgroup_tile); ++i) {
    report.subgroup_ids.push_back(
        subgroup_id(layout, row_major_coordinate(layout.subgroup_tile, i), used.subgroups));
  }
  for (int64_t i = 0; i < volume(layout.thread_tile); ++i) {
    report.thread_ids.push_back(
        thread_id(layout, row_major_coordinate(layout.thread_tile, i), used.subgroup_size));
  }
  report.owners = owners(layout, used.subgroup_size, thread_count);
  report.replicated = std::count_if(report.owners.begin(), report.owners.end(), is_replicated);
  report.uncovered = std::count_if(report.owners.begin(), report.owners.end(), is_uncovered);
  add_lint(report);
  convert(report);
  if (thread) {
    report.thread = NestedThread{*thread, virtual_ids(layout, *thread, used.subgroup_size),
                                 elements_of_thread(layout, *thread, used.subgroup_size)};
  }
  return report;
}

NestedLevels levels_of(const NestedReport& r) {
  const NestedLayout& l = r.layout;
  const int64_t size = r.workgroup.subgroup_size;
  NestedLevels levels;
  levels.viewed_as =
      vector_text({l.subgroup_tile, l.batch_tile, l.outer_tile, l.thread_tile, l.element_tile});
  levels.of_subgroup = vector_text({l.batch_tile, l.outer_tile, l.thread_tile, l.element_tile});
  levels.of_thread = vector_text({l.batch_tile, l.outer_tile, l.element_tile});
  for (int64_t s = 0; s < r.workgroup.subgroups; ++s) {
    const Extents at = virtual_ids(l, s * size, size).subgroup;
    levels.subgroups.push_back({s, at, place_text(5, 0, at, l.subgroup_strides)});
  }
  for (const int64_t thread : shown_threads(r)) {
    const Extents at = virtual_ids(l, thread, size).thread;
    levels.threads.push_back({thread, at, place_text(4, 2, at, l.thread_strides)});
  }
  return levels;
}

std::string levels_text(const NestedReport& r) {
  constexpr size_t kMaxShown = 8;
  const NestedLevels levels = levels_of(r);
  const std::string shape = tile_text(vector_shape(r.layout));
  std::string text =
      format("vector<{}> is viewed as {}\n", shape.substr(1, shape.size() - 2), levels.viewed_as);
  text += "                     subgroup x batch x outer x thread x element\n";
  for (size_t s = 0; s < std::min(levels.subgroups.size(), kMaxShown); ++s) {
    text += format("subgroup{} : {}\n    from {}{}\n", s, levels.of_subgroup, levels.viewed_as,
                   levels.subgroups[s].place);
  }
  if (levels.subgroups.size() > kMaxShown) text += "...\n";
  for (const NestedLevel& one : levels.threads) {
    text += format("thread{} : {}\n    from {}{}\n", one.id, levels.of_thread, levels.of_subgroup,
                   one.place);
  }
  const std::string held = tile_text(per_thread_shape(r.layout));
  return text + format("each thread holds vector<{}>\n", held.substr(1, held.size() - 2));
}

NestedSlice slice_of_subgroup(const NestedReport& r, int64_t subgroup) {
  const int64_t size = r.workgroup.subgroup_size;
  if (subgroup < 0 || subgroup >= r.workgroup.subgroups) {
    throw usage_error(format("there is no subgroup {}: the workgroup has subgroups 0 to {}",
                             subgroup, r.workgroup.subgroups - 1));
  }
  if (first_read_in_two_ways(r)) {
    throw usage_error(
        format("a subgroup of {} ends within the threads of the layout, so one subgroup is not a "
               "layout by itself: draw the whole vector",
               size));
  }
  const Extents at = virtual_ids(r.layout, subgroup * size, size).subgroup;
  NestedLayout slice = r.layout;
  std::fill(slice.subgroup_tile.begin(), slice.subgroup_tile.end(), 1);
  std::fill(slice.subgroup_strides.begin(), slice.subgroup_strides.end(), 0);
  const Extents shape = vector_shape(slice);
  std::vector<std::string> ranges;
  for (size_t d = 0; d < shape.size(); ++d) {
    ranges.push_back(format("{}:{}", at[d] * shape[d], (at[d] + 1) * shape[d]));
  }
  std::optional<int64_t> thread;
  if (r.thread) thread = r.thread->thread % size;
  return {report_nested(slice, {size, 1}, thread), format("[{}]", join(ranges, ", "))};
}

std::vector<NamedNumber> numbers_of(const NestedReport& r) {
  return {{"replicated", static_cast<double>(r.replicated)},
          {"uncovered", static_cast<double>(r.uncovered)},
          {"elements_per_thread", static_cast<double>(volume(distributed_shape(r.layout)))},
          {"threads", static_cast<double>(r.workgroup.subgroup_size * r.workgroup.subgroups)}};
}

}  // namespace tilewright
